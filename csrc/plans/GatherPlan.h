//===- GatherPlan.h - Plans for gathers along an axis --------------------------------===//
//
// Result register r of lane l of warp w belongs to coordinates of the result. The register needs the operand's element
// at the same coordinates, except for the index i along the axis, which is known only at run time. If every warp holds
// all elements that its lanes may need, the position of that element (the lane to read from, and the register of that
// lane) is linear in (r, l, w, i). The register depends on the reading lane, so all candidate registers are shuffled,
// and the right one is selected. Example:
//
//     256 elements in #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1]>, gathered by a
//     tile of 32:       lane = i >> 1 & 31,  register = i & 1 | i >> 6 << 1,  2 + 2 + ... = 8 candidates
//
//   Local     candidates are shuffled from their lane, or are already there if all stay in one lane, and selected
//   Shared    the block writes the operand to scratch, waits, and each lane reads its elements
//
// A Local plan requires few candidates, because each candidate costs a shuffle, whereas a Shared plan reads any index
// with one access.
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
  /// lane of the operand. The register and lane of the gathered element are the XOR of the results of both maps.
  LinearLayout fromPlace, fromIndex;
  /// The candidate registers for result register r are the register that `fromPlace` gives for r, XORed with any XOR of
  /// these generators. Generator k has a bit, `selectors[k]`, that no other generator has.
  std::vector<unsigned> generators, selectors;
  /// True if every lane reads from itself only.
  bool staysInLane = false;

  size_t numCandidates() const { return size_t(1) << generators.size(); }
};

struct SharedGather {
  /// Maps (register, lane, warp, block) of the operand (store) or of the result (load) to an offset. At run time, the
  /// index, shifted left by axisShift, is added to the load offset.
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
