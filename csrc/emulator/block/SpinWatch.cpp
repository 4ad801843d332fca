//===- SpinWatch.cpp - Detects spinning lanes that cannot make progress -----------------------------===//
#include "emulator/block/SpinWatch.h"

#include "emulator/block/LaneRunner.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <utility>

namespace hocket::emulator {

using host_abi::SiteKind;

/// Maximum number of states kept for a lane. A spin loop repeats only a few states.
static constexpr size_t kMaxStates = 256;

/// Numbers of scheduling rounds: kRoundsBefore before the first watch of a block, kTrial in a watch, and kLongestPause
/// in the longest pause between two watches.
static constexpr unsigned kRoundsBefore = 2, kTrial = 4, kLongestPause = 1024;

void SpinWatch::begin() {
  on = false;
  progressed = true;
  roundsToSkip = kRoundsBefore;
  pause = 1;
}

void SpinWatch::endRound() {
  if (!on) {
    if (roundsToSkip > 0) {
      --roundsToSkip;
      return;
    }
    on = true;
    roundsOn = 0;
    lanes.assign(program.blockSize(), LaneState());
    return;
  }
  progressed = std::exchange(isStateNew, false);
  if (progressed && ++roundsOn == kTrial) {
    on = false;
    roundsToSkip = pause;
    pause = std::min(2 * pause, kLongestPause);
  }
}

static bool reads(SiteKind kind) {
  return kind == SiteKind::Read || kind == SiteKind::Atomic || kind == SiteKind::SharedRead ||
         kind == SiteKind::SharedAtomic;
}

void SpinWatch::access(const Lane &lane, uint32_t number, const void *address) {
  const Site &site = program.sites[number];
  if (!reads(site.kind))
    return;
  LaneState &state = lanes[lane.thread];
  uint64_t read[] = {state.readSinceTick, reinterpret_cast<uintptr_t>(address),
                     llvm::xxh3_64bits({static_cast<const uint8_t *>(address), site.bytes})};
  state.readSinceTick = llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(read), sizeof(read)});
  if (host_abi::isShared(site.kind))
    return; // most awaited values are in global memory, so deadlock reports name only these reads
  state.site = number;
  state.address = address;
}

LLVM_NO_SANITIZE("address")
void SpinWatch::tick(const Lane &lane, const std::byte *stackBegin, const std::byte *stackEnd) {
  LaneState &state = lanes[lane.thread];
  uint64_t stack = llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(stackBegin), size_t(stackEnd - stackBegin)});
  uint64_t both = stack ^ state.readSinceTick * 0x9e3779b97f4a7c15;
  state.readSinceTick = 0;
  if (state.seen.size() >= kMaxStates)
    state.seen.clear();
  isStateNew |= state.seen.insert(both).second;
}

void SpinWatch::appendWaiting(const LaneRunner &runner, std::vector<StuckLanes> &stuck) const {
  for (uint32_t warp = 0; on && warp < runner.warpCount(); ++warp) {
    size_t first = stuck.size();
    forEachLane(runner.wholeWarp & ~runner.finishedLanes(warp), [&](unsigned lane) {
      const LaneState &state = lanes[size_t(warp) * runner.warpSize + lane];
      if (!state.address)
        return;
      auto address = reinterpret_cast<uintptr_t>(state.address);
      auto same = std::find_if(stuck.begin() + ptrdiff_t(first), stuck.end(), [&](const StuckLanes &other) {
        return other.site == state.site && other.address == address;
      });
      if (same == stuck.end())
        same = stuck.insert(
            stuck.end(),
            {.where = StuckLanes::Where::Loop, .site = state.site, .warp = warp, .lanes = 0, .address = address});
      same->lanes |= LaneMask(1) << lane;
    });
  }
}

} // namespace hocket::emulator
