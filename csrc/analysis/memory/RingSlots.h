//===- RingSlots.h - Iterations that select the same slot of a ring buffer --------===//
//
// Expresses the index of a slot as a linear function of k, the number of the iteration (counted from 0). This function
// is the *linear form* of the index: it gives the index modulo `modulus`, or the exact index if `modulus` is 0.
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
//       %a  with  yield %b, %c, %a                 k                 modulus 3, if %a, %b, %c begin as 0, 1, 2
//       (%i * 64) / 64                             k
//     }
//
// An scf.while represents a Python `while` loop or a loop with `break`. In an scf.while, k counts the executions of the
// first region, and only loop-carried values can be counters.
//
// After the loop, a counter has the value of its linear form with k = trip count: %n - %c0 in the example.
//
// Integers of 32 bits and more are assumed not to overflow. An unsigned remainder of a number that may be negative is
// known only modulo powers of 2.
//
// If a loop continues another loop (hk.series), k continues the count of the other loop, and the linear forms use the
// initial values of the other loop. Indices of the two loops can therefore be compared.
//
// Two indices are known to be different if their difference is a constant that is not a multiple of `modulus`. If one
// index is known modulo 4 and the other modulo 6, their difference is known modulo gcd(4, 6) = 2. If a term does not
// cancel in the difference, the coefficient of the term reduces the modulus further.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_RINGSLOTS_H
#define HOCKET_ANALYSIS_RINGSLOTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace hocket {

/// Maximum number of iterations, or of distances between iterations, that a search tries; this number suffices for ring
/// buffers, which have few slots. If a search would need more, the indices are assumed to be equal.
inline constexpr int64_t kSearchedIterations = 64;
/// Maximum number of values that are traced for one index or address. Nested sums may have exponentially many paths of
/// operands, but the indices in kernels have few such paths.
inline constexpr unsigned kFollowedValues = 256;

class RingIndex {
public:
  /// Returns the linear form of `index`, an integer that is used in `loop`; `loop` may be null.
  static RingIndex of(mlir::Value index, mlir::LoopLikeOpInterface loop);

  /// Returns the linear form of the iteration number itself.
  static RingIndex ofIteration();
  /// Returns the linear form of the constant `number`.
  static RingIndex ofConstant(int64_t number);
  RingIndex &operator+=(const RingIndex &other);
  RingIndex &operator*=(int64_t factor);
  /// Returns the value of the index if the value is known and the same in all iterations; nullopt otherwise.
  std::optional<int64_t> getConstant() const;
  /// Returns the linear form of the trip count of `loop`. The lower bound is assumed not to exceed the upper bound.
  static RingIndex ofTrips(mlir::scf::ForOp loop);
  /// Returns the linear form with `iteration` substituted for k.
  RingIndex at(int64_t iteration) const { return at(ofConstant(iteration)); }
  RingIndex at(const RingIndex &iteration) const;
  /// Returns the linear form with `trips` substituted for the trip count of `loop`.
  RingIndex withTrips(mlir::scf::ForOp loop, int64_t trips) const;
  /// Returns the linear form of the index `ahead` iterations later, modulo `slots`.
  RingIndex withSlots(int64_t slots, int64_t ahead) const;
  /// Returns the number of iterations by which `writer` selects each slot earlier than `reader` selects the slot;
  /// nullopt if the number is not constant.
  static std::optional<int64_t> iterationsAhead(const RingIndex &writer, const RingIndex &reader);
  /// Returns the modulus; 0 if the linear form is exact.
  int64_t getModulus() const { return modulus; }

  /// Returns the smallest distance in iterations, at least `from`, at which `later` may select the slot that `earlier`
  /// has selected; nullopt if there is no such distance.
  static std::optional<int64_t> firstOverlap(const RingIndex &earlier, const RingIndex &later, int64_t from);

  /// Returns the first iteration, counted from 0, in which `later` may select the slot that `before` has selected
  /// before the loop of `later`; nullopt if `later` never selects this slot. With `sameRun`, both indices belong to one
  /// execution of the code, so each term has the same value in both indices.
  static std::optional<int64_t> firstIterationAt(const RingIndex &before, const RingIndex &later, bool sameRun);

  /// The difference earlier(k) - later(k + iterations) between two indices. The difference is number + step * k, plus
  /// an unknown multiple of `unit`. The function `difference` returns nullopt if nothing is known about the difference.
  struct Difference {
    int64_t number = 0, step = 0, unit = 0;
  };
  static std::optional<Difference> difference(const RingIndex &earlier, const RingIndex &later, int64_t iterations);
  /// Returns the coefficient of k, the number of the iteration, in the linear form.
  int64_t getStep() const { return step; }
  /// True if the linear form gives the change of the index between iterations.
  bool isKnown() const { return !varies && modulus != 1; }
  /// True if the index is the same in all iterations.
  bool isFixed() const { return step == 0 && !varies; }

private:
  friend class RingIndexBuilder;
  void reduceModulo(int64_t divisor);

  llvm::SmallMapVector<mlir::Value, int64_t, 2> terms;
  int64_t offset = 0, step = 0, modulus = 0;
  /// True if a term may differ between iterations.
  bool varies = false;
};

/// Returns the loop that `loop` continues (hk.series), which directly precedes `loop`; null if there is none.
mlir::scf::ForOp continuedLoop(mlir::scf::ForOp loop);

/// Returns the initial value of `variable`, which `loop` carries. If `loop` continues another loop, returns the initial
/// value of `variable` in that other loop; null if the other loop does not carry the variable.
mlir::Value initInFirstLoop(mlir::LoopLikeOpInterface loop, mlir::BlockArgument variable);

} // namespace hocket

#endif
