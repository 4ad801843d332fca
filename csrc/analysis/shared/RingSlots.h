//===- RingSlots.h - Which iterations select the same slot of a ring --------------===//
//
// The index of a slot is followed back to a form that says what it is in iteration k (counted from 0), as far as it is
// known: its remainder by `modulus`, or with modulus 0 the number itself.
//
//     index = terms + offset + step * k            terms: values that do not change, or that nothing is known of
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
// In scf.while, which Python's `while` and loops with `break` become, k counts the runs of its first region; only what
// it carries is a counter there.
//
// What a loop leaves of a counter is what it is after as many iterations as the loop has run: %n - %c0 above.
//
// Numbers of 32 bits and more are taken not to overflow. An unsigned remainder of what may be negative is known only
// modulo powers of 2.
//
// In a loop that continues another (hk.series), k counts on from the other's first iteration: what both start with
// is then what the other starts with, and indices of the two can be compared.
//
// Two indices are certainly different if their difference is: a constant that `modulus` does not divide. What is known
// of one only modulo 4 and of the other modulo 6 is known of the difference modulo gcd(4, 6) = 2; a coefficient that
// remains unknown takes its part of the modulus too.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_RINGSLOTS_H
#define HOCKET_ANALYSIS_RINGSLOTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace hocket {

class RingIndex {
public:
  /// The form of `index`, an integer used in `loop`. Without a loop, of one used once.
  static RingIndex of(mlir::Value index, mlir::LoopLikeOpInterface loop);

  /// The number of the iteration itself.
  static RingIndex ofIteration();
  /// The same number in all iterations.
  static RingIndex ofConstant(int64_t number);
  RingIndex &operator+=(const RingIndex &other);
  RingIndex &operator*=(int64_t factor);
  /// The number, if it is a known one and the same in all iterations.
  std::optional<int64_t> getConstant() const;
  /// How often `loop` runs. Its bounds are taken to be in order.
  static RingIndex ofTrips(mlir::scf::ForOp loop);
  /// The form in one iteration of the loop.
  RingIndex at(int64_t iteration) const { return at(ofConstant(iteration)); }
  RingIndex at(const RingIndex &iteration) const;
  /// The form where `loop` has run so often.
  RingIndex withTrips(mlir::scf::ForOp loop, int64_t trips) const;
  /// The form in a ring of `slots`, of what is selected `ahead` iterations later now.
  RingIndex withSlots(int64_t slots, int64_t ahead) const;
  /// By how many iterations `writer` selects a slot before `reader` does; nothing if that is not one number.
  static std::optional<int64_t> iterationsAhead(const RingIndex &writer, const RingIndex &reader);
  /// 0 if numbers do not wrap around.
  int64_t getModulus() const { return modulus; }

  /// The smallest distance >= `from` such that `earlier` in some iteration k and `later` in iteration k + distance may
  /// select the same slot; nothing if they never do.
  static std::optional<int64_t> firstMeeting(const RingIndex &earlier, const RingIndex &later, int64_t from);

  /// The first iteration, counted from 0, in which `later` may select the slot that `before` has selected before
  /// its loop; nothing if it never does. `sameRun`: a value that is a term of both is the same in both.
  static std::optional<int64_t> firstIterationAt(const RingIndex &before, const RingIndex &later, bool sameRun);

  /// What `earlier` in iteration k is more than `later` so many iterations after it: number + step * k, plus an unknown
  /// multiple of `unit` (0: exactly that). Nothing if it may be anything.
  struct Difference {
    int64_t number = 0, step = 0, unit = 0;
  };
  static std::optional<Difference> difference(const RingIndex &earlier, const RingIndex &later, int64_t iterations);
  /// By how much it grows with each iteration, besides what is not known.
  int64_t getStep() const { return step; }
  /// Is anything known of it from one iteration to another?
  bool isKnown() const { return !varies && modulus != 1; }
  /// Is it the same in all iterations?
  bool isFixed() const { return step == 0 && !varies; }

private:
  friend class RingIndexBuilder;
  void reduceModulo(int64_t divisor);

  llvm::SmallMapVector<mlir::Value, int64_t, 2> terms;
  int64_t offset = 0, step = 0, modulus = 0;
  /// A term may differ from iteration to iteration.
  bool varies = false;
};

/// The loop that `loop` continues, directly before it; null if there is none.
mlir::scf::ForOp continuedLoop(mlir::scf::ForOp loop);

/// What `variable`, which `loop` carries, is in iteration 0: of the loop that it continues, if there is one. Null if
/// that one did not carry the variable.
mlir::Value initInFirstLoop(mlir::LoopLikeOpInterface loop, mlir::BlockArgument variable);

} // namespace hocket

#endif
