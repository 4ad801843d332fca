//===- ConvertLoopsToBranches.cpp - Structured loops and conditions become branches ----===//
//
// Input:   hk with scf.
// Output:  the same with cf in place of scf.
// Method:  MLIR's patterns; a module without scf is left alone, which costs a walk.
//
//===----------------------------------------------------------------------------------===//
#include "conversion/hk_to_llvm/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CONVERTLOOPSTOBRANCHES
#include "conversion/hk_to_llvm/Passes.h.inc"

static bool isStructured(Operation *op) { return isa<scf::SCFDialect>(op->getDialect()); }

namespace {

struct ConvertLoopsToBranches : impl::ConvertLoopsToBranchesBase<ConvertLoopsToBranches> {
  void runOnOperation() override {
    auto interruptIfStructured = [](Operation *op) {
      return isStructured(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!getOperation().walk(interruptIfStructured).wasInterrupted())
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ExecuteRegionOp, scf::IndexSwitchOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace hocket
