//===- Budget.h - Limits on the size of a kernel ------------------------------------===//
//
// Loops over gl.static_range and calls of jit functions are emitted in place, so a short kernel can become long IR. The
// front end checks the budget while it emits unrolled loops and inlined calls. If the budget is exceeded, the front end
// raises an error at the loop or call, before the compiler runs out of time or memory. Compiling one operation of the
// IR takes about 20 to 100 us and 2 to 10 KB of memory.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_BUDGET_H
#define HOCKET_FRONTEND_EMIT_BUDGET_H

#include "mlir/IR/Builders.h"
#include <algorithm>
#include <limits>

namespace hocket::frontend {

/// Counts the operations that an OpBuilder inserts.
class Budget final : mlir::OpBuilder::Listener {
public:
  static constexpr int64_t kMaxOperations = 1 << 17;
  /// Maximum number of operations of one unrolled loop. An iteration that emits no operations counts as one operation,
  /// because it also takes compile time.
  static constexpr int64_t kMaxUnrolled = 1 << 16;
  static constexpr int64_t kMaxCalls = 1 << 14;

  explicit Budget(mlir::OpBuilder &builder) { builder.setListener(this); }
  Budget(const Budget &) = delete;

  int64_t getOperations() const { return operations; }
  int64_t countCall() { return ++calls; }

private:
  void notifyOperationInserted(mlir::Operation *, mlir::OpBuilder::InsertPoint) override { ++operations; }

  int64_t operations = 0, calls = 0;
};

/// Estimates the number of operations of a completely unrolled loop. The iterations can have different numbers of
/// operations, for example because of `if i == 0:`. Each iteration that is not emitted yet is assumed to be as small as
/// the smallest iteration so far, so that no loop within the budget is rejected.
class UnrollEstimate {
public:
  UnrollEstimate(const Budget &budget, uint64_t trips) : budget(budget), trips(trips), begin(budget.getOperations()) {}

  void finishTrip() {
    ++done;
    int64_t now = budget.getOperations();
    smallest = std::min(smallest, std::max<int64_t>(now - begin - made, 1));
    made = std::max(now - begin, int64_t(done));
  }
  /// True if the unrolled loop exceeds Budget::kMaxUnrolled. The size of the whole loop is estimated only after
  /// kFewestTrips iterations, because the first iterations are often larger or smaller than later iterations.
  bool isTooLarge() const { return made > Budget::kMaxUnrolled || (done >= kFewestTrips && total() > kLimit); }
  double total() const { return double(made) + double(smallest) * double(trips - done); }

private:
  static constexpr uint64_t kFewestTrips = 4;
  static constexpr double kLimit = Budget::kMaxUnrolled;

  const Budget &budget;
  uint64_t trips, done = 0;
  int64_t begin, made = 0, smallest = std::numeric_limits<int64_t>::max();
};

} // namespace hocket::frontend

#endif
