//===- PendingAccesses.h - Pending and outstanding accesses of buffers -------------===//
//
// At a program point, accesses of buffers (numbered by MemoryHazards) are in two sets:
//
//   pending     made by this warp, possibly not yet by others. A barrier empties the set.
//   in flight   started, but not covered by a wait on their counter (AsyncCounter.h). Barriers do not affect them; a
//               wait makes the accesses that it covers pending: this warp's part is then complete, others' may not be.
//
// Accesses in flight are kept by counter and age, the number of commits on the counter since they were started. A wait
// that leaves n groups covers those of age n + 1 and more:
//
//                              pending      in flight, by age 0, 1, 2
//     copy -> %a               {}           {a} {}  {}
//     commit                   {}           {}  {a} {}
//     copy -> %b               {}           {b} {a} {}
//     commit                   {}           {}  {b} {a}
//     wait {outstanding = 1}   {a}          {}  {b} {}
//     barrier                  {}           {}  {b} {}
//
// The pending accesses are kept in two parts: those of the current iteration of the innermost loop, in which slots of
// ring buffers can be distinguished, and earlier ones.
//
// Barriers cannot prevent a conflict with an access in flight, which the emulator reports as an error; so only pending
// accesses require barriers. Where paths join, an access is in a set, at an age, if it is so on some path.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_PENDINGACCESSES_H
#define HOCKET_ANALYSIS_PENDINGACCESSES_H

#include "dialect/hk/facts/AsyncCounter.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket {

/// A counter, and the maximum number of groups that any wait on it leaves in flight.
struct CounterUse {
  hk::AsyncCounter counter;
  unsigned maxOutstanding = 0;
};

/// Returns the counters of all accesses that `function` starts asynchronously.
llvm::SmallVector<CounterUse, 1> countersOf(mlir::Operation *function);

class PendingAccesses {
public:
  /// The empty state. `counters` are all that accesses may be on; each is tracked for `moreAges` commits beyond the
  /// groups that its waits leave in flight.
  PendingAccesses(unsigned numAccesses, llvm::ArrayRef<CounterUse> counters, unsigned moreAges = 0);

  const llvm::BitVector &ofIteration() const { return recent; }
  const llvm::BitVector &beforeIteration() const { return older; }

  void access(unsigned number) { recent.set(number); }
  /// Called when a loop begins or ends, or its next iteration begins.
  void startIteration();
  /// Starts access `number`, which is on `counter`.
  void start(unsigned number, hk::AsyncCounter counter);
  void commit(hk::AsyncCounter counter);
  void wait(hk::AsyncCounter counter, unsigned outstanding);
  /// Applies the wait of `op`, if it waits.
  void waitFor(mlir::Operation *op);
  /// Applies the commit of `op`, if it commits.
  void commitFor(mlir::Operation *op);
  void barrier() {
    recent.reset();
    older.reset();
  }

  /// Returns the possible numbers of commits since access `number`, including its own, in descending order; empty if it
  /// is not in flight.
  llvm::SmallVector<unsigned, 2> agesInFlight(unsigned number, hk::AsyncCounter counter) const;
  /// Returns the age on `counter` that represents all higher ones, too.
  unsigned lastAge(hk::AsyncCounter counter) const;
  /// True if access `number` may be in flight from an earlier iteration of a loop around this point, or from a loop
  /// before it.
  bool mayBeOfEarlierIteration(unsigned number) const { return carried.test(number); }

  PendingAccesses &operator|=(const PendingAccesses &other);
  /// True if `other` contains all accesses of this state.
  bool isWithin(const PendingAccesses &other) const;

private:
  /// The accesses of one counter. The last age represents all higher ones.
  struct InFlight {
    hk::AsyncCounter counter;
    llvm::SmallVector<llvm::BitVector, 0> byAge;
  };
  /// Returns null for a counter without accesses.
  const InFlight *find(hk::AsyncCounter counter) const;
  InFlight *find(hk::AsyncCounter counter) { return const_cast<InFlight *>(std::as_const(*this).find(counter)); }
  llvm::BitVector allInFlight() const;

  llvm::BitVector recent, older;
  /// Accesses in flight from earlier iterations; may contain others.
  llvm::BitVector carried;
  llvm::SmallVector<InFlight, 1> inFlight;
};

} // namespace hocket

#endif
