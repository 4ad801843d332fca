//===- HappensBefore.h - Happens-before order within a block ------------------------------------===//
//
// Two accesses of different warps are ordered only by a chain of synchronization between them. Each warp counts epochs;
// each access of a warp is stamped with the warp's epoch. A *moment* of a warp has three vector clocks, which map each
// warp to an epoch:
//
//   now        accesses up to these epochs happen before any access that the warp makes at this moment
//   released   `now` as it was at the last release: the clock that the warp's next barrier passes to others
//   pending    the clocks received from barriers: they take effect at the next acquire
//
//   release    released = now; the warp's epoch is incremented: later accesses are not released
//   barrier    pending  = join of pending and of `released` of all warps that arrived
//   acquire    now      = join of now and pending
//
// On AMD these are a release fence, s_barrier and an acquire fence; a barrier of NVIDIA does all three. A barrier
// without fences, or with only one of the two, therefore does not order anything.
//
// The emulator runs the lanes of a warp one after the other, so each lane has a moment, and the second lane finds
// the moment that the first has made. Divergent lanes have moments of their own. Lanes of one warp are always
// ordered.
//
// Epochs grow from block to block, so stored epochs need not be cleared in between.
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

/// One step of a lane from moment to moment. `number` distinguishes the steps of different barriers.
struct MomentStep {
  enum class Kind : uint8_t { None, Release, Acquire, Receive };
  Kind kind = Kind::None;
  uint64_t number = 0;
  bool operator==(const MomentStep &) const = default;
};

/// Later than all epochs of moments; the two values above have special meanings.
inline constexpr Epoch kLastEpoch = std::numeric_limits<Epoch>::max() - 2;

struct Moment {
  // The fields that every access reads come first.
  uint32_t warp = 0;
  Epoch epoch = 0; ///< of the warp: now[warp]
  Epoch floor = 0; ///< minimum of `now` over the other warps: everything up to it is ordered before
  VectorClock now, released, pending;

  /// True if the accesses of `other` at its epoch `then` happened before.
  bool isAfter(uint32_t other, Epoch then) const { return other == warp || then <= now[other]; }

private:
  friend class HappensBefore;
  friend class MomentRef;
  HappensBefore *owner = nullptr;
  uint32_t references = 0;
  MomentStep step;        ///< the last step of a lane from here
  Moment *next = nullptr; ///< the moment that the step led to
};

/// A reference that keeps a moment alive.
class MomentRef {
public:
  MomentRef() = default;
  explicit MomentRef(Moment *moment) : moment(moment) { retain(); }
  MomentRef(const MomentRef &other) : MomentRef(other.moment) {}
  MomentRef(MomentRef &&other) noexcept : moment(std::exchange(other.moment, nullptr)) {}
  MomentRef &operator=(MomentRef other) noexcept {
    std::swap(moment, other.moment);
    return *this;
  }
  ~MomentRef() { drop(); }

  explicit operator bool() const { return moment; }
  const Moment *get() const { return moment; }
  const Moment &operator*() const { return *moment; }
  const Moment *operator->() const { return moment; }

  /// Moves many references from one moment to another: `pointTo` for each reference, then `count` for all.
  void pointTo(const MomentRef &to) { moment = to.moment; }
  static void count(uint32_t moved, const MomentRef &from, const MomentRef &to) {
    from.moment->references -= moved; // `from` itself remains
    to.moment->references += moved;
  }

private:
  friend class HappensBefore;
  void retain() {
    if (moment)
      ++moment->references;
  }
  void drop();
  Moment *moment = nullptr;
};

class HappensBefore {
public:
  explicit HappensBefore(unsigned warps) : warps(warps) {}
  HappensBefore(const HappensBefore &) = delete;

  /// Begins a block: everything so far happens before it. Returns true if the epochs restart, so that all stored epochs
  /// must be discarded.
  bool beginBlock();
  MomentRef firstMoment(uint32_t warp);

  // Return the moment after `moment`. `number` distinguishes the openings of barriers.
  MomentRef release(const MomentRef &moment) {
    Moment *known = find(moment, {MomentStep::Kind::Release});
    return known ? MomentRef(known) : makeRelease(moment);
  }
  MomentRef acquire(const MomentRef &moment) {
    Moment *known = find(moment, {MomentStep::Kind::Acquire});
    return known ? MomentRef(known) : makeAcquire(moment);
  }
  MomentRef receive(const MomentRef &moment, const VectorClock &passedOn, uint64_t number) {
    Moment *known = find(moment, {MomentStep::Kind::Receive, number});
    return known ? MomentRef(known) : makeReceive(moment, passedOn, number);
  }
  /// True if a lane has released from here before.
  static bool hasReleased(const MomentRef &moment) { return find(moment, {MomentStep::Kind::Release}); }

  /// Number of moments that a lane is at or could still find.
  size_t momentsInUse() const { return moments.size() - unused.size(); }

private:
  friend class MomentRef;
  /// Returns the moment that another lane has reached from here by the same step.
  static Moment *find(const MomentRef &moment, MomentStep step) {
    return moment->next && moment->step == step ? moment->next : nullptr;
  }
  MomentRef makeRelease(const MomentRef &moment);
  MomentRef makeAcquire(const MomentRef &moment);
  MomentRef makeReceive(const MomentRef &moment, const VectorClock &passedOn, uint64_t number);
  MomentRef append(const MomentRef &moment, MomentStep step);
  Moment *take();
  void giveBack(Moment *moment);
  void updateFloor(Moment &moment) const;

  const unsigned warps;
  Epoch start = 0;   ///< everything up to here happened before this block
  Epoch highest = 0; ///< highest epoch so far
  std::deque<Moment> moments;
  std::vector<Moment *> unused;
};

inline void MomentRef::drop() {
  if (moment && --moment->references == 0)
    moment->owner->giveBack(moment);
}

} // namespace hocket::emulator

#endif
