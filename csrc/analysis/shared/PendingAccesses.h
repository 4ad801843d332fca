//===- PendingAccesses.h - What warps must not take for done -----------------------===//
//
// At a point of the program, accesses of shared memory (numbered by SharedHazards) are in two sets:
//
//   pending     done by this warp, perhaps not yet by others. A barrier empties the set.
//   in flight   asynchronous copies that were issued but that no wait has covered. They pass through barriers; a wait
//               for groups makes those it covers pending: this warp's part is then done, those of others need not be.
//
// In-flight copies are kept by age, the number of commits since they were issued. A wait that leaves n groups covers
// those of age n + 1 and more:
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

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket {

class PendingAccesses {
public:
  /// Nothing is pending. `maxOutstanding` is the most that any wait leaves in flight.
  PendingAccesses(unsigned numAccesses, unsigned maxOutstanding);

  const llvm::BitVector &ofIteration() const { return recent; }
  const llvm::BitVector &beforeIteration() const { return older; }

  void access(unsigned number) { recent.set(number); }
  /// A loop begins or ends, or its next iteration begins.
  void startIteration();
  void issueCopy(unsigned number) { byAge.front().set(number); }
  void commit();
  void wait(unsigned outstanding);
  void barrier() {
    recent.reset();
    older.reset();
  }

  /// How many commits may have followed copy `number`, its own among them, the most first; none if it is not in flight.
  llvm::SmallVector<unsigned, 2> agesInFlight(unsigned number) const;
  /// The age that stands for all beyond, too.
  unsigned lastAge() const { return byAge.size() - 1; }
  /// Copy `number` may be in flight from an earlier iteration of a loop around this point, or from a loop in front.
  bool mayBeOfEarlierIteration(unsigned number) const { return carried.test(number); }

  PendingAccesses &operator|=(const PendingAccesses &other);
  /// Does `other` have all that this has?
  bool isWithin(const PendingAccesses &other) const;

private:
  llvm::BitVector recent, older;
  /// Copies in flight of earlier iterations; of these perhaps more than there are.
  llvm::BitVector carried;
  /// The last age stands for all beyond.
  llvm::SmallVector<llvm::BitVector, 0> byAge;
};

} // namespace hocket

#endif
