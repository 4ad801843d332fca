//===- GlobalPlace.h - Which global memory an access touches, in which iteration ---===//
//
// The addresses of a tile in iteration k of a loop, in bytes from a base:
//
//     base + start(k) + strides[0] * i + strides[1] * j          start: a form of RingSlots.h
//
//     y + (k * 4096 + i * 32 + j)            start 16384 k                      strides 128, 4
//     y + (i * m + k * 32 + j)               start 128 k          strides 0, 4;   times m: start 0, strides 4, 0
//
// What is multiplied by a number that only the launch knows (m) stands by itself. Such numbers are taken for the
// lengths of rows, longer than what is accessed of one: two addresses are equal only if both parts are. (If m were 16
// above, rows would overlap, and so would what no kernel means.)
//
// Two tiles, one of iteration k and one of k + d, are apart if no choice of i and j in each makes the addresses meet.
// They are the same if element (i, j) of one meets only element (i, j) of the other.
//
// Not understood, and so anywhere: addresses that were loaded, chosen by `where`, or taken modulo something per
// element.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_GLOBALPLACE_H
#define HOCKET_ANALYSIS_GLOBALPLACE_H

#include "analysis/shared/RingSlots.h"
#include "dialect/hk/GlobalAddresses.h"

namespace hocket {

class GlobalPlace {
public:
  /// In iterations of `loop`; without one, of the moment.
  static GlobalPlace of(const hk::GlobalAddresses &addresses, mlir::scf::ForOp loop);

  /// May an element of `earlier`, in some iteration, and one of `later`, so many iterations after it, share a byte?
  static bool mayMeet(const GlobalPlace &earlier, const GlobalPlace &later, int64_t iterations);
  /// Do the two never meet in so many iterations, and more?
  static bool areApartFrom(const GlobalPlace &earlier, const GlobalPlace &later, int64_t iterations);
  /// Does each element of `earlier` meet the same element of `later`, if any, and no other?
  static bool areSame(const GlobalPlace &earlier, const GlobalPlace &later, int64_t iterations);

  /// How many lines of so many bytes the elements touch, if the first begins one; nothing if that is not understood.
  std::optional<int64_t> linesOf(int64_t lineBytes) const;

  /// What is multiplied by one factor: 1 or a number known at launch. Strides are per dimension of the tile.
  struct Part {
    RingIndex start;
    llvm::SmallVector<int64_t, 2> strides;
    Part &operator+=(const Part &other);
    Part &operator*=(int64_t factor);
  };
  /// By factor; null is 1.
  using Parts = llvm::SmallMapVector<mlir::Value, Part, 2>;

private:
  bool hasSameAddresses(const GlobalPlace &other) const;
  bool areElementsApart() const;

  /// The pointers and offsets themselves: places that are not understood are the same if these are.
  hk::GlobalAddresses addresses;
  /// What addresses count from; null if they are not understood.
  mlir::Value base;
  /// `base`, or the addresses, may differ from iteration to iteration.
  bool varies = false;
  Parts parts;
  llvm::SmallVector<int64_t, 2> shape;
  int64_t elementBytes = 1;
};

} // namespace hocket

#endif
