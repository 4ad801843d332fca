//===- Decode.h - The memory of a profiled launch becomes records ------------------------===//
//
//   words of 32 bits  --checkProfile-->  how many records at most  --decodeProfile-->  Record, Record, ..
//
// Records come by block and unit, and in the order in which the unit wrote them, whatever a ring has overwritten. Their
// clocks have 64 bits: those of a unit never decrease, so the bits that were not stored follow from the record before
// (forwards from the start of the block) or after (backwards from its end, where a ring has lost the first ones).
//
// The length of a cycle is measured: every block reads the steady clock and the cycle counter at its start and its end.
// The steady clock has steps (32 ns on Hopper), so a block that is too short for them counts with all others of the
// launch, and where these are too short too, with what the device says of its frequency.
//
// What a kernel did not write is an error that names the block and the word, never undefined behaviour.
//
//===------------------------------------------------------------------------------------===//
#ifndef HOCKET_PROFILER_DECODE_H
#define HOCKET_PROFILER_DECODE_H

#include "profiler/Layout.h"
#include "profiler/RawArray.h"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hocket::profiler {

/// A profile that no kernel has written.
class CorruptProfile : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is known about a launch besides the bytes.
struct ProfileFacts {
  uint64_t blocks = 0;
  uint32_t units = 0;        ///< of one block
  uint32_t bytesPerUnit = 0; ///< a power of two, at least 16
  uint32_t sites = 0;        ///< their numbers are below
  /// The warp of each unit.
  std::vector<uint32_t> warps;
  double steadyNsPerTick = 1;
  double cyclesPerNs = 0; ///< as the device says; 0 if it does not
  uint32_t launch = 0;    ///< its number, for the records
};

struct Record {
  int64_t cycle; ///< of the block's counter
  double ns;     ///< since `DecodedProfile::steadyOrigin`
  uint32_t launch, cta, payload;
  uint16_t unit, warp, site;
  RecordKind kind;
  uint8_t padding;
};
static_assert(sizeof(Record) == 40);

/// Where the length of a cycle comes from, best first.
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
  uint64_t missingBlocks = 0; ///< that never began, or did not come to their end
  uint64_t steadyOrigin = 0;  ///< the steady clock at the start of the first block
};

/// Throws CorruptProfile.
DecodedProfile decodeProfile(std::span<const std::byte> bytes, const ProfileFacts &facts);

} // namespace hocket::profiler

#endif
