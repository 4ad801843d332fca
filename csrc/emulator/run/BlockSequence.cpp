//===- BlockSequence.cpp - Order in which the blocks of a launch begin ---------------------===//
#include "emulator/run/BlockSequence.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hocket::emulator {

namespace {
/// A random number generator with little setup cost. S. Vigna, "SplitMix64", 2015, after G. Steele et al., "Fast
/// splittable pseudorandom number generators", 2014.
struct SplitMix {
  uint64_t state;
  uint64_t operator()() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
};
} // namespace

std::array<uint8_t, BlockSequence::kWindow> BlockSequence::orderOf(uint64_t window) const {
  std::array<uint8_t, kWindow> order;
  auto end = order.begin() + std::min(kWindow, blockCount - window * kWindow);
  std::iota(order.begin(), end, uint8_t(0));
  if (isAdversarial(seed)) {
    std::reverse(order.begin(), end);
  } else {
    SplitMix random{seed * 0x9e3779b97f4a7c15 + window};
    for (auto at = end - order.begin(); at > 1; --at)
      std::swap(order[size_t(at - 1)], order[random() % uint64_t(at)]);
  }
  return order;
}

uint64_t BlockSequence::blockAt(uint64_t position) const {
  if (seed == 0)
    return position;
  uint64_t window = position / kWindow;
  return window * kWindow + orderOf(window)[position % kWindow];
}

uint64_t BlockSequence::positionOf(uint64_t block) const {
  if (seed == 0)
    return block;
  uint64_t window = block / kWindow;
  auto order = orderOf(window);
  return window * kWindow + uint64_t(std::find(order.begin(), order.end(), block % kWindow) - order.begin());
}

} // namespace hocket::emulator
