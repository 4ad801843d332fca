//===- LaneSwapsPlan.h - Shuffles as register swaps between lanes (v_permlane_swap) -===//
//
// Some GPUs have a VALU instruction that exchanges two registers between the lanes whose indices differ in one bit
// (v_permlane32_swap_b32, v_permlane16_swap_b32):
//
//                      lane with the bit 0    lane with the bit 1
//     before               a0  b0                 a1  b1
//     after                a0  a1                 b0  b1
//
// One swap replaces the selects and the shuffle of the 2 x 2 transpose in ConvertLayoutPlan.h. A plan is implemented by
// swaps if it consists only of transposes over the same lane bit.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_LANESWAPSPLAN_H
#define HOCKET_PLANS_LANESWAPSPLAN_H

#include "plans/ConvertLayoutPlan.h"

namespace hocket {

struct LaneSwaps {
  /// Mask of the bit in which the indices of two lanes that exchange words differ.
  unsigned laneMask = 0;
  /// The words a and b of each swap.
  std::vector<std::pair<unsigned, unsigned>> swaps;
  /// Origin of a received word (after `ShuffleMoves::after`): the first or second result of a swap, or a word that no
  /// swap changes.
  struct Source {
    std::optional<unsigned> swap;
    unsigned index = 0; ///< index of the result, or of the word
  };
  std::vector<Source> received;
};

/// Returns nullopt unless the plan consists of swaps over a bit that the target supports.
std::optional<LaneSwaps> tryLaneSwaps(const ShuffleMoves &moves, const TargetInfo &target);

} // namespace hocket

#endif
