//===- GridControl.cpp - Lowers programmatic dependent launch -------------------------------===//
//
//   hk_nv.wait_for_grids      griddepcontrol.wait
//   hk_nv.launch_dependents   griddepcontrol.launch_dependents
//
// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions: griddepcontrol".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

template <typename OpT, NVVM::GridDepActionKind kind>
struct GridControlLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;

  LogicalResult matchAndRewrite(OpT op, typename LoweringPattern<OpT>::OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::GriddepcontrolOp>(op, kind);
    return success();
  }
};

} // namespace

void populateGridControlPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<GridControlLowering<hk_nv::WaitForGridsOp, NVVM::GridDepActionKind::wait>,
               GridControlLowering<hk_nv::LaunchDependentsOp, NVVM::GridDepActionKind::launch_dependents>>(lowering);
}

} // namespace hocket
