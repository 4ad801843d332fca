//===- TransposedRead.h - Plans for transposing LDS loads (ds_read_b64_tr) --------===//
//
// CDNA4 has an LDS load of 8 bytes per lane that exchanges elements within each group of 16 lanes. Each lane reads V =
// 64 / (bits of an element) elements of a row, and receives V elements of a column, one from each of V rows. Example
// with rows k and columns m, memory contiguous along m, reduced to four lanes and V = 2 (the hardware has 16 lanes and
// V = 4 or 8):
//
//            m 0    m 1    m 2    m 3
//     k 0    lane 0 reads  lane 1 reads        lane m receives (0, m) and (1, m)
//     k 1    lane 2 reads  lane 3 reads
//
// Let q = i / V. Element j of lane i is element i mod V of the elements that lane j * 16 / V + q reads. A layout can
// therefore be loaded with this instruction if lane bits 0 to log2(V) - 1 are the lowest offset bits: adjacent lanes
// receive adjacent elements of memory. No other input bit may change the lowest log2(V) offset bits, because the 8
// bytes must be aligned. Any log2(V) bits of the register index may select the row, because each lane reads at its own
// address. The plan selects the row with the lowest register bits, whose value is j. With v = log2(V), each bit of a
// reading lane changes the address in the same way as the following bit of the loaded layout:
//
//     bits of the reading lane      0 to 3 - v         4 - v to 3           4 and up
//     bits of the loaded layout     lane v to 3 (q)    register 0, ... (j)  lane 4 and up
//
// "AMD Instinct CDNA4" ISA guide, DS_READ_B64_TR_B16 and DS_READ_B64_TR_B8.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_TRANSPOSEDREAD_H
#define HOCKET_LAYOUT_TRANSPOSEDREAD_H

#include "layout/VectorAccess.h"

#include <optional>

namespace hocket {

struct TransposedRead {
  /// Maps (register, lane, warp, ...) to the offset, in elements, at which the lane reads. The register index of this
  /// map is the index of the read.
  LinearLayout source;
  /// groups[i] contains the registers of the loaded layout that receive elements 0, 1, ... of read i.
  std::vector<std::vector<int32_t>> groups;
};

/// Plans the transposed reads that load a tile. `toOffset` maps (register, lane, warp, ...) to offsets in elements,
/// without padding. Returns nullopt if transposed reads alone cannot load all elements. `startBits` is a mask of the
/// bits that can be set in the start offset of a view. Supports elements of 8 and 16 bits.
std::optional<TransposedRead> planTransposedRead(const LinearLayout &toOffset, int32_t elementBits,
                                                 std::span<const Padding> paddings = {}, int32_t startBits = 0);

} // namespace hocket

#endif
