//===- SchedulingOps.cpp - Lowers hk_amd.sched_group_barrier ---------------------------------===//
//
//   hk_amd.sched_group_barrier     rocdl.sched.group.barrier
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct SchedGroupBarrierLowering : LoweringPattern<hk_amd::SchedGroupBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::SchedGroupBarrierOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SchedGroupBarrier>(op, op.getKinds(), op.getSize(), op.getSync());
    return success();
  }
};

} // namespace

void populateSchedulingPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<SchedGroupBarrierLowering>(lowering);
}

} // namespace hocket
