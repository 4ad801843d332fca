//===- LaneSwapsPlan.h - Shuffles as register swaps between lanes (v_permlane_swap) -===//
//
// Some GPUs have a VALU instruction that exchanges two registers between the lanes whose indices differ in one bit
// (v_permlane32_swap_b32, v_permlane16_swap_b32):
//
//                      lane with the bit 0    lane with the bit 1
//     before               a0  b0                 a1  b1
//     after                a0  a1                 b0  b1
//
// One swap replaces the selects and the shuffle of the 2 x 2 transpose in ConvertLayoutPlan.h. A Shuffle plan is
// implemented by swaps if it consists only of 2 x 2 transposes over the same lane bit.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_LANESWAPSPLAN_H
#define HOCKET_PLANS_LANESWAPSPLAN_H

#include "plans/ConvertLayoutPlan.h"

namespace hocket {

struct LaneSwaps {
  /// Mask with one set bit: two lanes that exchange words differ only in this bit of the lane index.
  unsigned laneMask = 0;
  /// For each swap, the indices of the words a and b.
  std::vector<std::pair<unsigned, unsigned>> swaps;
  /// Origin of a result word, which includes the permutation `ShuffleMoves::after`. If `swap` is set, the word is the
  /// first or second result of this swap; otherwise, the word is an operand word that no swap changes.
  struct Source {
    std::optional<unsigned> swap;
    unsigned index = 0; ///< 0 or 1 for a result of `swap`; otherwise the index of the operand word
  };
  std::vector<Source> received;
};

/// Converts a shuffle plan to swaps. Returns nullopt unless the plan consists only of swaps between lanes that differ
/// in one bit, for which `target` has a swap instruction.
std::optional<LaneSwaps> tryLaneSwaps(const ShuffleMoves &moves, const TargetInfo &target);

} // namespace hocket

#endif
