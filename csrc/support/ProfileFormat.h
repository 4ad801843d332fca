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
// With a 32-bit clock, the low 12 bits of word 0 belong to the payload. A record of kind `Wide` directly follows the
// record that it extends, and holds the payload of that record in word 1.
//
//===----------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_PROFILEFORMAT_H
#define HOCKET_SUPPORT_PROFILEFORMAT_H

#include <cstdint>

namespace hocket::profiler {

inline constexpr uint32_t kMagic = 0x46504B48; // "HKPF"

// Version number and flags that BlockHeader::versionAndFlags contains.
inline constexpr uint32_t kVersion = 2, kVersionMask = 0xFF;
inline constexpr uint32_t kClock44Flag = 1 << 8, kKeepFirstFlag = 1 << 9, kSharedFlag = 1 << 10, kStaticFlag = 1 << 11,
                          kFlushFlag = 1 << 12;
/// Flag that is set if the first record of each unit has the index 1 instead of 0, so that more pairs of records begin
/// at a multiple of 16 bytes.
inline constexpr uint32_t kFirstIndexFlag = 1 << 13;

struct BlockHeader {
  uint32_t magic; ///< kMagic; 0 if the block has not started
  uint32_t versionAndFlags;
  uint32_t block;    ///< linear index of the block: x fastest, then y, then z
  uint32_t hardware; ///< ID of the SM or compute unit
  uint32_t units;
  uint32_t bytesPerUnit;
  // Times that warp 0 of the block reads. At the start of its work and after its work, warp 0 reads the steady clock,
  // which all SMs or compute units share, and the cycle counter. When warp 0 has written its records to memory, it
  // reads the steady clock once more.
  uint64_t steadyStart, cyclesStart, steadyEnd, cyclesEnd, steadyFlushed;
};
static_assert(sizeof(BlockHeader) == 64);

struct UnitState {
  uint32_t written; ///< number of records of the warp, including dropped records
  uint32_t slot;    ///< hardware identifier of the warp slot in which the warp ran
};
static_assert(sizeof(UnitState) == 8);

inline constexpr uint64_t kRecordBytes = 8, kBlockAlignment = 128;

/// Byte offset of the records of unit 0 in the memory of a block. One store can write two records, so the offset is a
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
