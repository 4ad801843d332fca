//===- PrintAxisInfo.cpp - hocket-print-axis-info: prints the results of AxisInfo --------===//
//
// The pass is for tests and debugging. The pass emits remarks: the results of the AxisInfo analysis at every operation
// with integer or pointer results, and the possible vector width at every access to global memory.
//
//===------------------------------------------------------------------------------===//
#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "tools/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_PRINTAXISINFO
#include "tools/Passes.h.inc"

namespace {

/// Width in bits of the widest memory access of any target.
constexpr unsigned kMaxAccessBits = 128;

class PrintAxisInfo : public impl::PrintAxisInfoBase<PrintAxisInfo> {
public:
  void runOnOperation() override {
    AxisInfoAnalysis analysis(getOperation());
    getOperation().walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        Type element = getElementTypeOrSelf(result.getType());
        if (!isa<IntegerType, IndexType, hk::PointerType>(element))
          continue;
        std::string text;
        llvm::raw_string_ostream stream(text);
        analysis.get(result).print(stream);
        emitRemark(op->getLoc()) << text;
      }
      if (auto load = dyn_cast<hk::LoadOp>(op))
        remarkAccess(analysis, op, load.getPtr(), load.getMask());
      if (auto store = dyn_cast<hk::StoreOp>(op))
        remarkAccess(analysis, op, store.getPtr(), store.getMask());
    });
  }

private:
  static void remarkAccess(const AxisInfoAnalysis &analysis, Operation *op, Value pointers, Value mask) {
    auto pointer = cast<hk::PointerType>(getElementTypeOrSelf(pointers.getType()));
    AxisInfo maskInfo = mask ? analysis.get(mask) : AxisInfo();
    AccessShape shape = chooseAccess(analysis.get(pointers), mask ? &maskInfo : nullptr,
                                     pointer.getPointee().getIntOrFloatBitWidth(), kMaxAccessBits);
    emitRemark(op->getLoc()) << shape.width << " elements along dimension " << shape.dim;
  }
};

} // namespace

} // namespace hocket
