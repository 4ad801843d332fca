//===- WarpPipelineBarriers.cpp - Creates the barriers of warp pipelines for each vendor -===//
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

namespace {
/// The low group runs ahead, the high group lags.
enum class WarpGroup : uint8_t { Low, High };
} // namespace

/// Creates the barriers, one per stage of lag, at which only `group` waits.
static void createGroupBarriers(OpBuilder &builder, Location loc, const WarpPipeline &pipeline, WarpGroup group) {
  if (pipeline.namedBarrier) {
    for (unsigned i = 0; i < pipeline.lag; ++i)
      hk_nv::SlotBarrierOp::create(builder, loc, *pipeline.namedBarrier,
                                   builder.getI32IntegerAttr(group == WarpGroup::High));
    return;
  }
  Value own = hk_amd::WarpGroupOp::create(builder, loc);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
  auto predicate = group == WarpGroup::High ? arith::CmpIPredicate::ne : arith::CmpIPredicate::eq;
  Value stops = arith::CmpIOp::create(builder, loc, predicate, own, zero);
  for (unsigned i = 0; i < pipeline.lag; ++i)
    hk_amd::CondBarrierOp::create(builder, loc, stops);
}

void createGroupsPart(OpBuilder &builder, Location loc, const WarpPipeline &pipeline) {
  if (pipeline.takesTurns())
    hk_nv::EndTurnOp::create(builder, loc, *pipeline.namedBarrier, builder.getI32IntegerAttr(1));
  else
    createGroupBarriers(builder, loc, pipeline, WarpGroup::High);
}

void createGroupsMeet(OpBuilder &builder, Location loc, const WarpPipeline &pipeline) {
  if (pipeline.takesTurns())
    hk_nv::BeginTurnOp::create(builder, loc, *pipeline.namedBarrier, builder.getI32IntegerAttr(0));
  else
    createGroupBarriers(builder, loc, pipeline, WarpGroup::Low);
}

void createBeginTurn(OpBuilder &builder, Location loc, const WarpPipeline &pipeline) {
  hk_nv::BeginTurnOp::create(builder, loc, *pipeline.namedBarrier, IntegerAttr());
}

void createEndTurn(OpBuilder &builder, Location loc, const WarpPipeline &pipeline) {
  hk_nv::EndTurnOp::create(builder, loc, *pipeline.namedBarrier, IntegerAttr());
}

void createPriority(OpBuilder &builder, Location loc, const WarpPipeline &pipeline, int priority) {
  if (!pipeline.namedBarrier)
    hk_amd::SetPriorityOp::create(builder, loc, priority);
}

} // namespace hocket
