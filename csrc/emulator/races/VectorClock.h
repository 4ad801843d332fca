//===- VectorClock.h - Vector clock of warps ----------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_VECTORCLOCK_H
#define HOCKET_EMULATOR_RACES_VECTORCLOCK_H

#include <algorithm>
#include <array>
#include <cstdint>

namespace hocket::emulator {

inline constexpr unsigned kMaxWarps = 32;

/// An epoch of a warp. The epoch grows with the warp's releases; only the order of epochs matters.
using Epoch = int32_t;

struct VectorClock {
  alignas(16) std::array<Epoch, kMaxWarps> epochs = {};

  Epoch &operator[](uint32_t warp) { return epochs[warp]; }
  Epoch operator[](uint32_t warp) const { return epochs[warp]; }

  /// Sets the epoch of each warp to the later of its epochs in the two clocks.
  void join(const VectorClock &other) {
    for (unsigned warp = 0; warp < kMaxWarps; ++warp)
      epochs[warp] = std::max(epochs[warp], other.epochs[warp]);
  }
  /// True if no epoch of this clock is later than in `other`.
  bool isWithin(const VectorClock &other) const {
    bool is = true;
    for (unsigned warp = 0; warp < kMaxWarps; ++warp)
      is &= epochs[warp] <= other.epochs[warp];
    return is;
  }
};

} // namespace hocket::emulator

#endif
