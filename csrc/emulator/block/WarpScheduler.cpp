//===- WarpScheduler.cpp - Selects the warp of a block that runs next --------------------------===//
#include "emulator/block/WarpScheduler.h"

#include "emulator/races/VectorClock.h"
#include "emulator/run/BlockSequence.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hocket::emulator {

static constexpr uint64_t kAnyWarpOneTimeIn = 8;

WarpScheduler::WarpScheduler(const LaunchOptions &options, LaneRunner &lanes, BlockTiming &timing)
    : seed(options.seed), lanes(lanes), timing(timing), warps(lanes.warpCount()) {}

void WarpScheduler::begin(uint64_t block) {
  llvm::fill(warps, Warp());
  if (!seed)
    return;
  random.seed(seed * 0x9e3779b97f4a7c15 + block);
  if (isAdversarial(seed))
    for (Warp &warp : warps)
      warp.adversarialRank = random();
}

std::optional<WarpScheduler::TimeSlice> WarpScheduler::choose() {
  llvm::SmallVector<uint32_t, kMaxWarps> runnable;
  for (size_t i = 0; i < warps.size(); ++i)
    if (auto warp = uint32_t((lanes.currentWarp() + 1 + i) % warps.size()); lanes.canRun(warp))
      runnable.push_back(warp);
  if (runnable.empty())
    return std::nullopt;
  auto gaveWay = [&](uint32_t warp) { return warps[warp].gaveWay; };
  if (llvm::all_of(runnable, gaveWay)) {
    ++rounds;
    for (uint32_t warp : runnable)
      warps[warp].gaveWay = false;
  }
  TimeSlice slice = {};
  if (timing.isRecording()) {
    llvm::erase_if(runnable, gaveWay);
    slice.warp = *llvm::min_element(runnable, [&](uint32_t a, uint32_t b) { return timing.clock().isBefore(a, b); });
  } else if (warps.front().adversarialRank) {
    llvm::erase_if(runnable, gaveWay);
    slice.warp = *llvm::max_element(
        runnable, [&](uint32_t a, uint32_t b) { return warps[a].adversarialRank < warps[b].adversarialRank; });
  } else {
    slice = chooseByPriority(runnable);
  }
  return slice;
}

WarpScheduler::TimeSlice WarpScheduler::chooseByPriority(llvm::ArrayRef<uint32_t> runnable) {
  int rank = -1;
  for (uint32_t warp : runnable)
    rank = std::max(rank, rankOf(warp));
  llvm::SmallVector<uint32_t, kMaxWarps> highest;
  llvm::copy_if(runnable, std::back_inserter(highest), [&](uint32_t warp) { return rankOf(warp) == rank; });
  if (!seed)
    return {highest.front(), 0};
  uint64_t draw = random();
  auto switches = uint32_t(2 + (draw >> 32) % (4 * lanes.warpSize)); // the switch to the first lane also counts
  llvm::ArrayRef<uint32_t> candidates = draw % kAnyWarpOneTimeIn == 0 ? runnable : highest;
  return {candidates[(draw & 0xffffffff) / kAnyWarpOneTimeIn % candidates.size()], switches};
}

bool WarpScheduler::isAnotherPreferred(uint32_t warp) const {
  if (seed)
    return true;
  for (uint32_t other = 0; other < warps.size(); ++other)
    if (lanes.canRun(other) && rankOf(other) > rankOf(warp))
      return true;
  return false;
}

void WarpScheduler::setPriority(Lane &lane, uint32_t priority) {
  warps[lane.warp].priority = priority;
  timing.setPriority(lane.warp, priority);
  // `lane` yields, so that the other lanes of the warp reach the change of priority first.
  if (warps.size() > 1)
    lanes.yield(lane);
}

void WarpScheduler::letEarlierRun(Lane &lane) {
  // Performs all arrivals up to the current time of the warp, so that warps that wait for these arrivals can resume
  // first.
  while (deliverUntil && deliverUntil(timing.clock().now(lane.warp)))
    ;
  for (uint32_t other = 0; other < warps.size(); ++other)
    if (lanes.canRun(other) && !warps[other].gaveWay && timing.clock().isBefore(other, lane.warp))
      return lanes.endTimeSlice(lane);
}

} // namespace hocket::emulator
