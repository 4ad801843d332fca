//===- ReducePlan.h - Plans for reductions along one axis -------------------------===//
//
// Let P be the linear map of the layout, followed by the projection that drops the reduced axis. Two positions
// (register, lane, warp) contribute to the same result iff their XOR is in the kernel of P. The kernel of P contains
// the kernel of the layout itself, which consists of the XORs of positions that hold copies of one element; copies must
// not be counted twice. The plan is a set of vectors over F2 that, together with the kernel of the layout, generate the
// kernel of P. The plan prefers vectors with set bits only in the register index, then vectors with set bits in the
// lane index, then vectors with set bits in the warp index. These three kinds of vectors give three steps:
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
// The plan works for any assignment of elements to lanes and warps. If several lanes or warps hold copies of an
// element, all of them receive the result.
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
  /// partner[g] is the group of the other lane with which group g of this lane is combined. Usually, partner[g] is g.
  std::vector<unsigned> partner;
};

/// Exchange of the warps' partial results (partials) through scratch memory. Sizes and offsets are in elements. Each
/// operand of the reduction has its own region of scratch memory.
struct ReduceExchange {
  /// Number of partials per result, and number of results per block; both are powers of two.
  unsigned partials = 1, results = 1;
  /// Distance in elements between consecutive partials of one result: 1 or `results`.
  unsigned partialStride = 1;
  /// Number of partials of one result that a lane reads. If this is less than `partials`, the lanes first read
  /// different partials, selected by the low bits of the lane index. The lanes then combine these partials by butterfly
  /// shuffles over laneXor 1, 2, 4 and so on, up to half of partials / partialsPerLane.
  unsigned partialsPerLane = 1;
  /// Maps (register of the operand, lane, warp) to the offset of the partial to which the register contributes.
  LinearLayout storeOffset;
  /// Maps (register of the result, lane, warp) to the offset of the first partial that the lane reads for this result.
  LinearLayout loadOffset;
  int64_t elements() const { return int64_t(partials) * results; }
};

struct ReducePlan {
  /// groups[g] lists the registers of group g, one for each element. groupOf[r] is the group of register r; r can hold
  /// a copy that groups[g] does not list.
  std::vector<std::vector<unsigned>> groups;
  std::vector<unsigned> groupOf;
  std::vector<ReduceLaneStep> laneSteps;
  std::optional<ReduceExchange> exchange;
  /// resultGroup[r] is the group whose value is result register r. resultGroup is empty if there is an exchange.
  std::vector<unsigned> resultGroup;
};

/// Plans the reduction of a tensor with layout `src` along `axis`. `result` is the layout of the result, or null for a
/// 1-D operand, whose result is one register.
ReducePlan planReduce(const LinearLayout &src, unsigned axis, const LinearLayout *result);
/// Returns the number of bytes of scratch memory that the exchange needs for each operand, rounded up to a multiple of
/// 16.
int64_t exchangeBytes(const ReduceExchange &exchange, unsigned elementBits);

} // namespace hocket

#endif
