//===- WaitNeeds.h - Finds operations that need a wait for accesses in flight -----------------===//
//
// Walks the program and tracks the accesses in flight (GroupsInFlight.h). An operation that conflicts with one of them
// (AsyncUses.h) *needs* a wait before it that leaves fewer groups in flight than the age of the access:
//
//     copy a; commit                in flight: a, age 1
//     copy b; commit                in flight: a, age 2    b, age 1
//     use a                         needs a wait that leaves at most 1 group
//
// Optionally, an access on certain counters counts as complete after the first operation that needs a wait for it, as
// if the wait had been inserted there.
//
// A *trial* leaves out one wait, to find the operations that need it: they conflict with an access that this wait
// completes, before another wait completes it. The wait must leave fewer groups in flight than the minimum age, at the
// wait, of these accesses. A wait that no operation needs can be removed. Needs that exist even with the wait are
// ignored: conditions may exclude them.
//
// Accesses on a counter on which the program neither commits nor waits, and for which no waits are inserted, are not
// tracked: no wait could complete them, and loops would fill the state with their iterations. A trial tracks only
// accesses that the wait may complete.
//
// Method: both branches of an scf.if are walked from the same state, and their results are joined. A loop's body is
// walked until the state at its start reaches a fixed point, then once more from that state. A short loop with a
// constant trip count is walked iteration by iteration. Only the steps of AsyncSteps.h are visited.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITNEEDS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITNEEDS_H

#include "transforms/minimize_waits/AsyncSteps.h"
#include "llvm/ADT/MapVector.h"

namespace hocket {

/// `op` conflicts with access `number`, which is in flight on `counter`.
struct WaitNeed {
  mlir::Operation *op = nullptr;
  unsigned number = 0;
  hk::AsyncCounter counter;
  /// The wait must leave fewer groups in flight than this. 0 if the access may not have been committed.
  unsigned age = 0;
  /// True if the operation conflicts with the access in every execution, and no wait has completed the access on any path.
  bool isCertain = false;
  /// True if `op` uses results of the access in registers.
  bool isInRegisters = false;
  /// The iterations in which the access was started, relative to the loops around `op`.
  GroupsInFlight::When when = {};
  bool operator==(const WaitNeed &) const = default;
};

/// `op` conflicts with access `number` before another wait has completed it, if the wait on trial leaves `age` groups
/// or more in flight.
struct TrialNeed {
  mlir::Operation *op = nullptr;
  unsigned number = 0;
  unsigned age = 0;
  bool isInRegisters = false;
};

class WaitNeeds {
public:
  /// For each changed wait, the number of groups that it leaves in flight; nullopt if it is removed.
  using Replaced = llvm::SmallMapVector<mlir::Operation *, std::optional<unsigned>, 2>;

  /// `placed`: the counters for which waits are inserted where operations need them.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<hk::AsyncCounter> placed);
  /// Considers only accesses that `wait` may complete: those on its counters, by its partition of warps.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, hk::AsyncWait wait);

  /// Returns all needs, in program order.
  llvm::SmallVector<WaitNeed, 0> find() const;
  /// Returns the operations that need `wait`, in program order; nullopt if the walk takes too long, as it may through
  /// deeply nested loops.
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
