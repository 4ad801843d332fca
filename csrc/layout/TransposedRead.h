//===- TransposedRead.h - Loads that exchange rows and columns among lanes --------===//
//
// CDNA4 loads 8 bytes per lane from shared memory and exchanges them within each group of 16 lanes, so that a lane
// receives V = 64 / (bits of an element) elements that lie V rows apart, although memory runs along the rows. With four
// lanes and V = 2 (on the hardware 16 lanes, and 4 or 8 elements), rows k, columns m, memory along m:
//
//            m 0    m 1    m 2    m 3
//     k 0    lane 0 reads  lane 1 reads        lane m receives (0, m) and (1, m)
//     k 1    lane 2 reads  lane 3 reads
//
// Reading lane j * 16 / V + q, element i mod V, becomes element j of lane i, where q = i / V. So a layout can be loaded
// that way if lane bits 0 .. log2(V) - 1 are the lowest offset bits (neighbouring lanes want neighbours in memory) and
// nothing else touches these bits, so that the 8 bytes are aligned. Each lane reads at an address of its own: any
// log2(V) bits of the register's number may tell the rows apart. The lowest are taken, whose number j then stands
// where lane bits were:
//
//     lane bits that read    0 .. 3 - v         4 - v .. 3           4 and up
//     take the place of      lane v .. 3 (q)    register 0 .. (j)    lane 4 and up          v = log2(V)
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
  /// (register, lane, warp, ..) -> the offset in elements at which the lane reads; one register per read.
  LinearLayout source;
  /// For each read, the registers of the loaded layout that receive elements 0, 1, ..
  std::vector<std::vector<int32_t>> groups;
};

/// How lanes load what `toOffset` (from register, lane, warp, .. to element offsets, without padding) says, if they can
/// do so by transposed reads alone. `startBits` are the offset bits in which a view may start. Elements of 8 and 16
/// bits; nothing for others.
std::optional<TransposedRead> planTransposedRead(const LinearLayout &toOffset, int32_t elementBits,
                                                 std::span<const Padding> paddings = {}, int32_t startBits = 0);

} // namespace hocket

#endif
