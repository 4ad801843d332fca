//===- EraseUnused.cpp - Erases operations that have no effect and no used result ----===//
//
// Input:   lane form.
// Output:  lane form without operations that have no effect and no used result.
// Method:  one walk from the end, which visits operations after their users. Loop-carried values that only use each
//          other are kept; LLVM removes such loop-carried values.
//
//===----------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_ERASEUNUSED
#include "conversion/hk_to_lane/passes/Passes.h.inc"

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
