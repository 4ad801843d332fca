//===- BlockOrder.cpp - Which work of other blocks happened before --------------------------===//
#include "emulator/BlockOrder.h"

namespace hocket::emulator {

void BlockOrder::begin(uint64_t block) {
  self = block;
  epoch = 1;
  current = segments.begin(block, epoch);
  isEpochUsed = false;
  clock = BlockClock();
}

void BlockOrder::release(BlockClock &variable) {
  if (isEpochUsed) {
    clock = clock.with(self, epoch);
    current = segments.begin(self, ++epoch);
    isEpochUsed = false;
  }
  variable = BlockClock::join(clock, variable);
}

} // namespace hocket::emulator
