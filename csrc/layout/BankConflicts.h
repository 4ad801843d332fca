//===- BankConflicts.h - Counts how often lanes wait for each other's banks -------===//
//
// See SharedBanks.h for banks, phases and wavefronts. Two lanes of a phase that want different words of one bank are in
// conflict; the same word is given to both at once. Lanes 0..3 of a phase of four, on four banks:
//
//     words wanted   0 1 2 3   one wavefront                    0 0 0 1   one: two different words, in two banks
//                    0 4 1 2   two: 0 and 4 lie in bank 0       0 4 8 12  four
//
// The count looks at every address that the lowered access computes: VectorAccess.h says which registers move together,
// padding is added to each offset. Where there is no padding, all warps have the same count: a warp adds one XOR to all
// its offsets, which maps banks one to one. With padding they may differ. So does nothing else: buffers start at a
// multiple of 16 bytes, and adding that to all addresses turns the row of banks.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_BANKCONFLICTS_H
#define HOCKET_LAYOUT_BANKCONFLICTS_H

#include "layout/Factories.h"
#include "layout/LinearLayout.h"
#include "layout/SharedBanks.h"

#include <vector>

namespace hocket {

/// Wavefronts taken, and how many the same accesses take without conflicts.
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

/// A tile in shared memory as the lanes of a block see it.
struct SharedPlace {
  /// (register, lane, warp, ..) -> offset in elements, without padding.
  LinearLayout toOffset;
  int32_t elementBits = 32;
  std::vector<Padding> paddings = {};
  /// Offset bits in which views of the buffer may start; this view starts at 0.
  int32_t startBits = 0;
};

/// Lanes that are served together, in one access of their registers.
struct Phase {
  /// The first register that the lanes move, and how many bytes each.
  int32_t reg = 0, bytes = 0;
  int32_t banks = 0;
  std::vector<int32_t> lanes;
  /// Byte of each lane, from the beginning of the buffer.
  std::vector<int64_t> addresses;
  Wavefronts wavefronts;
};

/// The phases in which one warp moves all its registers, once.
std::vector<Phase> phasesOf(const SharedPlace &place, int32_t warp, SharedAccess access, const SharedBanks &banks);

/// One entry per warp: the wavefronts in which it moves all its registers, once.
std::vector<Wavefronts> countWavefronts(const SharedPlace &place, SharedAccess access, const SharedBanks &banks);

/// All warps together.
Wavefronts sumOf(const std::vector<Wavefronts> &warps);

} // namespace hocket

#endif
