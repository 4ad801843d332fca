//===- WarpPipelineBarriers.h - The barriers of warp pipelines, by vendor ----------===//
//
//                          AMD                                   NVIDIA
//   a slot                 hk_amd.raw_barrier: orders nothing    hk_nv.slot_barrier: orders all accesses
//   a slot, as a fence     hk.barrier local, or hk.barrier       the same
//   only one group stops   hk_amd.cond_barrier                   hk_nv.slot_barrier group = ..
//   an exclusive stage     -                                     hk_nv.begin_turn .. hk_nv.end_turn
//   priorities             hk_amd.set_priority                   have no effect
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEBARRIERS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEBARRIERS_H

#include "transforms/warp_pipeline/WarpPipelinePlan.h"

namespace hocket {

/// What a slot orders, if that is up to us.
enum class Fence : uint8_t { None, Shared, Global };

/// A barrier that both groups pass. `finishesReads`: the warp waits once for what it has read, not at each use.
void createSlotBarrier(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline, Fence fence,
                       bool finishesReads);

/// Before a pipeline: low goes first.
void createGroupsPart(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);
/// After it: low waits for high.
void createGroupsMeet(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);

/// Where the groups take turns: before and after an exclusive stage.
void createBeginTurn(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);
void createEndTurn(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);

void createPriority(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline, int priority);

} // namespace hocket

#endif
