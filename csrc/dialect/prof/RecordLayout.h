//===- RecordLayout.h - Binary format of profiling records -------------------------===//
//
// Offsets and shifts of the format of support/ProfileFormat.h, for the lowering of records. This header does not depend
// on MLIR.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_PROF_RECORDLAYOUT_H
#define HOCKET_DIALECT_PROF_RECORDLAYOUT_H

#include "support/ProfileFormat.h"

#include <cstddef>
#include <cstdint>

namespace hocket::prof {

using profiler::BlockHeader, profiler::kMagic, profiler::kVersion;
using profiler::kClock44Flag, profiler::kKeepFirstFlag, profiler::kSharedFlag, profiler::kStaticFlag,
    profiler::kFlushFlag, profiler::kFirstIndexFlag;

// Offsets in bytes of the fields of a block's header.
inline constexpr int64_t kMagicOffset = offsetof(BlockHeader, magic), kCtaOffset = offsetof(BlockHeader, block);
inline constexpr int64_t kUnitsOffset = offsetof(BlockHeader, units);
inline constexpr int64_t kBeginOffset = offsetof(BlockHeader, steadyStart);
inline constexpr int64_t kEndOffset = offsetof(BlockHeader, steadyEnd);
inline constexpr int64_t kFlushedOffset = offsetof(BlockHeader, steadyFlushed);
inline constexpr int64_t kHeaderBytes = sizeof(BlockHeader);

inline constexpr int64_t kUnitBytes = sizeof(profiler::UnitState);
inline constexpr int64_t kRecordBytes = profiler::kRecordBytes;

// Bit positions of the fields in the first word of a record.
inline constexpr int kKindShift = 30, kSiteShift = 20;
inline constexpr int64_t kMaxSites = 1024;
inline constexpr int kWideClockBits = 12; ///< number of bits of a 44-bit clock that the first word holds

/// Width of a payload in bits, and its bit position in the first word of a record.
inline constexpr int payloadBits(int clockBits) { return clockBits == 32 ? 20 : 8; }
inline constexpr int payloadShift(int clockBits) { return clockBits == 32 ? 0 : kWideClockBits; }

/// In shared memory, after the records of all units, each warp has a dummy record of this size. Lanes that have nothing
/// to write store to this dummy record. A store is cheaper than a branch, and LLVM would duplicate the user's code
/// around the branch.
inline constexpr int64_t kSpareBytes = 2 * kRecordBytes;

/// Size in bytes of the shared memory that stages the records of a warp before they are moved to device memory: two
/// segments with one record for each lane, so that one load and one store of the warp move a segment.
inline constexpr int64_t stagingBytes(int warpSize) { return 2 * warpSize * kRecordBytes; }

inline constexpr int64_t recordsOffset(int64_t units) { return int64_t(profiler::recordsOffset(uint64_t(units))); }
inline constexpr int64_t bytesPerCta(int64_t units, int64_t bytesPerUnit) {
  return int64_t(profiler::blockBytes(uint64_t(units), uint64_t(bytesPerUnit)));
}

} // namespace hocket::prof

#endif
