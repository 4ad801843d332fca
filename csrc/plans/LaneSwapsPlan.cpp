//===- LaneSwapsPlan.cpp - Shuffles as register swaps between lanes (v_permlane_swap) -===//
//
// Traces each received word back through `after`, its round and `before`. Lanes whose index has the bit 0 and lanes
// whose index has the bit 1 are traced separately.
//
//===------------------------------------------------------------------------------===//
#include "plans/LaneSwapsPlan.h"

#include "llvm/ADT/STLExtras.h"
#include <bit>

namespace hocket {

namespace {
/// Origin of a word: the lane itself or its exchange lane.
struct Sent {
  unsigned word;
  bool isFromPartner;
};
} // namespace

/// Returns the single lane bit on which the exchanges and selects depend; 0 if there is no such bit or there are
/// several.
static unsigned findLaneMask(const ShuffleMoves &moves) {
  unsigned mask = 0;
  for (const auto *selects : {&moves.before, &moves.after})
    for (const WordSelect &select : *selects) {
      if (select.warpMask)
        return 0;
      mask |= select.laneMask;
    }
  for (const ShuffleRound &round : moves.rounds)
    mask |= round.laneXor;
  return std::has_single_bit(mask) ? mask : 0;
}

static unsigned xorOf(const std::vector<WordSelect> &selects, bool isBitSet) {
  unsigned result = 0;
  for (const WordSelect &select : selects)
    result ^= isBitSet ? select.wordXor : 0;
  return result;
}

std::optional<LaneSwaps> tryLaneSwaps(const ShuffleMoves &moves, const TargetInfo &target) {
  unsigned mask = findLaneMask(moves);
  if (!(mask & target.laneSwapMasks) || !moves.isButterfly())
    return {};
  std::vector<const ShuffleRound *> roundOf(moves.rounds.size());
  for (const ShuffleRound &round : moves.rounds)
    roundOf[round.receiveWord] = &round;

  auto follow = [&](unsigned word, bool isBitSet) {
    const ShuffleRound &round = *roundOf[word ^ xorOf(moves.after, isBitSet)];
    bool isFromPartner = round.laneXor != 0;
    return Sent{round.sendWord ^ xorOf(moves.before, isBitSet != isFromPartner), isFromPartner};
  };
  LaneSwaps plan{mask, {}, {}};
  for (unsigned word = 0; word < moves.rounds.size(); ++word) {
    Sent inFirst = follow(word, false), inSecond = follow(word, true);
    if (!inFirst.isFromPartner && !inSecond.isFromPartner && inFirst.word == inSecond.word) {
      plan.received.push_back({{}, inFirst.word});
      continue;
    }
    // Lanes with the bit 0 receive their own a as first result and the partner's a as second; lanes with the bit 1
    // receive the partner's b and their own b.
    if (inFirst.isFromPartner == inSecond.isFromPartner)
      return {};
    std::pair swap(inFirst.word, inSecond.word);
    auto known = llvm::find(plan.swaps, swap);
    unsigned index = known - plan.swaps.begin();
    if (known == plan.swaps.end())
      plan.swaps.push_back(swap);
    plan.received.push_back({index, inFirst.isFromPartner ? 1u : 0u});
  }
  return plan;
}

} // namespace hocket
