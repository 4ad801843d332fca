//===- GroupsInFlight.h - Outstanding asynchronous accesses and their ages -------------------------===//
//
// The state at a program point has one entry for each pair of an operation that starts asynchronous accesses (numbered
// by AsyncUses) and an iteration in which the operation may have started the accesses. Each entry records whether a
// wait has completed the access. If no wait has completed the access, the access has an *age*: the number of commits on
// its counter since the access was started, including the commit of its own group. A wait that leaves n groups in
// flight completes accesses of age n + 1 and more. After paths have joined, an access may have a different age on each
// path. A wait that leaves n groups in flight completes the access on every path if the minimum age exceeds n. If only
// the maximum age exceeds n, the access may be complete or in flight after the wait.
//
// The state counts iterations separately for each loop around the program point. In this example, the use is in
// iteration k:
//
//     copy a; commit
//     scf.for {
//       use                            a: started before the loop, of which this is iteration k
//                                      b: started in the loop, 1, 2, ... or k iterations ago
//       copy b; commit
//     }
//
// Iterations are counted because they determine the slots of ring buffers (RingSlots.h). The state does not distinguish
// numbers of iterations of kFar and more.
//
// To find out whether a wait is needed, the analysis can run as if the wait were absent (*on trial*). An access that
// the omitted wait would have completed then stays in flight, and its entry records the minimum age of the access at
// this wait. Any wait that leaves fewer groups in flight than this age would complete the access. If the recorded ages
// differ between paths, the access has one entry for each recorded age.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_GROUPSINFLIGHT_H
#define HOCKET_ANALYSIS_ASYNC_GROUPSINFLIGHT_H

#include "dialect/hk/facts/AsyncCounter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <tuple>

namespace hocket {

class GroupsInFlight {
public:
  /// Numbers of iterations below kFar are exact; kFar represents all larger numbers, too.
  static constexpr uint8_t kFar = 8;

  /// The time at which an access was started, counted in iterations of one loop around the program point.
  struct InLoop {
    /// True if the access was started before the loop; `iterations` is then the number of the current iteration of the
    /// loop. If `isBefore` is false, the access was started in the loop, `iterations` iterations before the current
    /// iteration.
    bool isBefore = false;
    uint8_t iterations = 0;
    auto operator<=>(const InLoop &) const = default;
  };
  /// The time at which an access was started, for each loop around the program point, outermost loop first.
  using When = llvm::SmallVector<InLoop, 8>;

  struct State {
    /// The minimum age of the access over the paths on which the access is in flight; kFinished if the access is
    /// complete on all paths.
    unsigned age = kFinished;
    /// The maximum age (number of commits since the start) of the access over all paths. If the entry represents
    /// accesses of several iterations, only the age of the most recent access counts.
    unsigned greatestAge = 0;
    /// The maximum age over all paths and over all accesses that the entry represents, including older accesses.
    unsigned oldestAge = 0;
    /// True if the access may be complete on at least one path.
    bool mayBeFinished = false;
    bool isInFlight() const { return age != kFinished; }
    bool operator==(const State &) const = default;
  };
  static constexpr unsigned kFinished = ~0u;

  /// Calls `function(start, when, state)` for each entry; `start` is an index into AsyncUses::starts().
  template <typename Function>
  void forEach(Function function) const {
    for (const Entry &entry : entries)
      function(entry.number, llvm::ArrayRef(entry.when), entry.state);
  }
  /// Calls `function(start, when, age)` for each access in flight that the wait omitted on trial would have completed;
  /// `age` is the minimum age of the access at this wait.
  template <typename Function>
  void forEachOnTrial(Function function) const {
    for (const Entry &entry : entries)
      if (entry.ageAtTrial && entry.state.isInFlight())
        function(entry.number, llvm::ArrayRef(entry.when), entry.ageAtTrial);
  }
  bool isAnyInFlight() const {
    return llvm::any_of(entries, [](const Entry &entry) { return entry.state.isInFlight(); });
  }

  /// Adds an entry for the start with index `number`, which is executed at a program point inside `numLoops` loops.
  void start(unsigned number, unsigned numLoops);
  template <typename IsOnCounter>
  void commit(IsOnCounter isOnCounter) {
    for (Entry &entry : entries)
      if (State &state = entry.state; state.isInFlight() && isOnCounter(entry.number)) {
        state.age = std::min(state.age + 1, kOldest);
        state.greatestAge = std::min(state.greatestAge + 1, kOldest);
        state.oldestAge = std::min(state.oldestAge + 1, kOldest);
      }
  }
  template <typename IsOnCounter>
  void wait(unsigned outstanding, IsOnCounter isOnCounter) {
    for (Entry &entry : entries)
      if (State &state = entry.state; state.isInFlight() && isOnCounter(entry.number)) {
        if (state.age > outstanding)
          state = kDone;
        state.oldestAge = std::min(state.oldestAge, outstanding);
        state.mayBeFinished |= state.greatestAge > outstanding;
      }
  }

