//===- WarpPipelineBarriers.h - Creates the barriers of warp pipelines for each vendor -===//
//
//                          AMD                                   NVIDIA
//   a slot                 hk_amd.raw_barrier: orders nothing    hk_nv.slot_barrier: orders all accesses
//   a slot, as a fence     hk.barrier local, or hk.barrier       hk_nv.slot_barrier
//   only one group waits   hk_amd.cond_barrier                   hk_nv.slot_barrier group = ...
//   an exclusive stage     -                                     hk_nv.begin_turn ... hk_nv.end_turn
//   priorities             hk_amd.set_priority                   have no effect
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEBARRIERS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEBARRIERS_H

#include "transforms/warp_pipeline/WarpPipelinePlan.h"

namespace hocket {

/// The accesses that the barrier of a slot must order, on vendors where barriers alone do not.
enum class Fence : uint8_t { None, Shared, Global };

/// Creates a barrier for both groups. `finishesReads`: the warp waits once for all its earlier reads, not at each use.
void createSlotBarrier(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline, Fence fence,
                       bool finishesReads);

/// Creates the barriers before a pipeline, after which the low group runs ahead.
void createGroupsPart(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);
/// Creates the barriers after a pipeline, at which the low group waits for the high one.
void createGroupsMeet(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);

/// Create the barriers before and after an exclusive stage, at which the groups ping-pong.
void createBeginTurn(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);
void createEndTurn(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline);

void createPriority(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline, int priority);

} // namespace hocket

#endif
