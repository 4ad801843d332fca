//===- CheckMissingWarps.cpp - Rejects operations that need values of warps that do not exist ---===//
//
// In a kernel with 12 warps, the layouts of tensors have 16 warps. The elements that only warps 12 to 15 hold do not
// exist: no warp loads, computes or stores these elements. An operation that passes values between warps must therefore
// not need them. Values that pass within a group of four consecutive warps come from warps that exist.
//
// Not done: exchanges between groups that only need elements of existing warps; scans, histograms and tensors of old
//          values of atomics within groups.
//
//===----------------------------------------------------------------------------------------===//
#include "analysis/warp_pipeline/WarpExchange.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "layout/LayoutWarps.h"
#include "transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CHECKMISSINGWARPS
#include "transforms/Passes.h.inc"

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// True if all values that `op` passes between warps stay within groups of four warps.
static bool staysInGroups(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](hk::ConvertLayoutOp convert) {
        return findExchange(typeOf(convert.getSrc()), typeOf(convert.getResult())) != Exchange::BetweenGroups;
      })
      .Case([](hk::GatherOp gather) {
        RankedTensorType src = typeOf(gather.getSrc());
        unsigned axis = gather.getAxis();
        return findExchange(src, withWholeAxis(typeOf(gather.getIndex()), axis, src.getShape()[axis])) !=
               Exchange::BetweenGroups;
      })
      .Case([](hk::ReduceOp reduce) {
        RankedTensorType src = typeOf(reduce.getSrcs().front());
        unsigned axis = reduce.getAxis();
        return findExchange(src, withWholeAxis(src, axis, src.getShape()[axis])) != Exchange::BetweenGroups;
      })
      .Case([](hk::AtomicAccess atomic) { return !isa<RankedTensorType>(atomic->getResult(0).getType()); })
      .Default(false);
}

static LogicalResult checkOperation(Operation *op, int numWarps) {
  if (hk::getScratchBytes(op) == 0 || staysInGroups(op))
    return success();
  InFlightDiagnostic error = op->emitError();
  error << "this " << hk::nounOf(op) << " would need elements of warps " << numWarps << " to "
        << layoutWarps(numWarps) - 1 << ", which do not exist in a kernel with num_warps=" << numWarps;
  error.attachNote()
      << "hint: choose layouts with which values pass only within groups of four warps, or launch with 8 "
         "or 16 warps";
  return failure();
}

namespace {
struct CheckMissingWarps : impl::CheckMissingWarpsBase<CheckMissingWarps> {
  void runOnOperation() override {
    WalkResult walked = getOperation().walk([](Operation *op) {
      bool isChecked = op->getNumResults() > 0 && op->getParentOfType<FunctionOpInterface>();
      int numWarps = isChecked ? hk::numWarpsAt(op) : 0;
      if (numWarps == 0 || numWarps == layoutWarps(numWarps))
        return WalkResult::advance();
      return WalkResult(checkOperation(op, numWarps));
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
