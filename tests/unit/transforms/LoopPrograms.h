//===- LoopPrograms.h - Common parts of random programs: a ring buffer, and loops that select its slots -===//
//
// Loops are scf.for, or scf.while with counters that advance in common ways:
//
//     count < n                slot = slot + 1 == 4 ? 0 : slot + 1     by `select`
//     count += 1               slot = (slot + 1) & 3                   by a mask
//                              slot = (slot + 1) % 4                   by a remainder
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TRANSFORMS_LOOPPROGRAMS_H
#define HOCKET_TESTS_UNIT_TRANSFORMS_LOOPPROGRAMS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <random>

namespace hocket {

/// Names of values.
using Names = std::vector<std::string>;

/// Writes text that has %a and %b of type !smem, %ring of type !ring with 4 slots, %n, %c0 to %c4, %true, and for the
/// last arguments of the function %c, %d and %e of type i1.
class LoopWriter {
protected:
  /// `isRelated`: conditions are equal, opposite or imply each other.
  LoopWriter(std::mt19937 &random, bool isDeep, bool isRelated)
      : random(random), isDeep(isDeep), isRelated(isRelated) {}

  int draw(int below) { return random() % below; }
  std::string fresh() { return "%v" + std::to_string(count++); }
  void line(const std::string &what) { text += "  " + what + "\n"; }

  /// Returns a handle. `counters` are those of the innermost loop, empty outside of loops. After a loop, only tiles are
  /// returned, unless programs are deep.
  std::string tile(const Names &counters);

  /// Returns a condition. %c is random at each evaluation; %d, %e and conditions derived from them are constant in a
  /// run.
  std::string condition();

  /// Writes a loop that carries `values`, all of `type`, which then become its results. `body` writes a part of the
  /// loop and may replace the values.
  void writeLoop(Names &values, const std::string &type,
                 llvm::function_ref<void(const Names &counters, Names &values)> body);

  std::mt19937 &random;
  std::string text;
  bool isDeep, isRelated;
  bool hasLoop = false;

private:
  Names freshNames(size_t size);
  std::string operation(const std::string &what);
  void writeFor(Names &values, const std::string &type,
                llvm::function_ref<void(const Names &counters, Names &values)> body);
  void writeWhile(Names &values, const std::string &type,
                  llvm::function_ref<void(const Names &counters, Names &values)> body);
  std::string nextSlot(const std::string &slot, int kind);

  int count = 0;
};

/// The integers in a run, and its branches.
class LoopRun {
protected:
  explicit LoopRun(unsigned seed) : random(seed) {}

  /// Some branches are always taken, some never. Otherwise long runs of one choice would be rare.
  bool choose(mlir::scf::IfOp branch);
  unsigned chooseTrips() { return random() % 7; }

  int64_t numberOf(mlir::Value value);
  /// Sets `values` to the numbers of `sources`.
  void bindNumbers(mlir::ValueRange values, mlir::ValueRange sources);
  void setNumber(mlir::Value value, int64_t number) { numbers[value] = number; }

  /// The buffer and the slot.
  using Tile = std::pair<mlir::Operation *, int64_t>;
  Tile tileOf(mlir::Value handle);

private:
  std::mt19937 random;
  bool isFixed(mlir::Value condition);

  llvm::DenseMap<mlir::Operation *, unsigned> habits;
  llvm::DenseMap<mlir::Value, int64_t> numbers;
};

} // namespace hocket

#endif
