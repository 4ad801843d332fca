//===- AmdMemory.h - How CDNA reaches memory: descriptors, cache policies, copies ----===//
//
// "AMD Instinct MI300" (CDNA3) and "MI350" (CDNA4) ISA guides, chapter "Vector memory operations".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_AMDMEMORY_H
#define HOCKET_TARGET_AMDMEMORY_H

#include <cstdint>
#include <span>

namespace hocket {

struct AmdMemory {
  /// Last word of the descriptor of a buffer of bytes: 32-bit data format, no swizzle, bounds in bytes.
  uint32_t bufferFlags;
  /// Bits of an access's cache policy. The two scope bits say how far a load must look, and a store must get, past
  /// caches that others do not see: 0 this wave, both the whole system.
  uint32_t scope0, scope1, nonTemporal;
  /// Bytes of each lane that one copy from global memory into shared memory moves, rising.
  std::span<const int> directToSharedBytes;
  /// Buffer atomics add pairs of bf16.
  bool hasBufferPairAddBf16;
  /// Loads of shared memory that exchange rows and columns among 16 lanes.
  bool hasTransposedReads;
};

extern const AmdMemory kCdna3Memory, kCdna4Memory;

} // namespace hocket

#endif
