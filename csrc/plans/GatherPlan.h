//===- GatherPlan.h - Plans for gathers along an axis --------------------------------===//
//
// Result register r of lane l of warp w holds the element at some coordinates, whose index i along the axis is known
// only at run time. It needs the operand's element at the same coordinates except that the index is i. If every warp
// holds all elements that its lanes may need, the position of that element in the warp is linear in (r, l, w, i): the
// lane to read from, and the register of that lane. The register depends on the reading lane, so all candidate
// registers are shuffled, and the right one is selected:
//
//     256 elements in #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1]>, gathered by a
//     tile of 32:       lane = i >> 1 & 31,  register = i & 1 | i >> 6 << 1,  2 + 2 + ... = 8 candidates
//
//   Local     candidates are shuffled from their lane, or are already there if all stay in one lane, and selected
//   Shared    the block writes the operand to scratch, waits, and each lane reads its elements
//
// Local is for few candidates: each costs a shuffle, whereas shared memory is read by one access for any index.
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
  /// `fromPlace` maps (register, lane, warp) of the result, and `fromIndex` maps (dim0), the index, to register and
  /// lane of the operand. The source position is the XOR of both.
  LinearLayout fromPlace, fromIndex;
  /// Values of the operand's register that are XORed with the contribution of result register r: all XORs of these
  /// generators. Each generator has a bit, `selectors[k]`, that no other has.
  std::vector<unsigned> generators, selectors;
  /// True if every lane reads from itself only.
  bool staysInLane = false;

  size_t numCandidates() const { return size_t(1) << generators.size(); }
};

struct SharedGather {
  /// Maps (register, lane, warp, block) of the operand and of the result to an offset; the element that the result
  /// reads is further by its index << axisShift.
  LinearLayout storeOffset, loadOffset;
  unsigned axisShift = 0;
  int64_t elements = 0;
};

using GatherPlan = std::variant<LocalGather, SharedGather>;

/// Both layouts map (register, lane, warp, block); their sizes differ along `axis` alone. Returns nullopt if blocks of
/// a cluster need elements of other blocks.
std::optional<GatherPlan> planGather(const LinearLayout &src, const LinearLayout &result, unsigned axis);

} // namespace hocket

#endif
