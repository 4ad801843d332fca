//===- RingSlots.h - Iterations that select the same slot of a ring buffer --------===//
//
// The index of a slot is followed back to a form of its value in iteration k (counted from 0), as far as it is known:
// its remainder by `modulus`, or with modulus 0 the number itself.
//
//     index = terms + offset + step * k            terms: invariant or unknown values
//
//     scf.for %i = %c0 to %n step %c1 iter_args(%c = %c0) {
//       arith.remsi %i, %c3                        k                 modulus 3
//       arith.remsi (%i + 2), %c3                  k + 2             modulus 3
//       arith.remsi (%i + %m), %c2                 k + %m            modulus 2
//       %c  with  yield (%c + 1) % 4               k                 modulus 4
//       %c  with  yield %c == 3 ? 0 : %c + 1       k                 modulus 4     (arith.select or scf.if)
//       %c  with  yield %c + 1 >= 3 ? 0 : %c + 1   k                 modulus 3     (CounterRestart.h)
//       %c  with  yield 1 - %c                     k                 modulus 2
//       %a  with  yield %b, %c, %a                 k                 modulus 3, if they begin as 0, 1, 2
//       (%i * 64) / 64                             k
//     }
//
// In scf.while, which Python's `while` and loops with `break` become, k counts executions of its first region; only
// carried values can be counters there.
//
// After a loop, a counter has its value for k = the trip count: %n - %c0 above.
//
// Numbers of 32 bits and more are assumed not to overflow. An unsigned remainder of a number that may be negative is
// known only modulo powers of 2.
//
// In a loop that continues another (hk.series), k continues the count of the other loop: initial values are then those
// of the other loop, and indices of the two can be compared.
//
// Two indices are certainly different if their difference is a constant that `modulus` does not divide. If one is known
// only modulo 4 and the other modulo 6, their difference is known modulo gcd(4, 6) = 2; a coefficient that remains
// unknown reduces the modulus, too.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_RINGSLOTS_H
#define HOCKET_ANALYSIS_RINGSLOTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace hocket {

class RingIndex {
public:
  /// Returns the form of `index`, an integer used in `loop`; without a loop, of an index used once.
  static RingIndex of(mlir::Value index, mlir::LoopLikeOpInterface loop);

  /// Returns the form of the iteration number itself.
  static RingIndex ofIteration();
  /// Returns the form of a number that is the same in all iterations.
  static RingIndex ofConstant(int64_t number);
  RingIndex &operator+=(const RingIndex &other);
  RingIndex &operator*=(int64_t factor);
  /// Returns the number, if it is known and the same in all iterations.
  std::optional<int64_t> getConstant() const;
  /// Returns the trip count of `loop`, whose bounds are assumed to be in order.
  static RingIndex ofTrips(mlir::scf::ForOp loop);
  /// Returns the form in one iteration of the loop.
  RingIndex at(int64_t iteration) const { return at(ofConstant(iteration)); }
  RingIndex at(const RingIndex &iteration) const;
  /// Returns the form for an execution of `loop` with this trip count.
  RingIndex withTrips(mlir::scf::ForOp loop, int64_t trips) const;
  /// Returns the form in a ring buffer of `slots`, with the index of the iteration `ahead` iterations later.
  RingIndex withSlots(int64_t slots, int64_t ahead) const;
  /// Returns the number of iterations by which `writer` selects a slot before `reader` does; nullopt if it is not
  /// constant.
  static std::optional<int64_t> iterationsAhead(const RingIndex &writer, const RingIndex &reader);
  /// 0 if numbers do not wrap around.
  int64_t getModulus() const { return modulus; }

  /// Returns the smallest distance >= `from` such that `earlier` in some iteration k and `later` in iteration k +
  /// distance may select the same slot; nullopt if they never do.
  static std::optional<int64_t> firstMeeting(const RingIndex &earlier, const RingIndex &later, int64_t from);

  /// Returns the first iteration, counted from 0, in which `later` may select the slot that `before` has selected
  /// before its loop; nullopt if it never does. `sameRun`: a value that is a term of both is the same in both.
  static std::optional<int64_t> firstIterationAt(const RingIndex &before, const RingIndex &later, bool sameRun);

  /// The difference of `earlier` in iteration k and `later` a given number of iterations after it: number + step * k,
  /// plus an unknown multiple of `unit` (0: exactly that). nullopt if it may be anything.
  struct Difference {
    int64_t number = 0, step = 0, unit = 0;
  };
  static std::optional<Difference> difference(const RingIndex &earlier, const RingIndex &later, int64_t iterations);
  /// The growth per iteration, apart from unknown terms.
  int64_t getStep() const { return step; }
  /// True if the values in different iterations are related.
  bool isKnown() const { return !varies && modulus != 1; }
  /// True if it is the same in all iterations.
  bool isFixed() const { return step == 0 && !varies; }

private:
  friend class RingIndexBuilder;
  void reduceModulo(int64_t divisor);

  llvm::SmallMapVector<mlir::Value, int64_t, 2> terms;
  int64_t offset = 0, step = 0, modulus = 0;
  /// True if a term may differ between iterations.
  bool varies = false;
};

/// Returns the loop that `loop` continues, directly before it; null if there is none.
mlir::scf::ForOp continuedLoop(mlir::scf::ForOp loop);

/// Returns the value of `variable`, which `loop` carries, in iteration 0: of the loop that it continues, if there is
/// one. Null if that loop did not carry the variable.
mlir::Value initInFirstLoop(mlir::LoopLikeOpInterface loop, mlir::BlockArgument variable);

} // namespace hocket

#endif
