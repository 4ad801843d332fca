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
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_GROUPSINFLIGHT_H
#define HOCKET_ANALYSIS_ASYNC_GROUPSINFLIGHT_H

#include "dialect/hk/AsyncCounter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

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
    /// The greatest age on any path.
    unsigned greatestAge = 0;
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
      }
  }
  template <typename IsOnCounter>
  void wait(unsigned outstanding, IsOnCounter isOnCounter) {
    for (Entry &entry : entries)
      if (State &state = entry.state; state.isInFlight() && isOnCounter(entry.number)) {
        if (state.age > outstanding)
          state = kDone;
        state.mayBeFinished |= state.greatestAge > outstanding;
      }
  }

  /// Somebody else tells when what is in flight is done.
  template <typename IsOnCounter>
  void handOver(IsOnCounter isOnCounter) {
    for (Entry &entry : entries)
      if (entry.state.isInFlight() && isOnCounter(entry.number))
        entry.state = kDone;
  }

  void enterLoop();
  /// Forgets what is finished: no path of later iterations, or from the loop's end, has it in flight.
  void nextIteration();
  void leaveLoop();

  GroupsInFlight &operator|=(const GroupsInFlight &other);
  bool operator==(const GroupsInFlight &) const = default;

private:
  /// Older groups than any wait of the hardware leaves.
  static constexpr unsigned kOldest = 64;
  static constexpr State kDone{kFinished, 0, true};
  struct Entry {
    unsigned number = 0;
    When when;
    State state;
    bool isSame(const Entry &other) const { return number == other.number && when == other.when; }
    bool isBefore(const Entry &other) const {
      return number != other.number ? number < other.number : when < other.when;
    }
    bool operator==(const Entry &) const = default;
  };

  /// Changes when everything was started. What becomes the same was started in several iterations, on the same path.
  template <typename Change>
  void remap(Change change);

  /// In order.
  llvm::SmallVector<Entry, 4> entries;
};

} // namespace hocket

#endif
