//===- GatherPlan.h - Plans for gathers along an axis --------------------------------===//
//
// Result register r of lane l of warp w holds the element at some coordinates of the result. The gathered element is
// the operand's element at the same coordinates, except that its index i along the axis is known only at run time. If
// every warp holds all elements that its lanes can need, the position of the gathered element (a lane, and a register
// of this lane) is linear over F2 in (r, l, w, i). A shuffle reads the same register of every lane, but the needed
// register can differ between reading lanes. Therefore all candidate registers are shuffled, and each lane selects the
// one it needs. Example:
//
//     256 elements in #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1]>, gathered by a
//     tile of 32:       lane = i >> 1 & 31,  register = i & 1 | i >> 6 << 1,  2 + 2 + ... = 8 candidates
//
//   Local     the candidates are shuffled to the reading lane, unless all of them are in this lane already; the lane
//             then selects one of the candidates
//   Shared    the block writes the operand to scratch memory; after a barrier, each lane reads its elements
//
// A Local plan is used only if there are few candidates, because each candidate costs a shuffle, whereas a Shared plan
// reads any element by one access.
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
  /// `fromPlace` maps (register, lane, warp) of the result to (register, lane) of the operand. `fromIndex` maps (dim0),
  /// the index along the axis, to (register, lane) of the operand. The gathered element is in the register and lane
  /// that the XOR of both results gives.
  LinearLayout fromPlace, fromIndex;
  /// The candidate registers for result register r are fromPlace(r) ^ x, where x is the XOR of any subset of
  /// `generators`. Bit number selectors[k] is set in generators[k] and in no other generator.
  std::vector<unsigned> generators, selectors;
  /// True if every lane gathers only elements that the lane itself holds.
  bool staysInLane = false;

  size_t numCandidates() const { return size_t(1) << generators.size(); }
};

struct SharedGather {
  /// `storeOffset` maps (register, lane, warp, block) of the operand to an offset in scratch memory; `loadOffset` does
  /// so for the result, with index 0 along the axis. At run time, the gathered index, shifted left by axisShift, is
  /// added to the load offset.
  LinearLayout storeOffset, loadOffset;
  unsigned axisShift = 0;
  int64_t elements = 0;
};

using GatherPlan = std::variant<LocalGather, SharedGather>;

/// Plans a gather along `axis`. `src` and `result` map (register, lane, warp, block) to coordinates; the sizes of
/// operand and result differ only along `axis`. Returns nullopt if blocks of a cluster need elements of other blocks.
std::optional<GatherPlan> planGather(const LinearLayout &src, const LinearLayout &result, unsigned axis);

} // namespace hocket

#endif
