//===- Decode.h - Decodes the memory of a profiled launch into records -------------------===//
//
//   bytes of the profiled launch  --decodeProfile-->  Record, Record, ...
//
// Each recorded warp has its own circular buffer, called a *unit*. The decoded records are sorted by block and unit.
// The records of a unit are in the order in which the warp wrote them, even if the circular buffer has wrapped. Records
// store only the low bits of the clock. The clock of a warp never decreases, so the decoder can reconstruct all 64
// bits. The decoder counts forwards from the clock at the start of the block. If the circular buffer has lost the first
// records, the decoder counts backwards from the clock at the end of the block.
//
// The decoder measures the clock frequency: every block reads the steady clock and the cycle counter at its start and
// at its end. The steady clock has a coarse resolution (32 ns on Hopper). If a block is too short for this resolution,
// the frequency is measured over all blocks of the launch. If the launch is too short as well, the decoder uses the
// frequency that the device reports.
//
// The decoder checks the memory contents. If no kernel can have written the contents, the decoder reports an error that
// names the block, the unit and the record.
//
//===------------------------------------------------------------------------------------===//
#ifndef HOCKET_PROFILER_DECODE_H
#define HOCKET_PROFILER_DECODE_H

#include "profiler/RawArray.h"
#include "support/ProfileFormat.h"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hocket::profiler {

/// Thrown for data that no kernel can have written.
class CorruptProfile : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Facts about a profiled launch that the memory of the launch does not contain.
struct ProfileFacts {
  uint64_t blocks = 0;
  uint32_t units = 0;        ///< number of units (circular buffers) per block
  uint32_t bytesPerUnit = 0; ///< size of a unit in bytes; a power of two, at least 16
  uint32_t sites = 0;        ///< number of sites; the sites have the numbers 0 to `sites - 1`
  /// For each unit of a block: the number of the warp that writes the unit.
  std::vector<uint32_t> warps;
  double steadyNsPerTick = 1;
  double cyclesPerNs = 0; ///< clock frequency that the device reports; 0 if unknown
  uint32_t launch = 0;    ///< number of the launch, which the decoder copies to Record::launch
};

struct Record {
  int64_t cycle; ///< value of the cycle counter of the block's SM or compute unit
  double ns;     ///< time in nanoseconds since `DecodedProfile::steadyOrigin`
  uint32_t launch, cta, payload;
  uint16_t unit, warp, site;
  RecordKind kind;
  uint8_t padding;
};
static_assert(sizeof(Record) == 40);

/// Source of a block's clock frequency (cyclesPerNs), the most accurate source first.
enum class FrequencySource : uint8_t { Block, Launch, Device, Unknown };

struct DecodedBlock {
  uint32_t cta, hardware;
  BlockHeader header;
  double cyclesPerNs;
  FrequencySource source;
};

struct DecodedUnit {
  uint32_t cta;
  uint16_t unit, warp;
  uint32_t slot;
  uint64_t written, dropped;
};

struct DecodedProfile {
  RawArray<Record> records;
  size_t count = 0;
  std::vector<DecodedBlock> blocks;
  std::vector<DecodedUnit> units;
  uint64_t missingBlocks = 0; ///< number of blocks that have not begun, or have not ended
  uint64_t steadyOrigin = 0;  ///< value of the steady clock at the start of the first block
};

/// Decodes `bytes`, the memory to which a profiled launch has written. Throws CorruptProfile if no kernel can have
/// written these bytes.
DecodedProfile decodeProfile(std::span<const std::byte> bytes, const ProfileFacts &facts);

} // namespace hocket::profiler

#endif
