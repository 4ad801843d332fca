//===- WaitNeeds.h - Which operations come too early for what is in flight -------------------------===//
//
// Walks the program with what is in flight (GroupsInFlight.h). An operation that meets an access in flight
// (AsyncUses.h) *needs* a wait before it that leaves one group less than the access is old:
//
//     copy a; commit                in flight: a, age 1
//     copy b; commit                in flight: a, age 2    b, age 1
//     use a                         needs: at most 1 group
//
// The walk can be asked to take for done, once it has been needed, what is on certain counters: as if a wait stood
// there.
//
// One wait can be tried: which operations meet what this wait finishes, before another wait has finished it? It may
// leave at most one group less than the least age that such an access has at the wait; without such an operation, it
// is not needed. Needs that the program has anyway play no part: whether conditions exclude them is not known.
//
// What is started on a counter on which nothing commits or waits, and no wait is put, is left out: no wait could finish
// it, and loops would fill the state with its iterations. For a trial, only what the wait may finish is followed.
//
// Method: scf.if: both branches from the same state, then the union. Loops: the body is walked again with what its end
// leaves, until nothing new arrives at its start; then once more with exactly that. A short loop of constant length is
// walked one iteration after the other. Walks go through AsyncSteps.h.
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
  /// A wait must leave fewer groups than this; 0 if the access may not have been committed.
  unsigned age = 0;
  /// They meet each time, and no wait has finished the access on any path.
  bool isCertain = false;
  /// `op` uses its results in registers.
  bool isInRegisters = false;
  bool operator==(const WaitNeed &) const = default;
};

/// `op` meets start `number` before another wait has finished it, if the wait on trial leaves `age` groups or more.
struct TrialNeed {
  mlir::Operation *op = nullptr;
  unsigned number = 0;
  unsigned age = 0;
  bool isInRegisters = false;
};

class WaitNeeds {
public:
  /// What a wait leaves in place of what is written; nothing: it is not there.
  using Replaced = llvm::SmallMapVector<mlir::Operation *, std::optional<unsigned>, 2>;

  /// `placed`: the counters on which waits are put where they are needed.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, llvm::ArrayRef<hk::AsyncCounter> placed);
  /// Of what `wait` may finish alone: of its counters and its partition of warps.
  WaitNeeds(mlir::Region &function, const AsyncUses &uses, hk::AsyncWait wait);

  /// In program order; all that an operation meets.
  llvm::SmallVector<WaitNeed, 0> find() const;
  /// Returns the operations that need `wait`, in program order.
  llvm::SmallVector<TrialNeed, 0> tryWithout(hk::AsyncWait wait, const Replaced &replaced = Replaced()) const;

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
