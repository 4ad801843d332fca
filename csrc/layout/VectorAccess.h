//===- VectorAccess.h - Grouping of a lane's registers into vector accesses -------===//
//
// Consecutive memory offsets often belong to registers of one lane, though not to consecutive registers. Example: eight
// registers, in which register bit 2 is the lowest offset bit:
//
//     register   0 1 2 3  4 5 6 7
//     offset     0 2 8 10 1 3 9 11
//
// Registers 0 and 4 hold offsets 0 and 1: one access of two elements. Registers 0, 4, 1 and 5 hold offsets 0 to 3: one
// access of four elements.
//
// A lane has vectors of 2^v elements if XORs of register bases reach every value of the lowest v offset bits, and no
// lane, warp or block basis changes these bits. Every access is then aligned to its width.
//
// In shared memory, padding and views limit the width further. A vector must lie within an interval between paddings.
// The start of each interval and of each view must be aligned to the size of a vector.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_LAYOUT_VECTORACCESS_H
#define HOCKET_LAYOUT_VECTORACCESS_H

#include "layout/Factories.h"
#include "layout/LinearLayout.h"

namespace hocket {

struct VectorAccess {
  /// Number of elements per access.
  int32_t width = 1;
  /// groups[i] contains the `width` registers of access i, in the order of their offsets. The access starts at the
  /// offset of the first register.
  std::vector<std::vector<int32_t>> groups;
  /// representative[r] is the register in `groups` that holds the same element as register r. representative[r] is r
  /// unless register r is a copy.
  std::vector<int32_t> representative;
};

/// Groups the registers of a lane into vector accesses of at most `maxWidth` consecutive elements. `toOffset` maps
/// (register, ...) to offsets in elements. Registers with the same offset (copies) are accessed once.
VectorAccess planVectorAccess(const LinearLayout &toOffset, int32_t maxWidth);

/// Returns the number of elements of the widest aligned access to shared memory: at most `maxAccessBits` bits, limited
/// by `paddings` and by the start offsets of views. `startBits` is a mask of the bits that can be set in the start
/// offset of a view.
int32_t widestVector(int32_t maxAccessBits, int32_t elementBits, std::span<const Padding> paddings, int32_t startBits);

} // namespace hocket

#endif
