//===- RecordLayout.h - Binary format of profiling records -------------------------===//
//
// Offsets and shifts of support/ProfileFormat.h, for the lowering of records. Independent of MLIR.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_PROF_RECORDLAYOUT_H
#define HOCKET_DIALECT_PROF_RECORDLAYOUT_H

#include "support/ProfileFormat.h"

#include <cstddef>
#include <cstdint>

namespace hocket::prof {

using profiler::BlockHeader, profiler::kMagic, profiler::kVersion;
using profiler::kClock44Flag, profiler::kKeepFirstFlag, profiler::kSharedFlag, profiler::kStaticFlag;

// The header of a block: offsets in bytes.
inline constexpr int64_t kMagicOffset = offsetof(BlockHeader, magic), kCtaOffset = offsetof(BlockHeader, block);
inline constexpr int64_t kUnitsOffset = offsetof(BlockHeader, units);
inline constexpr int64_t kBeginOffset = offsetof(BlockHeader, steadyStart);
inline constexpr int64_t kEndOffset = offsetof(BlockHeader, steadyEnd);
inline constexpr int64_t kFlushedOffset = offsetof(BlockHeader, steadyFlushed);
inline constexpr int64_t kHeaderBytes = sizeof(BlockHeader);

inline constexpr int64_t kUnitBytes = sizeof(profiler::UnitState);
inline constexpr int64_t kRecordBytes = profiler::kRecordBytes;

// The first word of a record.
inline constexpr int kKindShift = 30, kSiteShift = 20;
inline constexpr int64_t kMaxSites = 1024;
inline constexpr int kWideClockBits = 12; ///< bits of a 44-bit clock in the first word

/// Width of a payload in bits, and its shift.
inline constexpr int payloadBits(int clockBits) { return clockBits == 32 ? 20 : 8; }
inline constexpr int payloadShift(int clockBits) { return clockBits == 32 ? 0 : kWideClockBits; }

/// In shared memory, after the records of all units, each warp has a dummy record of this size. Lanes that have nothing
/// to write store there, which is cheaper than a branch, around which LLVM would duplicate the user's code.
inline constexpr int64_t kSpareBytes = kRecordBytes;

inline constexpr int64_t recordsOffset(int64_t units) { return kHeaderBytes + kUnitBytes * units; }
inline constexpr int64_t bytesPerCta(int64_t units, int64_t bytesPerUnit) {
  return int64_t(profiler::blockBytes(uint64_t(units), uint64_t(bytesPerUnit)));
}

} // namespace hocket::prof

#endif
