//===- BlockOrder.cpp - Which work of other blocks happened before --------------------------===//
#include "emulator/BlockOrder.h"

namespace hocket::emulator {

void BlockOrder::begin(uint64_t block) {
  self = block;
  epoch = 1;
  current = segments.begin(block, epoch);
  isEpochUsed = false;
  clock = seen = released = BlockClock();
}

void BlockOrder::beginEpoch() {
  if (!isEpochUsed)
    return;
  clock = clock.with(self, epoch);
  current = segments.begin(self, ++epoch);
  isEpochUsed = false;
}

void BlockOrder::read(const BlockClock &variable, bool acquires) {
  if (acquires)
    clock = BlockClock::join(clock, variable);
  else
    seen = BlockClock::join(seen, variable);
}

void BlockOrder::write(BlockClock &variable, bool releases) {
  if (releases)
    beginEpoch();
  variable = BlockClock::join(releases ? clock : released, variable);
}

void BlockOrder::fence(bool acquires, bool releases) {
  if (acquires)
    clock = BlockClock::join(clock, seen);
  if (releases) {
    beginEpoch();
    released = clock;
  }
}

} // namespace hocket::emulator
