//===- ScanPlan.h - Plans for scans along one axis ----------------------------------===//
//
// An inclusive scan combines each element with all elements before it along the axis. A plan exists for layouts in
// which each bit of the index along the axis is determined by a single bit of the register, lane or warp index. From
// the lowest bit of the axis index to the highest, these bits must be
//
//     registers         any number of bits
//     lanes             adjacent bits of the lane, lowest first
//     steps             bits of warps and registers, in any order
//
// The registers that differ in the lowest of these bits form a *chunk*: consecutive elements in one lane. The other
// register bits along the axis number the chunks of a *row*. Register bits along other dimensions number the rows,
// which are independent of each other. The plan has four phases:
//
//   chunks      each chunk is scanned in registers; its last element is the total of the chunk
//   lanes       the totals of chunks are scanned between lanes, over lane distances 1, 2, 4, ...
//   steps       the total of a step is the combination of one chunk of all lanes. If steps are in several warps, the
//               totals of steps are exchanged through scratch memory: the last lane of each step stores the total, and
//               after a barrier each lane combines the totals of the steps before its own step
//   prefixes    each element is combined with the total of all earlier steps, and of all earlier lanes of its step
//
// 16 elements in #hk.blocked<size_per_thread = [2], threads_per_warp = [2], warps_per_cta = [2]>, summed:
//
//   element     0 1 | 2 3 || 4 5 | 6 7 || 8 9 | 10 11 || 12 13 | 14 15     | between lanes, || between steps
//   step        0           1             2 (warp 0 again)      3
//   register    0 1   0 1    0 1   0 1    2 3   2  3     2  3    2  3       chunks {0, 1} and {2, 3} of one row
//
// A scan from the end takes the complement of every bit along the axis: its *positions* count from the last element.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_PLANS_SCANPLAN_H
#define HOCKET_PLANS_SCANPLAN_H

#include "layout/LinearLayout.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace hocket {

/// Exchange of the totals of steps through scratch memory. Sizes and offsets are in elements. Each operand of the scan
/// has its own region of scratch memory.
struct ScanExchange {
  /// `storeOffset` maps the position (register, lane, warp) of an element to the offset of the total of the element's
  /// row and step. `loadOffset` maps the position to the offset of the total of the element's row and step 0.
  LinearLayout storeOffset, loadOffset;
  /// Distance in elements between the totals of consecutive steps of a row.
  unsigned stepStride = 1;
  int64_t elements = 0;
};

struct ScanPlan {
  struct Chunk {
    /// Registers of the chunk, in scan order.
    std::vector<unsigned> registers;
    /// Contribution of the chunk's registers to the step index, which is the XOR of this contribution and the
    /// contribution of the warp.
    unsigned step = 0;
  };
  /// rows[i] lists the chunks of row i, in scan order.
  std::vector<std::vector<Chunk>> rows;
  /// representative[r] is the register in `rows` that holds the same element as register r. representative[r] is r
  /// itself, unless several registers hold copies of the element.
  std::vector<unsigned> representative;

  /// Bits firstLaneBit to firstLaneBit + laneBits - 1 of the lane index select an element along the axis.
  unsigned firstLaneBit = 0, laneBits = 0;
  unsigned numSteps = 1;
  /// warpSteps[i] is the contribution of bit i of the warp index to the index of the step. All contributions are 0 if
  /// there is no exchange.
  std::vector<unsigned> warpSteps;
  bool isReverse = false;
  std::optional<ScanExchange> exchange;

  /// Converts the index of a step to its position in scan order, and a position to the index. Index and position differ
  /// if the scan starts at the last element.
  unsigned positionOf(unsigned step) const { return isReverse ? numSteps - 1 - step : step; }
};

/// Plans a scan along `axis`. `layout` maps (register, lane, warp) to coordinates. Returns nullopt if `layout` does not
/// have the form that the comment at the top of this file describes.
std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis, bool isReverse);
/// Returns the number of bytes of scratch memory that the exchange needs for each operand, rounded up to a multiple of
/// 16.
int64_t exchangeBytes(const ScanExchange &exchange, unsigned elementBits);

} // namespace hocket

#endif
