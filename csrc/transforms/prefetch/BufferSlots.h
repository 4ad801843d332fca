//===- BufferSlots.h - Give the buffers that a loop fills a slot per iteration -------===//
//
//     %tile = hk.local_alloc                     %ring = hk.local_alloc : () -> !hk.memdesc<2x..>
//     scf.for .. {                               scf.for .. iter_args(%slot = 0) {
//       hk.local_store %x, %tile           =>      %tile = hk.memdesc_index %ring[%slot]
//       hk.local_load %tile                        hk.local_store %x, %tile
//     }                                            hk.local_load %tile
//                                                  scf.yield (%slot + 1) % 2
//                                                }
//
// Only for buffers that are the loop's own: used nowhere else, and filled by each iteration before it reads them. What
// an iteration leaves behind then matters to nobody. A ring that an iteration uses one slot of is such a buffer too:
// whichever slot the program chooses, the iteration numbers serve as well.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_BUFFERSLOTS_H
#define HOCKET_TRANSFORMS_PREFETCH_BUFFERSLOTS_H

#include "transforms/prefetch/PipelinePlan.h"

namespace hocket::prefetch {

/// Buffers that `plan` fills.
using Buffers = llvm::SmallVector<hk::LocalAllocOp, 2>;

/// The buffers that `plan` fills if each can be given slots.
std::variant<Buffers, Refusal> findOwnBuffers(const PipelinePlan &plan);

/// Bytes of all buffers of the kernel, once these have `numSlots` slots: no less than will be allocated for buffers.
int64_t bytesWithSlots(const Buffers &buffers, int64_t numSlots);

/// Replaces the loop by one that uses the slots in turn.
mlir::scf::ForOp giveSlots(mlir::scf::ForOp loop, const Buffers &buffers, int64_t numSlots);

} // namespace hocket::prefetch

#endif
