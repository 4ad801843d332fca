//===- GlobalRange.h - Addresses of a global memory access in each iteration -------===//
//
// The addresses of a tile in iteration k of a loop, in bytes from a base:
//
//     base + start(k) + strides[0] * i + strides[1] * j          start(k): a linear form (RingSlots.h)
//
//     y + (k * 4096 + i * 32 + j)            start 16384 k                      strides 128, 4
//     y + (i * m + k * 32 + j)               start 128 k          strides 0, 4;   times m: start 0, strides 4, 0
//
// Terms that are multiplied by a number known only at launch (m) are kept separate. A number that is known only at
// launch is assumed to be the length of a row, and to be larger than the part of a row that is accessed. Two addresses
// are then equal only if their terms with m are equal and their terms without m are equal. (With m = 16 in the second
// example, rows would overlap, which no kernel intends.)
//
// The tiles of iterations k and k + d are disjoint if no element of one tile has the address of an element of the other
// tile. Two accesses are of the same tile if element (i, j) of one tile overlaps only element (i, j) of the other tile.
//
// Addresses are not analyzed if they were loaded, selected by `where`, or taken modulo a number element by element. An
// access whose addresses are not analyzed is assumed to access any address.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_GLOBALRANGE_H
#define HOCKET_ANALYSIS_GLOBALRANGE_H

#include "analysis/memory/RingSlots.h"
#include "dialect/hk/facts/GlobalAddresses.h"

namespace hocket {

class GlobalRange {
public:
  /// Returns the addresses as a function of the iteration of `loop`; without a loop, the addresses of one execution.
  static GlobalRange of(const hk::GlobalAddresses &addresses, mlir::scf::ForOp loop);

  /// True if an element of `earlier` and an element of `later` may share a byte when `later` is executed `iterations`
  /// iterations after `earlier`.
  static bool mayOverlap(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations);
  /// True if `earlier` and `later` do not overlap when `later` is executed `iterations` or more iterations after
  /// `earlier`.
  static bool areApartFrom(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations);
  /// True if each element of `earlier` can only overlap the element of `later` with the same index, when `later` is
  /// executed `iterations` iterations after `earlier`.
  static bool areSame(const GlobalRange &earlier, const GlobalRange &later, int64_t iterations);

  /// Returns the number of cache lines of `lineBytes` bytes that the tile covers, if the first element of the tile is
  /// at the start of a line; nullopt if the addresses are not analyzed.
  std::optional<int64_t> linesOf(int64_t lineBytes) const;

  /// The terms of the addresses that are multiplied by one factor: 1, or a number known only at launch. `strides` has
  /// one entry for each dimension of the tile.
  struct Part {
    RingIndex start;
    llvm::SmallVector<int64_t, 2> strides;
    Part &operator+=(const Part &other);
    Part &operator*=(int64_t factor);
  };
  /// Maps each factor to the part with this factor. The null key represents the factor 1.
  using Parts = llvm::SmallMapVector<mlir::Value, Part, 2>;

private:
  bool hasSameAddresses(const GlobalRange &other) const;
  bool areElementsApart() const;

  /// The pointers and offsets of the access. Two ranges whose addresses are not analyzed are equal if their pointers
  /// and offsets are the same SSA values.
  hk::GlobalAddresses addresses;
  /// The base pointer; null if the addresses are not analyzed.
  mlir::Value base;
  /// True if `base`, or addresses that are not analyzed, may differ between iterations.
  bool varies = false;
  Parts parts;
  llvm::SmallVector<int64_t, 2> shape;
  int64_t elementBytes = 1;
};

} // namespace hocket

#endif
