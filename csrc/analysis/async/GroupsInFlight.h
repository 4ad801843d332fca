//===- GroupsInFlight.h - Outstanding asynchronous accesses and their ages -------------------------===//
//
// At a program point, for each operation that starts asynchronous accesses (numbered by AsyncUses) and for each
// iteration in which it may have done so: whether a wait has completed the access, and if not, its *age*, the number of
// commits on its counter since, including its own. A wait that leaves n groups in flight completes those of age n + 1
// and more. If paths differ, the minimum age counts, which a wait must cover. The maximum age shows whether a wait may
// have completed the access on some path, so that it is not certainly in flight.
//
// Iterations are counted for each loop around the point:
//
//     copy a; commit                   a: before the loop, iteration 0
//     scf.for {                        a: before the loop, iteration k        the point is in the loop's iteration k
//       use                            b: in the loop, k iterations ago
//       copy b; commit
//     }
//
// so that slots of ring buffers can be distinguished (RingSlots.h). Iterations from kFar on are not distinguished.
//
// One wait can be left out on trial. The accesses that it would have completed stay in flight, and keep the minimum age
// that they had at the wait: a wait that leaves fewer groups than that completes them, one that leaves that number does
// not. Paths with different such ages are tracked separately.
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
  /// Iteration distances up to this are tracked exactly.
  static constexpr uint8_t kFar = 8;

  /// The time of a start, relative to a loop around the point.
  struct InLoop {
    /// Before this execution of the loop, whose iteration this is; otherwise in the loop, that number of iterations
    /// ago.
    bool isBefore = false;
    uint8_t iterations = 0;
    auto operator<=>(const InLoop &) const = default;
  };
  /// For each loop around the point, the outermost first.
  using When = llvm::SmallVector<InLoop, 8>;

  struct State {
    /// The minimum age on any path on which it is in flight; kFinished if there is none.
    unsigned age = kFinished;
    /// The maximum age on any path; for several iterations that are not distinguished, the age of the newest.
    unsigned greatestAge = 0;
    /// The maximum age on any path and in any of these iterations.
    unsigned oldestAge = 0;
    /// A wait has completed it on some path.
    bool mayBeFinished = false;
    bool isInFlight() const { return age != kFinished; }
    bool operator==(const State &) const = default;
  };
  static constexpr unsigned kFinished = ~0u;

  /// Calls `function(start, when, state)`.
  template <typename Function>
  void forEach(Function function) const {
    for (const Entry &entry : entries)
      function(entry.number, llvm::ArrayRef(entry.when), entry.state);
  }
  /// Calls `function(start, when, age)` for accesses that the wait on trial would have completed, with their age at
  /// that wait.
  template <typename Function>
  void forEachOnTrial(Function function) const {
    for (const Entry &entry : entries)
      if (entry.ageAtTrial && entry.state.isInFlight())
        function(entry.number, llvm::ArrayRef(entry.when), entry.ageAtTrial);
  }
  bool isAnyInFlight() const {
    return llvm::any_of(entries, [](const Entry &entry) { return entry.state.isInFlight(); });
  }

  /// Starts access `number`, at a point in `numLoops` loops.
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

  /// Applies a wait that leaves `outstanding` groups, and is left out on trial.
  template <typename IsOnCounter>
  void leaveOutWait(unsigned outstanding, IsOnCounter isOnCounter) {
    for (size_t i = 0, count = entries.size(); i < count; ++i) {
      Entry &entry = entries[i];
      if (!entry.state.isInFlight() || entry.state.oldestAge <= outstanding || !isOnCounter(entry.number))
        continue;
      if (entry.state.age > outstanding) {
        if (!entry.ageAtTrial || !entry.isFar()) // otherwise the age would grow without bound
          entry.ageAtTrial = entry.state.age;
        continue;
      }
      Entry older = entry; // the wait completes it only on some paths, or in some iterations
      entry.state.oldestAge = outstanding;
      older.state.age = older.ageAtTrial = outstanding + 1;
      entries.push_back(std::move(older));
    }
    sortAndMerge();
  }

  /// From here on, the accesses in flight complete in another way, such as through an mbarrier.
  template <typename IsOnCounter>
  void handOver(IsOnCounter isOnCounter) {
    for (Entry &entry : entries)
      if (entry.state.isInFlight() && isOnCounter(entry.number))
        entry.state = kDone;
  }

  void enterLoop();
  /// Drops completed accesses that were started in the loop. Those started before the loop are kept, as they may be in
  /// flight if the loop ran less often; unless `isTrial`, which needs only accesses that may be in flight.
  void nextIteration(bool isTrial = false);
  void leaveLoop();

  GroupsInFlight &operator|=(const GroupsInFlight &other);
  /// Joins the state at another exit of a loop. A start that is in flight at one exit alone may have been finished on the
  /// path to the other.
  void joinAlternative(GroupsInFlight other);
  bool operator==(const GroupsInFlight &) const = default;

private:
  /// Older than any group that a wait of the hardware leaves in flight.
  static constexpr unsigned kOldest = 64;
  static constexpr State kDone{kFinished, 0, 0, true};
  struct Entry {
    unsigned number = 0;
    When when;
    /// The minimum age at the wait that is left out on trial, in its last execution (for accesses of many iterations
    /// ago: in some execution); 0: that wait would not have completed it.
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

  /// Changes the times of all starts. Entries that become equal were started in several iterations on the same path, or
  /// before the loop on paths that differ in its trip count.
  template <typename Change>
  void remap(Change change);
  /// Joins the state of a start in one iteration with `other`, that of another iteration on the same path.
  static void joinIterations(State &state, const State &other);
  /// Joins the state on one path with `other`, that on another path.
  static void joinPaths(State &state, const State &other);
  /// Marks starts in flight that are not in flight in `other` as finished on some path.
  void markFinishedIn(const GroupsInFlight &other);
  /// Sorts entries whose ages at the trial have changed. Entries that become equal were on different paths.
  void sortAndMerge();

  /// Sorted.
  llvm::SmallVector<Entry, 4> entries;
};

} // namespace hocket

#endif
