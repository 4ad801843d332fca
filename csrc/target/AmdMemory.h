//===- AmdMemory.h - Memory access on CDNA: descriptors, cache policies, copies ------===//
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
  /// Last 32-bit word of the buffer descriptor (V#) of a byte buffer: 32-bit data format, no swizzle, bounds in bytes.
  uint32_t bufferFlags;
  /// Bits in the cache policy of a memory access. `scope0` and `scope1` select the coherence scope: the executing wave
  /// if neither bit is set, the whole system if both bits are set. The coherence scope determines which caches a load
  /// or store must bypass.
  uint32_t scope0, scope1, nonTemporal;
  /// Sizes in bytes per lane of copies from global memory directly into LDS, ascending.
  std::span<const int> directToSharedBytes;
  /// True if the target has a buffer atomic that adds a packed pair of bf16.
  bool hasBufferPairAddBf16;
  /// True if the target has transposing LDS loads, which exchange rows and columns among 16 lanes.
  bool hasTransposedReads;
};

extern const AmdMemory kCdna3Memory, kCdna4Memory;

} // namespace hocket

#endif
