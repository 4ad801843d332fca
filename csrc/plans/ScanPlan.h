//===- ScanPlan.h - Plans for scans along one axis ----------------------------------===//
//
// An inclusive scan combines each element with all elements before it along the axis. A plan exists for layouts in
// which each bit of the index along the axis is determined by a single bit of the register, lane or warp index. From
// the lowest index bit to the highest, these are
//
//     registers         any number of bits
//     lanes             adjacent bits of the lane, lowest first
//     steps             bits of warps and registers, in any order
//
// The registers that differ in the lowest of these bits form a *chunk*: consecutive elements in one lane. The other
// register bits along the axis number the chunks of a *row*. Register bits along other dimensions number the rows,
// which are independent of each other. The plan has four phases:
//
//   chunks      each is scanned in registers; its last element is its total
//   lanes       totals are scanned between the lanes, over distances 1, 2, 4, ...
//   steps       the total of a step is the combination of all lanes of a chunk. If steps are in several warps, they are
//               exchanged through scratch: the last lane of each step stores its total, and after a barrier each lane
//               combines the totals of the steps before its own
//   prefixes    each element is combined with the totals before its step, and before its lane
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

/// Totals of steps, exchanged through scratch. Sizes are in elements; each operand has its own region.
struct ScanExchange {
  /// `storeOffset` maps (register, lane, warp) to the offset of the total of its row and step. `loadOffset` maps
  /// (register, lane, warp) to the offset of the total of its row and of step 0.
  LinearLayout storeOffset, loadOffset;
  /// Distance between the totals of consecutive steps of a row.
  unsigned stepStride = 1;
  int64_t elements = 0;
};

struct ScanPlan {
  struct Chunk {
    /// Registers of the chunk in the order of their positions.
    std::vector<unsigned> registers;
    /// Contribution of the chunk's registers to the index of the step.
    unsigned step = 0;
  };
  /// rows[i]: the chunks of a row, in the order of their positions.
  std::vector<std::vector<Chunk>> rows;
  /// For each register, the register among the rows that holds the same element: itself unless registers are copies.
  std::vector<unsigned> representative;

  /// Bits firstLaneBit to firstLaneBit + laneBits - 1 of the lane are along the axis.
  unsigned firstLaneBit = 0, laneBits = 0;
  unsigned numSteps = 1;
  /// Contribution of each bit of the warp index to the index of the step; all 0 without an exchange.
  std::vector<unsigned> warpSteps;
  bool isReverse = false;
  std::optional<ScanExchange> exchange;

  /// Converts a step to its position in scan order; the two differ if the scan is from the end. The conversion is its
  /// own inverse.
  unsigned positionOf(unsigned step) const { return isReverse ? numSteps - 1 - step : step; }
};

/// Plans a scan along `axis`. Returns nullopt if the layout is not of the form above. `layout` maps (register, lane,
/// warp) to the elements.
std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis, bool isReverse);
/// Returns the bytes of scratch that the exchange takes for each operand, a multiple of 16.
int64_t exchangeBytes(const ScanExchange &exchange, unsigned elementBits);

} // namespace hocket

#endif