  /// Omits, on trial, a wait that leaves `outstanding` groups in flight.
  template <typename IsOnCounter>
  void leaveOutWait(unsigned outstanding, IsOnCounter isOnCounter) {
    for (size_t i = 0, count = entries.size(); i < count; ++i) {
      Entry &entry = entries[i];
      if (!entry.state.isInFlight() || entry.state.oldestAge <= outstanding || !isOnCounter(entry.number))
        continue;
      if (entry.state.age > outstanding) {
        // The age of an entry with kFar iterations could grow forever, so only its first value is recorded.
        if (!entry.ageAtTrial || !entry.isFar())
          entry.ageAtTrial = entry.state.age;
        continue;
      }
      Entry older = entry; // the omitted wait completes the access only on some paths or in some iterations
      entry.state.oldestAge = outstanding;
      older.state.age = older.ageAtTrial = outstanding + 1;
      entries.push_back(std::move(older));
    }
    sortAndMerge();
  }

  /// Marks the accesses in flight on a counter as completed, because they complete with a phase of an mbarrier and not
  /// at a wait.
  template <typename IsOnCounter>
  void handOver(IsOnCounter isOnCounter) {
    for (Entry &entry : entries)
      if (entry.state.isInFlight() && isOnCounter(entry.number))
        entry.state = kDone;
  }

  void enterLoop();
  /// Advances to the next iteration, and drops completed accesses that were started in the loop. Completed accesses
  /// that were started before the loop are kept, because these accesses may still be in flight on paths with fewer
  /// iterations. With `isTrial`, completed accesses that were started before the loop are dropped, too.
  void nextIteration(bool isTrial = false);
  void leaveLoop();

  GroupsInFlight &operator|=(const GroupsInFlight &other);
  /// Joins this state, the state at one exit of a loop, with `other`, the state at another exit of the loop. An access
  /// that is in flight at only one of the two exits may be complete on the path to the other exit (`mayBeFinished`).
  void joinAlternative(GroupsInFlight other);
  bool operator==(const GroupsInFlight &) const = default;

private:
  /// Maximum age of an access (number of commits since its start); this value represents all higher ages, too. The
  /// value exceeds the number of groups that any hardware wait can leave in flight.
  static constexpr unsigned kOldest = 64;
  static constexpr State kDone{kFinished, 0, 0, true};
  struct Entry {
    unsigned number = 0;
    When when;
    /// The minimum age of the access at the last execution of the wait that is omitted on trial. If the entry
    /// represents several iterations, the value is the age at one of the executions of the wait. The value is 0 if the
    /// omitted wait would not have completed the access.
    unsigned ageAtTrial = 0;
    State state;
    auto key() const { return std::tie(number, when, ageAtTrial); }
    bool isSame(const Entry &other) const { return key() == other.key(); }
    bool isBefore(const Entry &other) const { return key() < other.key(); }
    bool isBeforeLoop() const { return !when.empty() && when.back().isBefore; }
    bool isFar() const {
      return llvm::any_of(when, [](const InLoop &inLoop) { return inLoop.iterations == kFar; });
    }
    bool operator==(const Entry &) const = default;
  };
  static bool isInOrder(const Entry &a, const Entry &b) { return a.isBefore(b); }

  /// Applies `change` to the `when` of all entries, and merges entries that become equal. Entries become equal if they
  /// are accesses of several iterations on one path, or accesses before a loop on paths with different trip counts.
  template <typename Change>
  void remap(Change change);
  /// Joins `state`, the state of an access in one iteration, with `other`, the state of the access in another iteration
  /// on the same path.
  static void joinIterations(State &state, const State &other);
  /// Joins `state`, the state of an access on one path, with `other`, the state of the access on another path.
  static void joinPaths(State &state, const State &other);
  /// Sets `mayBeFinished` of each access that is in flight in this state but not in `other`.
  void markFinishedIn(const GroupsInFlight &other);
  /// Sorts the entries, and merges entries with equal keys, which come from different paths. Must be called after
  /// `ageAtTrial` of entries has changed.
  void sortAndMerge();

  /// The entries, sorted by `key()`.
  llvm::SmallVector<Entry, 4> entries;
};

} // namespace hocket

#endif
