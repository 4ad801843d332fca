//===- WarpPipelineBarriers.h - The barriers of warp pipelines, by vendor ----------===//
//
//                          AMD                                   NVIDIA
//   a slot                 hk_amd.raw_barrier: orders nothing    hk_nv.slot_barrier: orders all accesses
//   a slot, as a fence     hk.barrier local, or hk.barrier       the same
//   only one group stops   hk_amd.cond_barrier                   hk_nv.slot_barrier group = ..
//   priorities             hk_amd.set_priority                   have no effect
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEBARRIERS_H
#define HOCKET_TRANSFORMS_WARP_PIPELINE_WARPPIPELINEBARRIERS_H

#include "transforms/warp_pipeline/WarpPipelinePlan.h"

namespace hocket {

/// What a slot orders, if that is up to us.
enum class Fence : uint8_t { None, Shared, Global };

/// Low goes first, high lags.
enum class WarpGroup : uint8_t { Low, High };

/// A barrier that both groups pass. `finishesReads`: the warp waits once for what it has read, not at each use.
void createSlotBarrier(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline, Fence fence,
                       bool finishesReads);

/// `count` barriers at which only `group` stops.
void createGroupBarriers(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline, WarpGroup group,
                         unsigned count);

void createPriority(mlir::OpBuilder &builder, mlir::Location loc, const WarpPipeline &pipeline, int priority);

} // namespace hocket

#endif
