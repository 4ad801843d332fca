//===- LaneSwapsPlan.cpp - Shuffles as register swaps between lanes (v_permlane_swap) -===//
//
// Traces each result word of a shuffle plan back through the permutation `after`, the word's round, and the permutation
// `before`. The trace is made once for lanes in whose index the exchanged bit is 0, and once for lanes in whose index
// it is 1.
//
//===------------------------------------------------------------------------------===//
#include "plans/LaneSwapsPlan.h"

#include "llvm/ADT/STLExtras.h"
#include <bit>

namespace hocket {

namespace {
/// Origin of a result word: word `word` of the lane itself, or of the lane with which it exchanges words.
struct Sent {
  unsigned word;
  bool isFromPartner;
};
} // namespace

/// Returns the mask of the single lane bit on which all exchanges and selects of `moves` depend. Returns 0 if they
/// depend on no bit, on several bits or on the warp.
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
    // Lanes whose bit is 0 receive their own word a as the first result of a swap, and their partner's word a as the
    // second result. Lanes whose bit is 1 receive their partner's word b as the first result, and their own word b as
    // the second result.
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
