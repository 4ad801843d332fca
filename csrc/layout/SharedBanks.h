//===- SharedBanks.h - Banks and phases of shared memory --------------------------===//
//
// Shared memory consists of banks that are 4 bytes wide: word w is in bank w % banks. The hardware serves the lanes of
// a warp in groups, called *phases*. In one *wavefront* of a phase, every bank delivers one word to all lanes that
// access this word. The number of wavefronts of a phase is the largest number of different words that one bank must
// deliver.
//
// The lanes of a phase together access the number of bytes that all banks deliver at once. The number of lanes of a
// phase therefore depends on the width of an access and, on some targets, on the kind of access (load or store). On all
// known targets, phases are cosets of a subspace of lane numbers: lanes i and j share a phase if i ^ j is an XOR of
// some of the numbers in braces:
//
//     {1, 2, 4}         0..7, 8..15, 16..23, ...                                   consecutive lanes
//     {1, 2, 4 ^ 16}    0..3 with 20..23, 4..7 with 16..19, 8..11 with 28..31, ... ds_read_b128 of gfx942
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_SHAREDBANKS_H
#define HOCKET_LAYOUT_SHAREDBANKS_H

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

namespace hocket {

/// Kind of a shared memory access. A transposed load (ds_read_b64_tr_b16) gives each lane elements from the addresses
/// of other lanes. Bank conflicts depend on the addresses only.
enum class SharedAccess : uint8_t { Load, Store, TransposedLoad };
inline constexpr unsigned kSharedAccessKinds = 3;

/// The phases of accesses of one kind and one width.
struct LanePhases {
  /// Number of banks, each 4 bytes wide.
  int32_t banks = 0;
  /// Lanes i and j share a phase if i ^ j is an XOR of numbers in this array. The numbers are linearly independent over
  /// F2; unused entries are 0.
  std::array<uint8_t, 6> together{};

  /// Returns log2 of the number of lanes of a phase.
  unsigned lanesLog2() const {
    return unsigned(std::ranges::count_if(together, [](uint8_t lane) { return lane != 0; }));
  }
  bool operator==(const LanePhases &) const = default;

  /// Returns phases of consecutive lanes. If each lane of a phase accesses `bytes` bytes, the phase accesses all banks.
  /// A phase has at most `maxLanes` lanes.
  static constexpr LanePhases consecutive(int32_t banks, int32_t bytes, int32_t maxLanes = 64) {
    LanePhases phases{banks, {}};
    int32_t lanes = std::clamp(banks * 4 / std::max(bytes, 4), 1, maxLanes);
    for (unsigned bit = 0; int32_t(1) << (bit + 1) <= lanes; ++bit)
      phases.together[bit] = uint8_t(1u << bit);
    return phases;
  }
};

/// The phases for each access width: 1, 2, 4, 8 and 16 bytes.
using PhasesByWidth = std::array<LanePhases, 5>;

/// Properties of the shared memory of a target: banks, phases and kinds of access.
struct SharedBanks {
  /// Width in bits of the widest access of one lane.
  int32_t maxAccessBits = 128;
  std::array<PhasesByWidth, kSharedAccessKinds> phases;
  /// True if the compiler uses transposed reads for loads whenever the layout allows transposed reads
  /// (TransposedRead.h).
  bool transposesLoads = false;
  /// True if the compiler uses ldmatrix for loads, or stmatrix for stores, whenever the layout allows these
  /// instructions (MatrixAccess.h).
  bool loadsMatrices = false, storesMatrices = false;

  /// Returns the phases of accesses of the kind `access`, in which each lane accesses `bytes` bytes. `bytes` is a power
  /// of two, at most 16.
  const LanePhases &phasesOf(SharedAccess access, int32_t bytes) const {
    assert(bytes >= 1 && bytes <= 16 && std::has_single_bit(uint32_t(bytes)));
    return phases[size_t(access)][size_t(std::countr_zero(uint32_t(bytes)))];
  }

  /// Returns the banks of a target on which all phases consist of consecutive lanes.
  static constexpr SharedBanks consecutive(int32_t banks, int32_t maxAccessBits = 128, int32_t maxLanes = 64) {
    SharedBanks result{maxAccessBits, {}};
    for (PhasesByWidth &byWidth : result.phases)
      for (int32_t width = 0; width < int32_t(byWidth.size()); ++width)
        byWidth[size_t(width)] = LanePhases::consecutive(banks, 1 << width, maxLanes);
    return result;
  }
};

} // namespace hocket

#endif
