//===- GroupsInFlight.h - Which asynchronous accesses are unfinished, and how old they are ---------===//
//
// At a point of the program, for each operation that starts asynchronous accesses (numbered by AsyncUses) and for each
// iteration in which it may have done so: whether a wait has finished what it started, and if not, its *age*, the
// number of commits on its counter since, its own among them. A wait that leaves n groups finishes those of age n + 1
// and more. Where paths differ, the least age counts: it is what a wait has to reckon with. The greatest one tells what
// a wait may have finished, so that there is no saying that it certainly goes on.
//
// Iterations are counted for each loop around the point:
//
//     copy a; commit                   a: before the loop, iteration 0
//     scf.for {                        a: before the loop, iteration k        the point is in the loop's iteration k
//       use                            b: in the loop, k iterations ago
//       copy b; commit
//     }
//
// so that slots of rings can be told apart (RingSlots.h). From kFar on they are not counted.
//
// One wait can be left out on trial. What it would have finished stays in flight, and keeps the least age that it had
// at the wait: a wait that leaves fewer groups than that completes it, one that leaves that number does not. Paths with
// different such ages are followed apart.
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
  /// So many iterations are told apart.
  static constexpr uint8_t kFar = 8;

  /// When something was started, seen from a loop around the point.
  struct InLoop {
    /// Before this run of the loop, and this is its iteration; else in the loop, so many iterations ago.
    bool isBefore = false;
    uint8_t iterations = 0;
    auto operator<=>(const InLoop &) const = default;
  };
  /// For each loop around the point, the outermost first.
  using When = llvm::SmallVector<InLoop, 2>;

  struct State {
    /// The least age on any path where it is unfinished; kFinished if there is none.
    unsigned age = kFinished;
    /// The greatest age on any path; of several iterations that are not told apart, the age of the newest.
    unsigned greatestAge = 0;
    /// The greatest age on any path and in any of these iterations.
    unsigned oldestAge = 0;
    /// A wait has finished it on some path.
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
  /// Calls `function(start, when, age)` for what the wait on trial would have finished, with its age at that wait.
  template <typename Function>
  void forEachOnTrial(Function function) const {
    for (const Entry &entry : entries)
      if (entry.ageAtTrial && entry.state.isInFlight())
        function(entry.number, llvm::ArrayRef(entry.when), entry.ageAtTrial);
  }
  bool isAnyInFlight() const {
    return llvm::any_of(entries, [](const Entry &entry) { return entry.state.isInFlight(); });
  }

  /// Start `number`, at a point in `numLoops` loops.
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

  /// A wait that leaves `outstanding` groups, and is left out on trial.
  template <typename IsOnCounter>
  void leaveOutWait(unsigned outstanding, IsOnCounter isOnCounter) {
    for (size_t i = 0, count = entries.size(); i < count; ++i) {
      Entry &entry = entries[i];
      if (!entry.state.isInFlight() || entry.state.oldestAge <= outstanding || !isOnCounter(entry.number))
        continue;
      if (entry.state.age > outstanding) {
        if (!entry.ageAtTrial || !entry.isFar()) // else the age would grow without bound
          entry.ageAtTrial = entry.state.age;
        continue;
      }
      Entry older = entry; // the wait finishes it on some paths, or in some iterations, only
      entry.state.oldestAge = outstanding;
      older.state.age = older.ageAtTrial = outstanding + 1;
      entries.push_back(std::move(older));
    }
    sortAndMerge();
  }

  /// Somebody else tells when what is in flight is done.
  template <typename IsOnCounter>
  void handOver(IsOnCounter isOnCounter) {
    for (Entry &entry : entries)
      if (entry.state.isInFlight() && isOnCounter(entry.number))
        entry.state = kDone;
  }

  void enterLoop();
  /// Forgets what is finished and was started in the loop. Of what was started before the loop it stays known, for
  /// where the loop ran less often it may be in flight; unless `isTrial`, which asks only what may be in flight.
  void nextIteration(bool isTrial = false);
  void leaveLoop();

  GroupsInFlight &operator|=(const GroupsInFlight &other);
  bool operator==(const GroupsInFlight &) const = default;

private:
  /// Older groups than any wait of the hardware leaves.
  static constexpr unsigned kOldest = 64;
  static constexpr State kDone{kFinished, 0, 0, true};
  struct Entry {
    unsigned number = 0;
    When when;
    /// Its least age at the wait that is left out on trial, the last time (of many iterations ago: some time); 0: that
    /// would not have finished it.
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

  /// Changes when everything was started. What becomes the same was started in several iterations, on the same path;
  /// or before the loop, and the paths differ in how often that has run.
  template <typename Change>
  void remap(Change change);
  /// `state` becomes that of what was started in its iteration and in that of `other`, on one path.
  static void joinIterations(State &state, const State &other);
  /// `state` becomes that of a point where its path and the path of `other` meet.
  static void joinPaths(State &state, const State &other);
  /// Puts entries in order whose ages at the trial have changed. What becomes the same was on different paths.
  void sortAndMerge();

  /// In order.
  llvm::SmallVector<Entry, 4> entries;
};

} // namespace hocket

#endif
