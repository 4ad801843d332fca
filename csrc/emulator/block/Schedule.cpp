//===- Schedule.cpp - Which warp of a block goes on -----------------------------------------------===//
//
// A warp runs until all its lanes wait. It also gives up its turn where the hardware's choice could change:
//
//   s_setprio                 its priority, 0 to 3, is another one
//   a barrier that it opens   others can go on
//   a tick                    it has been in a loop for long, perhaps waiting for another warp
//
// Seed 0: the warp of the highest priority goes on, among equals the next one in their natural order. A warp that gave
// its turn up in a loop comes after all others until those have had theirs, whatever its priority: it may wait for one
// of them.
//
// A block that is recorded: the warp whose virtual clock is behind, whatever the seed (BlockTiming.h).
//
// Other seeds: a random one of the highest priority, but one time in eight any warp: a priority is a wish, and a kernel
// must be right without it. Its turn ends after a random number of switches between lanes. Random turns are short and
// even out, so every fourth seed is adversarial: it ranks the warps of a block at random, whatever their priorities,
// and who ranks higher goes first for as long as it can. One warp runs far ahead, another is left behind.
//
//===------------------------------------------------------------------------------===//
#include "emulator/block/BlockRunner.h"

#include "llvm/ADT/SmallVector.h"

namespace hocket::emulator {

static constexpr uint64_t kAnyWarpOneTimeIn = 8;

/// Warps of a higher rank go first.
static int rankOf(const Warp &warp) { return warp.gaveWay ? -1 : int(warp.priority); }

/// Ranks the warps for the block that begins.
void BlockRunner::drawOrder(uint64_t block) {
  if (!launch.options.seed)
    return;
  random.seed(launch.options.seed * 0x9e3779b97f4a7c15 + block);
  if (isAdversarial(launch.options.seed))
    for (Warp &warp : warps)
      warp.adversarialRank = random();
}

Warp *BlockRunner::chooseWarp() {
  llvm::SmallVector<Warp *, kMaxWarps> runnable, highest;
  size_t first = size_t(current - warps.data()) + 1;
  for (size_t i = 0; i < warps.size(); ++i)
    if (Warp &warp = warps[(first + i) % warps.size()]; warp.canRun())
      runnable.push_back(&warp);
  if (runnable.empty())
    return nullptr;
  if (llvm::all_of(runnable, [](const Warp *warp) { return warp->gaveWay; })) {
    ++roundsInLoops;
    for (Warp *warp : runnable)
      warp->gaveWay = false;
  }
  if (timing) {
    llvm::erase_if(runnable, [](const Warp *warp) { return warp->gaveWay; });
    return earliest(runnable);
  }
  if (warps.front().adversarialRank) {
    llvm::erase_if(runnable, [](const Warp *warp) { return warp->gaveWay; });
    auto isLower = [](const Warp *a, const Warp *b) { return a->adversarialRank < b->adversarialRank; };
    return *llvm::max_element(runnable, isLower);
  }
  int rank = -1;
  for (const Warp *warp : runnable)
    rank = std::max(rank, rankOf(*warp));
  for (Warp *warp : runnable)
    if (rankOf(*warp) == rank)
      highest.push_back(warp);
  if (!launch.options.seed)
    return highest.front();

  uint64_t draw = random();
  turn = 2 + (draw >> 32) % (4 * program.warpSize()); // the first switch starts the turn
  llvm::ArrayRef<Warp *> candidates = draw % kAnyWarpOneTimeIn == 0 ? runnable : highest;
  return candidates[(draw & 0xffffffff) / kAnyWarpOneTimeIn % candidates.size()];
}

bool BlockRunner::isAnotherPreferred(const Warp &warp) const {
  return launch.options.seed ||
         llvm::any_of(warps, [&](const Warp &other) { return other.canRun() && rankOf(other) > rankOf(warp); });
}

void BlockRunner::giveTurn(Lane &lane) {
  warpOf(lane).ready |= bitOf(lane);
  lane.fiber = &fibers.current();
  fibers.switchTo(fibers.main());
}

void BlockRunner::setPriority(Lane &lane, uint32_t priority) {
  Warp &warp = warpOf(lane);
  warp.priority = priority;
  if (timing)
    timing->clock.setPriority(lane.warp, priority);
  if (warps.size() == 1)
    return;
  // The other lanes of the warp come here first.
  warp.yielded |= bitOf(lane);
  suspend(lane);
}

void BlockRunner::tick(Lane &lane) {
  lane.iterations = iterationsPerTick;
  isAbandoned |= launch.failedLongAgo();
  if (!fault && !isAbandoned && !launch.stop.load(std::memory_order_relaxed)) {
    warpOf(lane).gaveWay = true;
    warpOf(lane).yielded |= bitOf(lane);
  }
  suspend(lane);
}

} // namespace hocket::emulator
