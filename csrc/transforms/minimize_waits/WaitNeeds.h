//===- WaitNeeds.h - Finds operations that come too early for accesses in flight -------------------===//
//
// Walks the program with the accesses in flight (GroupsInFlight.h). An operation that meets such an access
// (AsyncUses.h) *needs* a wait before it that leaves one group less in flight than the age of the access:
//
//     copy a; commit                in flight: a, age 1
//     copy b; commit                in flight: a, age 2    b, age 1
//     use a                         needs: at most 1 group
//
// Optionally, accesses on certain counters count as complete once they have been needed, as if a wait had been inserted
// there.
//
// One wait can be left out on trial, to find the operations that meet accesses which this wait completes, before
// another wait completes them. The wait may leave at most one group less than the minimum age of such an access at the
// wait; without such an operation it is not needed. Needs that exist with the wait are ignored: conditions may exclude
// them.
//
// Accesses on a counter without commits, waits and insertions are left out: no wait could complete them, and loops
// would fill the state with their iterations. A trial tracks only accesses that the wait may complete.
//
// Method: scf.if: both branches from the same state, then the union. Loops: the body is walked again with the state at
// its end, to a fixed point at its start; then once more with exactly that state. A short loop of constant trip count
// is walked iteration by iteration. Walks go through AsyncSteps.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITNEEDS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITNEEDS_H

#include "transforms/minimize_waits/AsyncSteps.h"
#include "llvm/ADT/MapVector.h"

namespace hocket {

/// `op` meets start `number`, which is on `counter` and in flight.
struct WaitNeed {
  mlir::Operation *op = nullptr;
  unsigned number = 0;
  hk::AsyncCounter counter;
  /// A wait must leave fewer groups in flight than this; 0 if the access may not have been committed.
  unsigned age = 0;
  /// True if the operation conflicts with the access in every execution, and no wait has completed the access on any path.
  bool isCertain = false;
  /// True if `op` uses its results in registers.
  bool isInRegisters = false;
  /// The time of the start, relative to the loops around `op`.
  GroupsInFlight::When when = {};
  bool operator==(const WaitNeed &) const = default;
};

/// `op` meets start `number` before another wait has completed it, if the wait on trial leaves `age` groups or more.
struct TrialNeed {
  mlir::Operation *op = nullptr;
  unsigned number = 0;
  unsigned age = 0;
  bool isInRegisters = false;
};

class WaitNeeds {
public:
  /// New numbers of groups that waits leave in flight; nullopt: the wait is removed.
  using Replaced = llvm::SmallMapVector<mlir::Operation *, std::optional<unsigned>, 2>;

  /// `placed`: the counters whose waits are inserted where they are needed.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<hk::AsyncCounter> placed);
  /// Considers only accesses that `wait` may complete: those of its counters and its partition of warps.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, hk::AsyncWait wait);

  /// Returns all needs, in program order.
  llvm::SmallVector<WaitNeed, 0> find() const;
  /// Returns the operations that need `wait`, in program order; nullopt if the walk takes too long, through loops in
  /// loops in loops.
  std::optional<llvm::SmallVector<TrialNeed, 0>> tryWithout(hk::AsyncWait wait,
                                                            const Replaced &replaced = Replaced()) const;

private:
  using Steps = std::vector<AsyncStep>;
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<hk::AsyncCounter> placed,
            llvm::function_ref<bool(const AsyncUses::Start &)> isFollowed);

  const AsyncUses &uses;
  llvm::ArrayRef<hk::AsyncCounter> placed;
  Steps steps;
};

} // namespace hocket

#endif
