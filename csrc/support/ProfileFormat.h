//===- ProfileFormat.h - Memory layout of a profiled launch ----------------------------===//
//
// Format of docs/profiling_format.md:
//
//   block 0 | block 1 | ...         one for each block of the grid, each a multiple of 128 bytes long
//
//   header       64 bytes           BlockHeader
//   units        8 bytes each       UnitState: number of records that a warp wrote, and its hardware slot
//   records      capacity * 8 each  unit after unit, from a multiple of 16 bytes on
//
// A record is two words of 32 bits:
//
//   word 0       31..30 kind   29..20 site   19..12 payload   11..0 clock, bits 43..32
//   word 1       clock, bits 31..0
//
// With a 32-bit clock, the low 12 bits of word 0 belong to the payload. A record of kind `Wide` follows the record to
// which it belongs, and holds the payload of that record in word 1.
//
//===----------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_PROFILEFORMAT_H
#define HOCKET_SUPPORT_PROFILEFORMAT_H

#include <cstdint>

namespace hocket::profiler {

inline constexpr uint32_t kMagic = 0x46504B48; // "HKPF"

// Version and flags in BlockHeader::versionAndFlags.
inline constexpr uint32_t kVersion = 2, kVersionMask = 0xFF;
inline constexpr uint32_t kClock44Flag = 1 << 8, kKeepFirstFlag = 1 << 9, kSharedFlag = 1 << 10, kStaticFlag = 1 << 11,
                          kFlushFlag = 1 << 12;
/// Set if the first record of each unit has the index 1 instead of 0, so that more pairs of records begin at a multiple
/// of 16 bytes.
inline constexpr uint32_t kFirstIndexFlag = 1 << 13;

struct BlockHeader {
  uint32_t magic; ///< 0 if the block never began
  uint32_t versionAndFlags;
  uint32_t block;    ///< linear index of the block: x fastest, then y, then z
  uint32_t hardware; ///< ID of the SM or compute unit
  uint32_t units;
  uint32_t bytesPerUnit;
  // Times of warp 0. The steady clock, which all SMs or compute units share, and the cycle counter are read when the
  // warp begins and when the warp has finished its work. The steady clock is read again when the warp has written its
  // records to memory.
  uint64_t steadyStart, cyclesStart, steadyEnd, cyclesEnd, steadyFlushed;
};
static_assert(sizeof(BlockHeader) == 64);

struct UnitState {
  uint32_t written; ///< number of records, including dropped ones
  uint32_t slot;    ///< the hardware's identifier of the warp's slot
};
static_assert(sizeof(UnitState) == 8);

inline constexpr uint64_t kRecordBytes = 8, kBlockAlignment = 128;

/// Offset of the records of unit 0 in the memory of a block. One store can write two records, so the offset is a
/// multiple of the size of two records.
inline constexpr uint64_t recordsOffset(uint64_t units) {
  uint64_t bytes = sizeof(BlockHeader) + units * sizeof(UnitState);
  return (bytes + 2 * kRecordBytes - 1) / (2 * kRecordBytes) * (2 * kRecordBytes);
}

inline constexpr uint64_t blockBytes(uint64_t units, uint64_t bytesPerUnit) {
  uint64_t bytes = recordsOffset(units) + units * bytesPerUnit;
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

enum class RecordKind : uint8_t { Begin, End, Mark, Wide };

} // namespace hocket::profiler

#endif
