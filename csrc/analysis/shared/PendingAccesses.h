//===- PendingAccesses.h - What warps must not take for done -----------------------===//
//
// At a point of the program, accesses of shared memory (numbered by SharedHazards) are in two sets:
//
//   pending     done by this warp, perhaps not yet by others. A barrier empties the set.
//   in flight   started, but covered by no wait on their counter (AsyncCounter.h). They pass through barriers; a wait
//               makes those it covers pending: this warp's part is then done, those of others need not be.
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
// The pending ones are kept in two parts: what the current iteration of the innermost loop has done, where slots of
// rings can be told apart, and what was done before.
//
// An access that meets one in flight is a mistake that no barrier can heal (the emulator reports it), so only the
// pending ones count for barriers. Where paths join, an access is in a set, at an age, if it is so on some path.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_PENDINGACCESSES_H
#define HOCKET_ANALYSIS_PENDINGACCESSES_H

#include "dialect/hk/facts/AsyncCounter.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket {

/// A counter, and the most groups that any wait on it leaves in flight.
struct CounterUse {
  hk::AsyncCounter counter;
  unsigned maxOutstanding = 0;
};

/// The counters of what `function` starts asynchronously.
llvm::SmallVector<CounterUse, 1> countersOf(mlir::Operation *function);

class PendingAccesses {
public:
  /// Nothing is pending. `counters` are all that accesses may be on; each is followed for `moreAges` commits beyond
  /// what its waits leave.
  PendingAccesses(unsigned numAccesses, llvm::ArrayRef<CounterUse> counters, unsigned moreAges = 0);

  const llvm::BitVector &ofIteration() const { return recent; }
  const llvm::BitVector &beforeIteration() const { return older; }

  void access(unsigned number) { recent.set(number); }
  /// A loop begins or ends, or its next iteration begins.
  void startIteration();
  /// Access `number`, which is on `counter`, is started.
  void start(unsigned number, hk::AsyncCounter counter);
  void commit(hk::AsyncCounter counter);
  void wait(hk::AsyncCounter counter, unsigned outstanding);
  /// What `op` waits for, if it does.
  void waitFor(mlir::Operation *op);
  /// What `op` commits, if it does.
  void commitFor(mlir::Operation *op);
  void barrier() {
    recent.reset();
    older.reset();
  }

  /// How many commits may have followed access `number`, its own among them, the most first; none if it is not in
  /// flight.
  llvm::SmallVector<unsigned, 2> agesInFlight(unsigned number, hk::AsyncCounter counter) const;
  /// The age on `counter` that stands for all beyond, too.
  unsigned lastAge(hk::AsyncCounter counter) const;
  /// Access `number` may be in flight from an earlier iteration of a loop around this point, or from a loop before it.
  bool mayBeOfEarlierIteration(unsigned number) const { return carried.test(number); }

  PendingAccesses &operator|=(const PendingAccesses &other);
  /// Does `other` have all that this has?
  bool isWithin(const PendingAccesses &other) const;

private:
  /// Of one counter. The last age stands for all beyond.
  struct InFlight {
    hk::AsyncCounter counter;
    llvm::SmallVector<llvm::BitVector, 0> byAge;
  };
  /// Null for a counter that no access is on.
  const InFlight *find(hk::AsyncCounter counter) const;
  InFlight *find(hk::AsyncCounter counter) { return const_cast<InFlight *>(std::as_const(*this).find(counter)); }
  llvm::BitVector allInFlight() const;

  llvm::BitVector recent, older;
  /// Accesses in flight of earlier iterations; of these perhaps more than there are.
  llvm::BitVector carried;
  llvm::SmallVector<InFlight, 1> inFlight;
};

} // namespace hocket

#endif
