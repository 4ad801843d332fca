//===- BlockSequence.h - Order in which the blocks of a launch begin -----------------------===//
//
// A GPU begins blocks roughly in order, but kernels must not rely on this order. A seed other than 0 therefore permutes
// blocks within windows of 32: at random or, if the seed is adversarial, in reverse.
//
//     position       0  1  2 ... 31 | 32  33 ...
//     seed 0         0  1  2 ... 31 | 32  33 ...
//     adversarial   31 30 29 ...  0 | 63  62 ...
//     random        17  4 23 ...  9 | 50  38 ...
//
// The size of a window is the number of blocks that may run concurrently on one thread (RunBlocks.cpp). If a block
// waits for a block with a lower number, the block with the lower number can therefore run, as on a GPU.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RUN_BLOCKSEQUENCE_H
#define HOCKET_EMULATOR_RUN_BLOCKSEQUENCE_H

#include <array>
#include <cstdint>

namespace hocket::emulator {

/// True for seeds 3, 7, 11, ..., which run the warps in an adversarial order.
inline bool isAdversarial(uint64_t seed) { return seed % 4 == 3; }

class BlockSequence {
public:
  static constexpr uint64_t kWindow = 32;

  BlockSequence(uint64_t blockCount, uint64_t seed) : blockCount(blockCount), seed(seed) {}

  uint64_t blockAt(uint64_t position) const;
  uint64_t positionOf(uint64_t block) const;

private:
  /// Returns the order of blocks within window number `window`: element i is the number of the block at position i.
  /// Both are counted from the first position of the window.
  std::array<uint8_t, kWindow> orderOf(uint64_t window) const;

  uint64_t blockCount, seed;
};

} // namespace hocket::emulator

#endif
