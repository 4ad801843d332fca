//===- GlobalRange.h - Address range of a global memory access, by iteration -------===//
//
// The addresses of a tile in iteration k of a loop, in bytes from a base:
//
//     base + start(k) + strides[0] * i + strides[1] * j          start: a form of RingSlots.h
//
//     y + (k * 4096 + i * 32 + j)            start 16384 k                      strides 128, 4
//     y + (i * m + k * 32 + j)               start 128 k          strides 0, 4;   times m: start 0, strides 4, 0
//
// Terms that are multiplied by a number known only at launch (m) are kept separate. Such numbers are assumed to be
// lengths of rows, longer than the part of a row that is accessed: two addresses are equal only if both terms are. (If
// m were 16 above, rows would overlap, which no kernel intends.)
//
// Two tiles, of iterations k and k + d, are disjoint if no choice of i and j in each makes the addresses equal. They
// are the same if element (i, j) of one overlaps only element (i, j) of the other.
//
// Addresses that were loaded, selected by `where`, or taken modulo a number per element are not analyzed, and may be
// anywhere.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_GLOBALRANGE_H
#define HOCKET_ANALYSIS_GLOBALRANGE_H

#include "analysis/memory/RingSlots.h"
#include "dialect/hk/facts/GlobalAddresses.h"

namespace hocket {

class GlobalRange {
public:
  /// Returns the range in iterations of `loop`; without a loop, at that program point.
  static GlobalRange of(const hk::GlobalAddresses &addresses, mlir::scf::ForOp loop);

  /// True if an element of `earlier`, in some iteration, and one of `later`, `iterations` later, may share a byte.
  static bool mayMeet(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations);
  /// True if the two never overlap `iterations` apart or more.
  static bool areApartFrom(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations);
  /// True if each element of `earlier` overlaps only the same element of `later`, if any.
  static bool areSame(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations);

  /// Returns the number of cache lines of `lineBytes` that the elements touch, if the first begins one; nullopt if the
  /// address is not analyzed.
  std::optional<int64_t> linesOf(int64_t lineBytes) const;

  /// The terms with one factor: 1 or a number known at launch. Strides are per dimension of the tile.
  struct Part {
    RingIndex start;
    llvm::SmallVector<int64_t, 2> strides;
    Part &operator+=(const Part &other);
    Part &operator*=(int64_t factor);
  };
  /// Parts by factor; the null key is the factor 1.
  using Parts = llvm::SmallMapVector<mlir::Value, Part, 2>;

private:
  bool hasSameAddresses(const GlobalRange &other) const;
  bool areElementsApart() const;

  /// The pointers and offsets themselves: ranges that are not analyzed are equal if these are.
  hk::GlobalAddresses addresses;
  /// Base of the addresses; null if they are not analyzed.
  mlir::Value base;
  /// True if `base`, or the addresses, may differ between iterations.
  bool varies = false;
  Parts parts;
  llvm::SmallVector<int64_t, 2> shape;
  int64_t elementBytes = 1;
};

} // namespace hocket

#endif
