//===- StuckThreads.cpp - Detects that no thread of a launch makes progress -------------------------===//
#include "emulator/run/StuckThreads.h"

namespace hocket::emulator {

void StuckThreads::leave() {
  std::lock_guard lock(mutex);
  --working;
  endGeneration(); // the other threads must count quiet rounds again
}

void StuckThreads::isStuckIn(uint64_t generation) {
  std::lock_guard lock(mutex);
  if (generation != current)
    return;
  if (stuckIn != generation) {
    stuckIn = generation;
    stuck = 0;
  }
  if (++stuck == working)
    all = true;
}

} // namespace hocket::emulator
