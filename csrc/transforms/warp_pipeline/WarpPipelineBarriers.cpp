//===- WarpPipelineBarriers.cpp - The barriers of warp pipelines, by vendor --------===//
#include "transforms/warp_pipeline/WarpPipelineBarriers.h"

#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"

using namespace mlir;

namespace hocket {

void createSlotBarrier(OpBuilder &builder, Location loc, const WarpPipeline &pipeline, Fence fence,
                       bool finishesReads) {
  if (pipeline.namedBarrier)
    hk_nv::SlotBarrierOp::create(builder, loc, *pipeline.namedBarrier, IntegerAttr());
  else if (fence == Fence::None)
    hk_amd::RawBarrierOp::create(builder, loc, finishesReads);
  else
    hk::BarrierOp::create(builder, loc, /*local=*/fence == Fence::Shared);
}

void createGroupBarriers(OpBuilder &builder, Location loc, const WarpPipeline &pipeline, WarpGroup group,
                         unsigned count) {
  if (pipeline.namedBarrier) {
    for (unsigned i = 0; i < count; ++i)
      hk_nv::SlotBarrierOp::create(builder, loc, *pipeline.namedBarrier,
                                   builder.getI32IntegerAttr(group == WarpGroup::High));
    return;
  }
  Value own = hk_amd::WarpGroupOp::create(builder, loc);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  auto predicate = group == WarpGroup::High ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
  Value stops = arith::CmpIOp::create(builder, loc, predicate, own, zero);
  for (unsigned i = 0; i < count; ++i)
    hk_amd::CondBarrierOp::create(builder, loc, stops);
}

void createPriority(OpBuilder &builder, Location loc, const WarpPipeline &pipeline, int priority) {
  if (!pipeline.namedBarrier)
    hk_amd::SetPriorityOp::create(builder, loc, priority);
}

} // namespace hocket
