//===- ConvertLayoutPlan.h - Plans for layout conversions -------------------------===//
//
// Result register r of lane l of warp w needs the element that the operand has in some register of some lane of some
// warp. The layouts of operand and result are linear over F2, so the operand's position of this element is a linear
// function of (r, l, w). There are three cases, cheapest first:
//
//   Registers   every value is already in its lane: result register r is operand register source[r]
//   Shuffle     every value is already in its warp: lanes exchange words, one per lane and round
//   Shared      the block writes the tile to scratch memory, waits, and reads it back
//
// If the tile is distributed over the blocks of a cluster, and a block needs values of another block, the conversion
// uses a plan of ClusterMovesPlan.h.
//
// A Shuffle plan moves words of at most 32 bits (narrow elements that move together share a word). In each round, every
// lane sends one word and receives one word. The index of the sent word and the index of the received word can depend
// on the lane: both indices are linear functions of the lane index over F2. A Shuffle plan has three steps. First, the
// words within each lane are permuted by an XOR that depends on the lane (`before`). In each round, all lanes then send
// the word with the same index. Finally, the words within each lane are permuted again (`after`). Example: a 2 x 2
// transpose of two lanes with two words each, in which result word r of lane l is word l of lane r:
//
//                     lane 0   lane 1
//     operand         a0 a1    b0 b1
//     before          a0 a1    b1 b0      word[x] = word[x ^ lane]
//     round 0         a0 .     b1 .       send word 0, lane reads lane
//     round 1         a0 b0    b1 a1      send word 1, lane reads lane ^ 1
//     after           a0 b0    a1 b1      word[x] = word[x ^ lane]
//
// An XOR by a lane-dependent amount costs one select per word and independent bit. The plan is Shared if the selects
// cost more than the exchange through shared memory, or if a lane would have to send two words in one round.
//
// A Shared plan moves a large tile in several repetitions, to limit the size of scratch memory. Barriers separate the
// repetitions. The index of a repetition consists of offset bits that depend on the register only.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_CONVERTLAYOUTPLAN_H
#define HOCKET_PLANS_CONVERTLAYOUTPLAN_H

#include "layout/LinearLayout.h"
#include "layout/VectorAccess.h"
#include "plans/ClusterMovesPlan.h"
#include "target/TargetInfo.h"
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace hocket {

/// source[r] is the operand register that is copied to result register r.
struct RegisterMoves {
  std::vector<unsigned> source;
};

/// word[x] = (popcount(lane & laneMask) + popcount(warp & warpMask) is odd) ? word[x ^ wordXor] : word[x], for all x.
struct WordSelect {
  unsigned wordXor = 0, laneMask = 0, warpMask = 0;
};

/// A round of a shuffle plan: every lane sends operand word `sendWord`, and receives result word `receiveWord` from
/// lane (exchange lane) ^ laneXor.
struct ShuffleRound {
  unsigned sendWord = 0, receiveWord = 0, laneXor = 0;
};

struct ShuffleMoves {
  /// words[x] lists the operand registers that are packed into word x, lowest bits first. All words have the same
  /// number of registers.
  std::vector<std::vector<unsigned>> words;
  std::vector<WordSelect> before, after;
  std::vector<ShuffleRound> rounds;
  /// The exchange lane of a lane is the XOR of laneColumns[i] over the set bits i of the lane index, and of
  /// warpColumns[i] over the set bits i of the warp index.
  std::vector<unsigned> laneColumns, warpColumns;
  /// Result register r is element resultPosition[r] of the received word resultWord[r].
  std::vector<unsigned> resultWord, resultPosition;

  /// True if the exchange lane of each lane is the lane itself. Each round is then an XOR shuffle or, if laneXor is 0,
  /// a move between registers of a lane.
  bool isButterfly() const;
  /// Returns the cost of the plan: the number of selects and shuffles per lane.
  unsigned cost() const;
};

struct SharedMoves {
  /// `storeOffset` maps (register, lane, warp) of the operand to an offset, and `loadOffset` does so for the result.
  /// The low bits of this offset are the address in scratch memory, in elements. The next log2(repetitions) bits are
  /// the index of the repetition that moves the element; they depend on the register only.
  LinearLayout storeOffset, loadOffset;
  /// The vector accesses by which each repetition stores and loads its elements.
  VectorAccess store, load;
  unsigned repetitions = 1;
  int64_t elementsPerRepetition = 0;
  int64_t scratchBytes = 0;
};

using ConvertLayoutPlan = std::variant<RegisterMoves, ShuffleMoves, SharedMoves, ClusterMoves>;

/// Returns the number of bytes of scratch memory that one conversion may use. A tile that needs more scratch memory is
/// moved in several repetitions, if the layouts allow repetitions. One conversion may use a quarter of shared memory,
/// which leaves room for the kernel's own buffers that are live at the same time.
int64_t maxScratchBytes(const TargetInfo &target);

/// Plans the conversion from `src` to `dst`, which map (register, lane, warp, block) onto the same tensor dimensions.
/// Returns nullopt if a block needs elements of another block, and planClusterMoves has no plan for these layouts.
std::optional<ConvertLayoutPlan> planConvertLayout(const LinearLayout &src, const LinearLayout &dst,
                                                   unsigned elementBits, const TargetInfo &target,
                                                   std::optional<int64_t> scratchLimit = {});

} // namespace hocket

#endif
