//===- HappensBefore.h - Happens-before order within a block ------------------------------------===//
//
// Two accesses of different warps are ordered only by a chain of synchronization between them. Each warp counts epochs.
// Each access is recorded with the current epoch of its warp. A *clock state* consists of three vector clocks, each of
// which maps warps to epochs:
//
//   now        accesses up to these epochs happen before any access that the warp makes in this state
//   released   `now` at the last release: the clock that the warp's next barrier passes to other warps
//   pending    the clocks received from barriers: they take effect at the next acquire
//
//   release    released = now; the warp's epoch is incremented: later accesses are not released
//   barrier    pending  = join of pending and of `released` of all warps that arrived
//   acquire    now      = join of now and pending
//
// On AMD, the three steps are a release fence, s_barrier and an acquire fence; on NVIDIA, a barrier does all three
// steps. On AMD, a barrier without both fences therefore orders nothing.
//
// The emulator runs the lanes of a warp one after the other, so each lane has its own clock state. Lanes share equal
// clock states: if another lane has already made the same step from the same state, its new state is reused. Lanes that
// diverge reach different clock states. Accesses of lanes of one warp always count as ordered.
//
// Epochs continue to grow from one block to the next, so that stored epochs need not be cleared.
//
// L. Lamport, "Time, Clocks, and the Ordering of Events", 1978; F. Mattern, "Virtual Time and Global States", 1989.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_HAPPENSBEFORE_H
#define HOCKET_EMULATOR_RACES_HAPPENSBEFORE_H

#include "emulator/races/VectorClock.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace hocket::emulator {

class HappensBefore;

/// A step of a lane from one clock state to the next. For Receive, `number` identifies the event from which the lane
/// receives clocks, e.g. the opening of a barrier.
struct ClockStep {
  enum class Kind : uint8_t { None, Release, Acquire, Receive };
  Kind kind = Kind::None;
  uint64_t number = 0;
  bool operator==(const ClockStep &) const = default;
};

/// The latest possible epoch of a warp. The two values of Epoch above kLastEpoch have special meanings
/// (AccessSets::kInEntry, SharedShadow::kInFlight).
inline constexpr Epoch kLastEpoch = std::numeric_limits<Epoch>::max() - 2;

struct ClockState {
  // The fields that every access reads come first.
  uint32_t warp = 0;
  Epoch epoch = 0; ///< epoch of the warp itself: now[warp]
  Epoch floor = 0; ///< minimum of `now` over the other warps; accesses in epochs up to `floor` happened before
  VectorClock now, released, pending;

  /// True if the accesses of warp `other` in its epoch `then` happened before accesses in this state.
  bool isAfter(uint32_t other, Epoch then) const { return other == warp || then <= now[other]; }

private:
  friend class HappensBefore;
  friend class ClockStateRef;
  HappensBefore *owner = nullptr;
  uint32_t references = 0;
  ClockStep step;             ///< the last step that a lane made from this state
  ClockState *next = nullptr; ///< the clock state to which `step` leads
};

/// A reference that keeps a clock state alive.
class ClockStateRef {
public:
  ClockStateRef() = default;
  explicit ClockStateRef(ClockState *clocks) : clocks(clocks) { retain(); }
  ClockStateRef(const ClockStateRef &other) : ClockStateRef(other.clocks) {}
  ClockStateRef(ClockStateRef &&other) noexcept : clocks(std::exchange(other.clocks, nullptr)) {}
  ClockStateRef &operator=(ClockStateRef other) noexcept {
    std::swap(clocks, other.clocks);
    return *this;
  }
  ~ClockStateRef() { drop(); }

  explicit operator bool() const { return clocks; }
  const ClockState *get() const { return clocks; }
  const ClockState &operator*() const { return *clocks; }
  const ClockState *operator->() const { return clocks; }

  /// Fast functions to move many references from one state to another: `pointTo` changes a single reference without an
  /// update of the reference counts, and `count` then updates the counts for all moved references at once.
  void pointTo(const ClockStateRef &to) { clocks = to.clocks; }
  static void count(uint32_t moved, const ClockStateRef &from, const ClockStateRef &to) {
    from.clocks->references -= moved; // remains above 0, because `from` itself is a reference
    to.clocks->references += moved;
  }

private:
  friend class HappensBefore;
  void retain() {
    if (clocks)
      ++clocks->references;
  }
  void drop();
  ClockState *clocks = nullptr;
};

class HappensBefore {
public:
  explicit HappensBefore(unsigned warps) : warps(warps) {}
  HappensBefore(const HappensBefore &) = delete;

  /// Begins a block. All accesses so far happen before the accesses of the block. Returns true if the epochs restart,
  /// so that all stored epochs must be discarded.
  bool beginBlock();
  ClockStateRef firstState(uint32_t warp);

  // `release`, `acquire` and `receive` return the clock state after one step from `clocks`. `number` identifies the
  // event from which the lane receives clocks, e.g. the opening of a barrier.
  ClockStateRef release(const ClockStateRef &clocks) {
    ClockState *known = find(clocks, {ClockStep::Kind::Release});
    return known ? ClockStateRef(known) : makeRelease(clocks);
  }
  ClockStateRef acquire(const ClockStateRef &clocks) {
    ClockState *known = find(clocks, {ClockStep::Kind::Acquire});
    return known ? ClockStateRef(known) : makeAcquire(clocks);
  }
  ClockStateRef receive(const ClockStateRef &clocks, const VectorClock &passedOn, uint64_t number) {
    ClockState *known = find(clocks, {ClockStep::Kind::Receive, number});
    return known ? ClockStateRef(known) : makeReceive(clocks, passedOn, number);
  }
  /// True if a lane has already made the step `release` from this state.
  static bool hasReleased(const ClockStateRef &clocks) { return find(clocks, {ClockStep::Kind::Release}); }

  /// Returns the number of clock states that are in use by lanes, or that a later step may reuse.
  size_t statesInUse() const { return states.size() - unused.size(); }

private:
  friend class ClockStateRef;
  /// Returns the state that another lane has reached from `clocks` by `step`; null if there is none.
  static ClockState *find(const ClockStateRef &clocks, ClockStep step) {
    return clocks->next && clocks->step == step ? clocks->next : nullptr;
  }
  ClockStateRef makeRelease(const ClockStateRef &clocks);
  ClockStateRef makeAcquire(const ClockStateRef &clocks);
  ClockStateRef makeReceive(const ClockStateRef &clocks, const VectorClock &passedOn, uint64_t number);
  ClockStateRef append(const ClockStateRef &clocks, ClockStep step);
  ClockState *take();
  void giveBack(ClockState *clocks);
  void updateFloor(ClockState &clocks) const;

  const unsigned warps;
  Epoch start = 0;   ///< accesses up to this epoch happened before this block
  Epoch highest = 0; ///< highest epoch of all warps so far
  std::deque<ClockState> states;
  std::vector<ClockState *> unused;
};

inline void ClockStateRef::drop() {
  if (clocks && --clocks->references == 0)
    clocks->owner->giveBack(clocks);
}

} // namespace hocket::emulator

#endif
