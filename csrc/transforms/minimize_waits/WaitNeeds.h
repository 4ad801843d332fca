//===- WaitNeeds.h - Finds operations that need a wait for accesses in flight -----------------===//
//
// Walks the program and tracks the accesses in flight (GroupsInFlight.h). An operation that conflicts with an access in
// flight (AsyncUses.h) *needs* a wait before it. The wait must leave fewer groups in flight than the *age* of the
// access, which is the number of groups committed since the access was started:
//
//     copy a; commit                in flight: a, age 1
//     copy b; commit                in flight: a, age 2    b, age 1
//     use a                         needs a wait that leaves at most 1 group
//
// For counters whose waits the pass inserts, an access counts as complete after the first operation that needs a wait
// for it.
//
// A *trial* leaves out one wait, to find the operations that need this wait. An operation needs the wait if the
// operation conflicts with an access that the wait completes, and if no other wait completes the access before the
// operation. The wait must leave fewer groups in flight than the minimum age of all accesses for which it is needed. A
// wait that no operation needs can be removed. If an operation lacks a wait even when no wait is left out, this need is
// ignored, because conditions possibly exclude the path.
//
// If the program neither commits nor waits on a counter, and the pass inserts no waits for the counter, the accesses on
// this counter are not tracked. No wait could complete such accesses, so the state would grow with each iteration of a
// loop. A trial tracks only accesses that the wait under trial can complete.
//
// Method: both branches of an scf.if are walked from the same state, and the states at their ends are joined. The body
// of a loop is walked until the state at its start reaches a fixed point. A short loop with a constant trip count is
// walked iteration by iteration. Walks visit only the steps of AsyncSteps.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITNEEDS_H
#define HOCKET_TRANSFORMS_MINIMIZE_WAITS_WAITNEEDS_H

#include "transforms/minimize_waits/AsyncSteps.h"
#include "llvm/ADT/MapVector.h"

namespace hocket {

/// The need of `op` for a wait: the access with index `number`, with which `op` conflicts, is in flight on `counter`.
struct WaitNeed {
  mlir::Operation *op = nullptr;
  unsigned number = 0;
  hk::AsyncCounter counter;
  /// The wait must leave fewer than `age` groups in flight. `age` is 0 if the access is possibly not committed.
  unsigned age = 0;
  /// True if the operation conflicts with the access in every execution, and no wait on any path has completed the
  /// access.
  bool isCertain = false;
  /// True if `op` uses results of the access in registers.
  bool isInRegisters = false;
  /// The iterations in which the access was started, relative to the loops around `op`.
  GroupsInFlight::When when = {};
  bool operator==(const WaitNeed &) const = default;
};

/// Result of a trial: if the wait under trial leaves `age` groups or more in flight, `op` conflicts with access
/// `number`, which no other wait has completed.
struct TrialNeed {
  mlir::Operation *op = nullptr;
  unsigned number = 0;
  unsigned age = 0;
  bool isInRegisters = false;
};

class WaitNeeds {
public:
  /// For each changed wait, the number of groups that the wait leaves in flight; nullopt if the wait is removed.
  using Replaced = llvm::SmallMapVector<mlir::Operation *, std::optional<unsigned>, 2>;

  /// Considers all accesses of the function. `placed` are the counters for which the pass inserts a wait before each
  /// operation that needs one.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<hk::AsyncCounter> placed);
  /// Considers only accesses that `wait` can complete: accesses by the same partition of warps, on counters of `wait`.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, hk::AsyncWait wait);

  /// Returns all needs for waits, in program order.
  llvm::SmallVector<WaitNeed, 0> find() const;
  /// Returns the operations that need `wait`, in program order; nullopt if the walk takes too long, which can happen
  /// with deeply nested loops.
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
