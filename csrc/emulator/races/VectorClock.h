//===- VectorClock.h - An epoch of each warp ----------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_VECTORCLOCK_H
#define HOCKET_EMULATOR_RACES_VECTORCLOCK_H

#include <algorithm>
#include <array>
#include <cstdint>

namespace hocket::emulator {

inline constexpr unsigned kMaxWarps = 32;

/// Counts a warp's releases, more or less; only the order means something.
using Epoch = int32_t;

struct VectorClock {
  alignas(16) std::array<Epoch, kMaxWarps> epochs = {};

  Epoch &operator[](uint32_t warp) { return epochs[warp]; }
  Epoch operator[](uint32_t warp) const { return epochs[warp]; }

  /// Afterwards this knows all that either knew.
  void join(const VectorClock &other) {
    for (unsigned warp = 0; warp < kMaxWarps; ++warp)
      epochs[warp] = std::max(epochs[warp], other.epochs[warp]);
  }
  /// Whether `other` knows all of this.
  bool isWithin(const VectorClock &other) const {
    bool is = true;
    for (unsigned warp = 0; warp < kMaxWarps; ++warp)
      is &= epochs[warp] <= other.epochs[warp];
    return is;
  }
};

} // namespace hocket::emulator

#endif
