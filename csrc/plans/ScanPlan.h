//===- ScanPlan.h - How a tile is scanned along one axis ----------------------------===//
//
// An inclusive scan combines each element with all before it along the axis. A plan exists for layouts in which each
// bit of the index along the axis is one bit of the register, lane or warp and nothing else, from the lowest bit on:
//
//     registers         any number of bits
//     lanes             neighbouring bits of the lane, lowest first
//     steps             bits of warps and registers, in any order
//
// The registers of the lowest bits are a *chunk*: elements in a row, in one lane. The other registers along the axis
// number the chunks of a *row*; registers along other dimensions number rows, which have nothing to do with each other.
// Then:
//
//   chunks      each is scanned in registers, its last element is its total
//   lanes       totals are scanned between the lanes, over distances 1, 2, 4, ..
//   steps       what all lanes of a chunk make together is the total of a step. Where warps take part, steps meet in
//               scratch: the last lane of each stores its total, and after a barrier everyone combines those before it
//   prefixes    each element is combined with what is before its step, and before its lane
//
// 16 elements in #hk.blocked<size_per_thread = [2], threads_per_warp = [2], warps_per_cta = [2]>, summed:
//
//   element     0 1 | 2 3 || 4 5 | 6 7 || 8 9 | 10 11 || 12 13 | 14 15     | between lanes, || between steps
//   step        0           1             2 (again warp 0)       3
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

/// Totals of steps, met in scratch. Counted in elements; each operand has a region of its own.
struct ScanExchange {
  /// (register, lane, warp) -> offset of the total of the row and step, and of the total of the row and step 0.
  LinearLayout storeOffset, loadOffset;
  /// Distance of the totals of neighbouring steps of a row.
  unsigned stepStride = 1;
  int64_t elements = 0;
};

struct ScanPlan {
  struct Chunk {
    /// In the order of their positions.
    std::vector<unsigned> registers;
    /// What the registers contribute to the number of the step.
    unsigned step = 0;
  };
  /// rows[i]: the chunks of a row, in the order of their positions.
  std::vector<std::vector<Chunk>> rows;
  /// For each register, the one among the rows that holds the same element: itself unless registers are copies.
  std::vector<unsigned> representative;

  /// Bits firstLaneBit .. firstLaneBit + laneBits - 1 of the lane are along the axis.
  unsigned firstLaneBit = 0, laneBits = 0;
  unsigned numSteps = 1;
  /// Contribution of each bit of the warp to the number of the step; all 0 without an exchange.
  std::vector<unsigned> warpSteps;
  bool isReverse = false;
  std::optional<ScanExchange> exchange;

  /// The position of a step, and the other way round.
  unsigned positionOf(unsigned step) const { return isReverse ? numSteps - 1 - step : step; }
};

/// Nothing if the layout is not of the form above. `layout` maps (register, lane, warp) to the elements.
std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis, bool isReverse);
/// Scratch bytes of an operand in the exchange, a multiple of 16.
int64_t exchangeBytes(const ScanExchange &exchange, unsigned elementBits);

} // namespace hocket

#endif
