//===- BufferSlots.h - Turns buffers of a loop into ring buffers ---------------------===//
//
//     %tile = hk.local_alloc                     %ring = hk.local_alloc : () -> !hk.memdesc<2x...>
//     scf.for ... {                              scf.for ... iter_args(%slot = 0) {
//       hk.local_store %x, %tile           =>      %tile = hk.memdesc_index %ring[%slot]
//       hk.local_load %tile                        hk.local_store %x, %tile
//     }                                            hk.local_load %tile
//                                                  scf.yield (%slot + 1) % 2
//                                                }
//
// Only buffers that are private to the loop become ring buffers. A private buffer is not used outside of the loop, and
// each iteration fills the buffer before reading it: the contents are dead at the end of an iteration. A buffer that is
// already a ring buffer can also be private if each iteration uses only one slot. The result of the loop then does not
// depend on the selected slots, so the pass can select slots by the iteration number.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_BUFFERSLOTS_H
#define HOCKET_TRANSFORMS_PREFETCH_BUFFERSLOTS_H

#include "transforms/prefetch/PipelinePlan.h"

namespace hocket::prefetch {

/// The buffers that `plan` fills.
using Buffers = llvm::SmallVector<hk::LocalAllocOp, 2>;

/// Returns the buffers that `plan` fills, or the reason why one of these buffers cannot become a ring buffer.
std::variant<Buffers, Refusal> findOwnBuffers(const PipelinePlan &plan);

/// The sum of the sizes of all buffers in one memory space, an upper bound of the allocated bytes.
struct SpaceBytes {
  hk::MemorySpace space;
  int64_t bytes = 0, capacity = 0;
};
/// Returns, for each memory space that holds one of `buffers`, the total bytes of the kernel's buffers in this space if
/// each of `buffers` gets `numSlots` slots.
llvm::SmallVector<SpaceBytes, 1> bytesWithSlots(const Buffers &buffers, int64_t numSlots);

/// Replaces `loop` by a loop in which each of `buffers` has `numSlots` slots; returns the new loop. Iterations use the
/// slots cyclically.
mlir::scf::ForOp giveSlots(mlir::scf::ForOp loop, const Buffers &buffers, int64_t numSlots);

} // namespace hocket::prefetch

#endif
