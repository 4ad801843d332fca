//===- GatherPlan.h - How elements are taken from a tile by their index --------------===//
//
// Result register r of lane l of warp w holds the element at some coordinates, whose index along the axis is known only
// at run time: i. It wants the operand's element at the same coordinates but for i. If every warp holds all that its
// lanes may want, the place of that element in the warp is linear in (r, l, w, i): the lane to ask, and the register
// that it has to give. Registers depend on the lane that asks, so all that may be meant are fetched, and the right one
// is selected:
//
//     256 elements in #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1]>, asked for by a
//     tile of 32:       lane = i >> 1 & 31,  register = i & 1 | i >> 6 << 1,  2 + 2 + .. = 8 candidates
//
//   Local     the candidates are fetched from their lane, or are there where all stay in one lane, and selected
//   Shared    the block writes the operand to scratch, waits, and each lane reads what it wants
//
// Local is for few candidates: each is a shuffle, where a read of shared memory is one access whatever the index.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_GATHERPLAN_H
#define HOCKET_PLANS_GATHERPLAN_H

#include "layout/LinearLayout.h"
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace hocket {

struct LocalGather {
  /// (register, lane, warp) of the result -> register and lane of the operand; (dim0) the index -> the same. The place
  /// is the XOR of both.
  LinearLayout fromPlace, fromIndex;
  /// Values of the operand's register that are added, by XOR, to what result register r contributes: all XORs of these
  /// generators, which have each a bit of its own, `selectors[k]`, that no other has.
  std::vector<unsigned> generators, selectors;
  /// The lane that is asked is always the one that asks.
  bool staysInLane = false;

  size_t numCandidates() const { return size_t(1) << generators.size(); }
};

struct SharedGather {
  /// (register, lane, warp, block) of the operand and of the result -> offset; what the result wants is further by its
  /// index << axisShift.
  LinearLayout storeOffset, loadOffset;
  unsigned axisShift = 0;
  int64_t elements = 0;
};

using GatherPlan = std::variant<LocalGather, SharedGather>;

/// Both layouts map (register, lane, warp, block); their sizes differ along `axis` alone. Nothing if blocks of a
/// cluster want what other blocks hold.
std::optional<GatherPlan> planGather(const LinearLayout &src, const LinearLayout &result, unsigned axis);

} // namespace hocket

#endif
