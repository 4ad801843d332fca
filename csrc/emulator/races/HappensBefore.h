//===- HappensBefore.h - Which accesses of shared memory are ordered ----------------------------===//
//
// Two accesses of different warps are ordered only by a chain of synchronisation between them. Each warp counts epochs;
// what a warp does is stamped with its epoch. A *moment* of a warp says up to which epoch of each warp things have
// happened before it:
//
//   now        what is ordered before whatever the warp does at this moment
//   released   `now` as it was at the last release: what the warp's next barrier passes on
//   pending    what barriers have brought: it counts from the next acquire on
//
//   release    released = now; the warp's epoch grows: what it does from here on is not passed on
//   barrier    pending  = pending and everything that those that arrived at it had released
//   acquire    now      = now and pending
//
// On AMD these are a release fence, s_barrier and an acquire fence; a barrier of NVIDIA does all three. A barrier
// without fences therefore orders nothing, nor does it without one of the two.
//
// The lanes of a warp go the same way one after the other, not in step, so the moment belongs to the lane, and the
// second lane finds the moment that the first has made. Where lanes part each has moments of its own. Lanes of one
// warp are always ordered.
//
// Epochs grow from block to block, so nothing that remembers epochs has to be cleared in between.
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

/// One link of the way that a lane takes. A barrier's link is told from another's by `number`.
struct MomentStep {
  enum class Kind : uint8_t { None, Release, Acquire, Receive };
  Kind kind = Kind::None;
  uint64_t number = 0;
  bool operator==(const MomentStep &) const = default;
};

/// Later than all that are handed out; what is later still has a meaning of its own.
inline constexpr Epoch kLastEpoch = std::numeric_limits<Epoch>::max() - 2;

struct Moment {
  // What every access looks at comes first.
  uint32_t warp = 0;
  Epoch epoch = 0; ///< of the warp: now[warp]
  Epoch floor = 0; ///< the least of `now` among the other warps: everything up to it is ordered before
  VectorClock now, released, pending;

  /// True if what `other` did at its epoch `then` happened before.
  bool isAfter(uint32_t other, Epoch then) const { return other == warp || then <= now[other]; }

private:
  friend class HappensBefore;
  friend class MomentRef;
  HappensBefore *owner = nullptr;
  uint32_t references = 0;
  MomentStep step;        ///< the last step that a lane made from here
  Moment *next = nullptr; ///< where it led
};

/// Keeps a moment alive.
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

  /// For many that are at one moment: `pointTo` for each, and `count` for all.
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

  /// Begins a block: everything so far has happened before it. True when the epochs began anew, so that whatever
  /// remembers some has to forget them.
  bool beginBlock();
  MomentRef firstMoment(uint32_t warp);

  // The moment after `moment`. `number` tells one opening of a barrier from all others.
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
  /// Whether a lane has released from here before.
  static bool hasReleased(const MomentRef &moment) { return find(moment, {MomentStep::Kind::Release}); }

  /// Moments that a lane is at, or could still find.
  size_t momentsInUse() const { return moments.size() - unused.size(); }

private:
  friend class MomentRef;
  /// Where another lane has gone from here.
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
  Epoch start = 0;   ///< everything up to here was before this block
  Epoch highest = 0; ///< handed out
  std::deque<Moment> moments;
  std::vector<Moment *> unused;
};

inline void MomentRef::drop() {
  if (moment && --moment->references == 0)
    moment->owner->giveBack(moment);
}

} // namespace hocket::emulator

#endif
