//===- MemorySpaces.h - Memories in which a block allocates buffers -----------------===//
//
// Every memory descriptor is in a *memory space*. Shared memory is the default, which is not printed; other dialects
// define further spaces as attributes with the interface MemorySpace:
//
//     !hk.memdesc<64x32xf16, #shared>                  in shared memory (#hk.shared_space)
//     !hk.memdesc<64x32xf16, #shared in #toy.bank>     in another memory
//
// Buffers of different spaces never overlap. In each space the passes allocate buffers, and insert barriers of that
// space between conflicting accesses. Scratch memory (UsesScratch) is in shared memory. Where the workers of
// hk.warp_specialize start and end, all warps of the block wait for each other, which orders accesses of all memory
// spaces.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_MEMORYSPACES_H
#define HOCKET_DIALECT_HK_FACTS_MEMORYSPACES_H

#include "dialect/hk/facts/Fact.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hocket {
struct TargetInfo;
} // namespace hocket

namespace hocket::hk {

class BufferAttr;

/// The module attributes that record the allocations of a memory space.
struct AllocationAttrs {
  IntFact bytes;                ///< number of bytes that are allocated in the memory space
  IntFact alignment;            ///< alignment of the memory, if it exceeds the space's minimum alignment
  ListFact<BufferAttr> buffers; ///< list with one element for each allocation
};

} // namespace hocket::hk

#include "dialect/hk/facts/MemorySpaces.h.inc"

namespace hocket::hk {

/// True if `effect` is an effect on the memory to which its value, a handle, refers. An effect without a value must be
/// on shared memory.
bool isOnMemorySpace(const mlir::MemoryEffects::EffectInstance &effect);

} // namespace hocket::hk

#endif
