//===- BufferSlots.h - Expands buffers that a loop fills to ring buffers -------------===//
//
//     %tile = hk.local_alloc                     %ring = hk.local_alloc : () -> !hk.memdesc<2x...>
//     scf.for ... {                              scf.for ... iter_args(%slot = 0) {
//       hk.local_store %x, %tile           =>      %tile = hk.memdesc_index %ring[%slot]
//       hk.local_load %tile                        hk.local_store %x, %tile
//     }                                            hk.local_load %tile
//                                                  scf.yield (%slot + 1) % 2
//                                                }
//
// Applies only to buffers that are private to the loop: not used elsewhere, and filled by each iteration before it
// reads them. The contents at the end of an iteration are then dead. A ring buffer of which each iteration uses one
// slot is such a buffer, too: whichever slot the program selects, slots by iteration number are equivalent.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_BUFFERSLOTS_H
#define HOCKET_TRANSFORMS_PREFETCH_BUFFERSLOTS_H

#include "transforms/prefetch/PipelinePlan.h"

namespace hocket::prefetch {

/// The buffers that `plan` fills.
using Buffers = llvm::SmallVector<hk::LocalAllocOp, 2>;

/// Returns the buffers that `plan` fills, if each can become a ring buffer.
std::variant<Buffers, Refusal> findOwnBuffers(const PipelinePlan &plan);

/// Bytes of all buffers in one memory space: an upper bound of the allocation.
struct SpaceBytes {
  hk::MemorySpace space;
  int64_t bytes = 0, capacity = 0;
};
/// Returns the bytes of the kernel's buffers with `numSlots` slots for `buffers`, in each space that holds one of these.
llvm::SmallVector<SpaceBytes, 1> bytesWithSlots(const Buffers &buffers, int64_t numSlots);

/// Replaces the loop by one that uses the slots cyclically.
mlir::scf::ForOp giveSlots(mlir::scf::ForOp loop, const Buffers &buffers, int64_t numSlots);

} // namespace hocket::prefetch

#endif
