//===- Decode.h - Decodes the memory of a profiled launch into records -------------------===//
//
//   bytes of the profiled launch  --decodeProfile-->  Record, Record, ...
//
// Each recorded warp has its own circular buffer, called a *unit*. Records are sorted by block and unit, and are in the
// order in which the warp wrote them, even if the circular buffer has wrapped. Decoded clocks have 64 bits; records
// store only the low bits. The clock of a warp never decreases, so the decoder can reconstruct the upper bits. The
// decoder counts forwards from the start of the block or, if the circular buffer has lost the first records, backwards
// from the end of the block.
//
// The length of a cycle is measured: every block reads the steady clock and the cycle counter at its start and its end.
// The steady clock has a coarse resolution (32 ns on Hopper). If a block is too short for this resolution, the cycle
// length is measured over all blocks of the launch. If the launch is too short as well, the cycle length is derived
// from the device's clock frequency.
//
// Memory contents that a kernel cannot have written never cause undefined behavior. The decoder reports an error that
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

/// Facts about a launch that its bytes do not contain.
struct ProfileFacts {
  uint64_t blocks = 0;
  uint32_t units = 0;        ///< number of units (circular buffers) per block
  uint32_t bytesPerUnit = 0; ///< a power of two, at least 16
  uint32_t sites = 0;        ///< number of sites; all site numbers are less
  /// Number of the warp that writes each unit (circular buffer).
  std::vector<uint32_t> warps;
  double steadyNsPerTick = 1;
  double cyclesPerNs = 0; ///< clock frequency as the device reports it; 0 if unknown
  uint32_t launch = 0;    ///< number of the launch, copied to the records
};

struct Record {
  int64_t cycle; ///< value of the block's cycle counter
  double ns;     ///< nanoseconds since `DecodedProfile::steadyOrigin`
  uint32_t launch, cta, payload;
  uint16_t unit, warp, site;
  RecordKind kind;
  uint8_t padding;
};
static_assert(sizeof(Record) == 40);

/// Source of the length of a cycle, the most accurate source first.
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
  uint64_t missingBlocks = 0; ///< blocks that never began, or did not end
  uint64_t steadyOrigin = 0;  ///< value of the steady clock at the start of the first block
};

/// Decodes the memory of a profiled launch. Throws CorruptProfile if no kernel can have written this memory.
DecodedProfile decodeProfile(std::span<const std::byte> bytes, const ProfileFacts &facts);

} // namespace hocket::profiler

#endif
