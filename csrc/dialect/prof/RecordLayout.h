//===- RecordLayout.h - Binary format of profiling records -------------------------===//
//
// docs/profiling_format.md, as constants. Independent of MLIR.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_PROF_RECORDLAYOUT_H
#define HOCKET_DIALECT_PROF_RECORDLAYOUT_H

#include <cstdint>

namespace hocket::prof {

inline constexpr int64_t kVersion = 1;
inline constexpr uint32_t kMagic = 0x46504b48; // "HKPF"

// The header of a block: offsets in bytes.
inline constexpr int64_t kMagicOffset = 0, kCtaOffset = 8, kUnitsOffset = 16;
inline constexpr int64_t kBeginOffset = 24, kEndOffset = 40, kFlushedOffset = 56;
inline constexpr int64_t kHeaderBytes = 64;

// Flags beside the version.
inline constexpr uint32_t kWideClock = 1 << 8, kKeepsFirst = 1 << 9, kCollectsShared = 1 << 10, kIsStatic = 1 << 11;

inline constexpr int64_t kUnitBytes = 8;   ///< a unit's count and slot
inline constexpr int64_t kRecordBytes = 8; ///< one record
inline constexpr int64_t kBlockAlignment = 128;

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
  int64_t bytes = recordsOffset(units) + units * bytesPerUnit;
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

} // namespace hocket::prof

#endif
