//===- LaneSwapsPlan.h - Shuffles that are swaps of registers between lanes -------===//
//
// Some GPUs exchange two registers between the lanes that differ in one bit of their index, in one instruction without
// a detour through memory (v_permlane32_swap_b32, v_permlane16_swap_b32):
//
//                      lane with the bit 0    lane with the bit 1
//     before               a0  b0                 a1  b1
//     after                a0  a1                 b0  b1
//
// which is the 2 x 2 transpose of ConvertLayoutPlan.h with its selects and its shuffle. Plans that consist of such
// transposes only, all over the same bit, become swaps.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_LANESWAPSPLAN_H
#define HOCKET_PLANS_LANESWAPSPLAN_H

#include "plans/ConvertLayoutPlan.h"

namespace hocket {

struct LaneSwaps {
  /// The lanes that meet differ in this bit.
  unsigned laneMask = 0;
  /// The words a and b of each swap.
  std::vector<std::pair<unsigned, unsigned>> swaps;
  /// Where a received word (after `ShuffleMoves::after`) comes from: the first or second result of a swap, or a word
  /// that stays.
  struct Source {
    std::optional<unsigned> swap;
    unsigned index = 0; ///< of the result, or of the word
  };
  std::vector<Source> received;
};

/// Nothing if the plan is more than swaps, or over a bit that the target cannot swap over.
std::optional<LaneSwaps> tryLaneSwaps(const ShuffleMoves &moves, const TargetInfo &target);

} // namespace hocket

#endif
