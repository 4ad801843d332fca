//===- ReducePlan.h - Plans for reductions along one axis -------------------------===//
//
// Let P be the layout followed by the projection that drops the axis. Two positions (register, lane, warp) contribute
// to the same result iff they differ by an element of the kernel of P. The kernel of P contains the kernel of the
// layout itself: the differences between copies of one element, which must not be counted twice. The plan is a set of
// vectors that, together with the differences between copies, generate the kernel of P. The plan prefers vectors that
// change only registers, then vectors that change registers and lanes, then vectors that change warps. These three
// kinds of vectors give three steps:
//
//   groups      the registers of a group are combined into one value, which later steps use
//   laneSteps   group g of every lane is combined with group partner[g] of lane ^ laneXor (a butterfly)
//   exchange    every warp stores its partial results in scratch; after a barrier every lane reads and combines the
//               partials of its results (at most four if there is one result; other lanes read the other partials)
//
// An 8-element row in #hk.blocked<size_per_thread = [2], threads_per_warp = [2], warps_per_cta = [2]>:
//
//   element       0 1 | 2 3 || 4 5 | 6 7       | between lanes, || between warps
//   groups        a     b   || c     d         {register 0, register 1}
//   laneSteps     a+b   a+b || c+d   c+d       laneXor 1
//   exchange      all = (a+b) + (c+d)          2 partials
//
// The plan does not depend on the order of lanes or warps, and every lane and warp that holds a copy ends with the
// result.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_REDUCEPLAN_H
#define HOCKET_PLANS_REDUCEPLAN_H

#include "layout/LinearLayout.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace hocket {

struct ReduceLaneStep {
  unsigned laneXor = 0;
  /// partner[g]: the group of the other lane with which group g is combined (mostly g itself).
  std::vector<unsigned> partner;
};

/// Partial results of warps, exchanged through scratch. Sizes are in elements; each operand has its own region.
struct ReduceExchange {
  /// Partials per result, and results per block: both powers of two.
  unsigned partials = 1, results = 1;
  /// Distance between the partials of one result: 1 or `results`.
  unsigned partialStride = 1;
  /// Number of partials that a lane reads. If a lane does not read all partials, lanes combine the partials in a
  /// butterfly over laneXor 1, 2, ... Lanes that differ in bit i of their index read different partials if 2^i is less
  /// than partials / partialsPerLane.
  unsigned partialsPerLane = 1;
  /// Maps (register of the operand, lane, warp) to the offset of the partial.
  LinearLayout storeOffset;
  /// Maps (register of the result, lane, warp) to the offset of the first partial.
  LinearLayout loadOffset;
  int64_t elements() const { return int64_t(partials) * results; }
};

struct ReducePlan {
  /// groups[g]: the registers of group g, without copies. groupOf[r]: the group of register r, which may be a copy.
  std::vector<std::vector<unsigned>> groups;
  std::vector<unsigned> groupOf;
  std::vector<ReduceLaneStep> laneSteps;
  std::optional<ReduceExchange> exchange;
  /// For each result register, the group that holds its value; used if there is no exchange.
  std::vector<unsigned> resultGroup;
};

/// Plans the reduction of a tensor with layout `src` along `axis`. `result` is the layout of the result, or null for a
/// 1-D operand, whose result is one register.
ReducePlan planReduce(const LinearLayout &src, unsigned axis, const LinearLayout *result);
/// Returns the bytes of scratch that the exchange takes for each operand, a multiple of 16.
int64_t exchangeBytes(const ReduceExchange &exchange, unsigned elementBits);

} // namespace hocket

#endif
