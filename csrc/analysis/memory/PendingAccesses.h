//===- PendingAccesses.h - Pending and outstanding accesses of buffers -------------===//
//
// At a program point, accesses of buffers (numbered by MemoryHazards) are in two sets:
//
//   pending     accesses that this warp has executed, but other warps may not have executed. A barrier empties the set.
//   in flight   asynchronous accesses that have been started, and that no wait on their counter (AsyncCounter.h) has
//               covered. Barriers do not affect accesses in flight. A wait makes the accesses that it covers pending:
//               the accesses of this warp are then complete, but accesses of other warps may still be in flight.
//
// Accesses in flight are stored for each counter and age. The age is the number of commits on the counter since the
// access was started. A wait that leaves n groups in flight covers accesses of age n + 1 and more:
//
//                              pending      in flight, by age 0, 1, 2
//     copy -> %a               {}           {a} {}  {}
//     commit                   {}           {}  {a} {}
//     copy -> %b               {}           {b} {a} {}
//     commit                   {}           {}  {b} {a}
//     wait {outstanding = 1}   {a}          {}  {b} {}
//     barrier                  {}           {}  {b} {}
//
// The set of pending accesses has two parts: accesses of the current iteration of the innermost loop, for which slots
// of ring buffers can be distinguished, and accesses of earlier iterations.
//
// Only pending accesses require barriers: a barrier cannot prevent a conflict with an access in flight, which the
// emulator reports as an error. After paths have joined, the state is the union of the paths' sets, for each age.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_PENDINGACCESSES_H
#define HOCKET_ANALYSIS_PENDINGACCESSES_H

#include "dialect/hk/facts/AsyncCounter.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket {

/// A counter of asynchronous accesses, and the maximum number of groups that a wait on this counter leaves in flight.
struct CounterUse {
  hk::AsyncCounter counter;
  unsigned maxOutstanding = 0;
};

/// Returns the counters of all asynchronous accesses and waits of `function`.
llvm::SmallVector<CounterUse, 1> countersOf(mlir::Operation *function);

class PendingAccesses {
public:
  /// Creates a state without accesses. `counters` are all counters of asynchronous accesses. On each counter, the
  /// maximum age that the state distinguishes is `moreAges` plus the maximum number of groups that a wait on this
  /// counter leaves in flight.
  PendingAccesses(unsigned numAccesses, llvm::ArrayRef<CounterUse> counters, unsigned moreAges = 0);

  const llvm::BitVector &ofIteration() const { return recent; }
  const llvm::BitVector &beforeIteration() const { return older; }

  void access(unsigned number) { recent.set(number); }
  /// Must be called at the beginning of a loop, at the beginning of each iteration, and at the end of the loop.
  void startIteration();
  /// Starts access `number`, which completes on `counter`.
  void start(unsigned number, hk::AsyncCounter counter);
  void commit(hk::AsyncCounter counter);
  void wait(hk::AsyncCounter counter, unsigned outstanding);
  /// If `op` is a wait, applies the effect of the wait.
  void waitFor(mlir::Operation *op);
  /// If `op` is a commit, applies the effect of the commit.
  void commitFor(mlir::Operation *op);
  void barrier() {
    recent.reset();
    older.reset();
  }

  /// Returns the possible ages (numbers of commits since the start) of access `number`, in descending order; empty if
  /// the access is not in flight.
  llvm::SmallVector<unsigned, 2> agesInFlight(unsigned number, hk::AsyncCounter counter) const;
  /// Returns the maximum age that the state distinguishes on `counter`; this age also represents all higher ages.
  unsigned lastAge(hk::AsyncCounter counter) const;
  /// True if access `number` may be in flight from an earlier iteration of a loop around this program point, or from a
  /// loop that precedes this program point.
  bool mayBeOfEarlierIteration(unsigned number) const { return carried.test(number); }

  PendingAccesses &operator|=(const PendingAccesses &other);
  /// True if `other` contains all accesses of this state.
  bool isWithin(const PendingAccesses &other) const;

private:
  /// The accesses in flight on one counter. byAge[a] contains the accesses that `a` commits have followed; the last
  /// element also contains the accesses of all higher ages.
  struct InFlight {
    hk::AsyncCounter counter;
    llvm::SmallVector<llvm::BitVector, 0> byAge;
  };
  /// Returns the accesses in flight on `counter`; null if no access completes on `counter`.
  const InFlight *find(hk::AsyncCounter counter) const;
  InFlight *find(hk::AsyncCounter counter) { return const_cast<InFlight *>(std::as_const(*this).find(counter)); }
  llvm::BitVector allInFlight() const;

  llvm::BitVector recent, older;
  /// Contains all accesses in flight that were started in earlier iterations; may contain other accesses, too.
  llvm::BitVector carried;
  llvm::SmallVector<InFlight, 1> inFlight;
};

} // namespace hocket

#endif
