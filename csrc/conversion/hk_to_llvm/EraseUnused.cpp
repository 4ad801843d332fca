//===- EraseUnused.cpp - Operations without effect whose results nobody uses -----------===//
//
// Input:   lane form.
// Output:  the same, without operations whose only effect would be a result that nobody uses.
// Method:  one walk from the end, so that operands are looked at after their users. Values that go around a loop and
//          keep each other alive stay; LLVM removes them.
//
//===----------------------------------------------------------------------------------===//
#include "conversion/hk_to_llvm/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_ERASEUNUSED
#include "conversion/hk_to_llvm/Passes.h.inc"

namespace {

struct EraseUnused : impl::EraseUnusedBase<EraseUnused> {
  void runOnOperation() override {
    bool hasErased = false;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      for (Block &block : llvm::reverse(function.getBody()))
        for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
          if (isOpTriviallyDead(&op)) {
            op.erase();
            hasErased = true;
          }
    if (!hasErased)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace hocket
