//===- BankConflicts.h - Counts bank conflicts of shared memory accesses ----------===//
//
// SharedBanks.h defines banks, phases and wavefronts. Two lanes of a phase conflict if they access different words of
// one bank; a word that both lanes access is broadcast. Example with a phase of four lanes, on four banks:
//
//     words accessed   0 1 2 3   one wavefront                    0 0 0 1   one: two different words, in two banks
//                      0 4 1 2   two: 0 and 4 are in bank 0       0 4 8 12  four
//
// The count uses every address that the lowered access computes, including padding. VectorAccess.h determines which
// registers one access loads or stores. Without padding, all warps have the same count: the warp index contributes one
// XOR term to all offsets of the warp, and this term only permutes the banks. With padding, the counts of different
// warps may differ. The start address of the buffer does not change the count, because adding a multiple of 16 bytes to
// all addresses only rotates the banks.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_BANKCONFLICTS_H
#define HOCKET_LAYOUT_BANKCONFLICTS_H

#include "layout/Factories.h"
#include "layout/LinearLayout.h"
#include "layout/SharedBanks.h"

#include <vector>

namespace hocket {

/// Numbers of wavefronts of a set of shared memory accesses: `actual` with bank conflicts, `ideal` without bank
/// conflicts.
struct Wavefronts {
  int64_t actual = 0;
  int64_t ideal = 0;

  int64_t extra() const { return actual - ideal; }
  Wavefronts &operator+=(const Wavefronts &other) {
    actual += other.actual;
    ideal += other.ideal;
    return *this;
  }
  bool operator==(const Wavefronts &) const = default;
};

/// A tile in shared memory, and the layout in which the lanes of a block access the tile.
struct SharedTileAccess {
  /// Maps (register, lane, warp, ...) to the offset of the element in shared memory. Offsets are in elements and do not
  /// include padding.
  LinearLayout toOffset;
  int32_t elementBits = 32;
  std::vector<Padding> paddings = {};
  /// Mask of the bits that can be set in the start offset of a view of the buffer. Conflicts are counted for the view
  /// that starts at offset 0.
  int32_t startBits = 0;
};

/// A phase of one access: lanes that the hardware serves together (SharedBanks.h).
struct Phase {
  /// `reg` is the first register that the lanes load or store. `bytes` is the number of bytes that each lane accesses.
  int32_t reg = 0, bytes = 0;
  int32_t banks = 0;
  std::vector<int32_t> lanes;
  /// Byte address that each of `lanes` accesses, relative to the start of the buffer.
  std::vector<int64_t> addresses;
  Wavefronts wavefronts;
};

/// Returns the phases of all accesses with which warp `warp` loads or stores all of its registers once.
std::vector<Phase> phasesOf(const SharedTileAccess &tile, int32_t warp, SharedAccess access, const SharedBanks &banks);

/// Returns, for each warp, the number of wavefronts in which the warp loads or stores all of its registers once.
std::vector<Wavefronts> countWavefronts(const SharedTileAccess &tile, SharedAccess access, const SharedBanks &banks);

/// Returns the sum of the wavefronts of all warps.
Wavefronts sumOf(const std::vector<Wavefronts> &warps);

} // namespace hocket

#endif
