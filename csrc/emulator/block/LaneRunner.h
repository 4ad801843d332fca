//===- LaneRunner.h - Runs the lanes of a warp one after the other -----------------------------===//
//
// A lane runs until it must wait. The waiting lane keeps its fiber. The next lane of the warp then runs on its own
// fiber if it has waited before, and on a new fiber otherwise. A lane that ends without a wait leaves its fiber to the
// next lane, so a kernel without shuffles and barriers runs on one stack without a context switch.
//
// A lane alternates between running and waiting until it has finished. A lane waits until another component wakes it
// (at a shuffle, a barrier), until the other lanes of its warp have reached the same point (gather, converge), or until
// the next time slice of its warp (yield).
//
// GPUs run a warp in lockstep while its lanes do not diverge. Two functions restore the lockstep if a result depends on
// it:
//
//   `gather` waits for all lanes of the warp, before an access of an array that the kernel both reads and writes.
//   `converge` lets one lane act for all lanes at the same instruction, such as a copy to shared memory.
//
// WarpScheduler selects the warp that runs.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_LANERUNNER_H
#define HOCKET_EMULATOR_BLOCK_LANERUNNER_H

#include "emulator/block/Lane.h"
#include "emulator/fiber/Fiber.h"
#include "emulator/host/Program.h"

#include <functional>
#include <vector>

namespace hocket::emulator {

class LaneRunner {
public:
  /// `body` runs a lane from its first operation to its last operation, and ends with a call of `finish`.
  LaneRunner(const Program &program, std::function<void(Lane &)> body);

  /// Begins a block with all lanes unstarted.
  void begin();
  /// Runs `warp` until none of its lanes can run, a lane ends the time slice, or `switches` switches between lanes have
  /// been made (0: no limit). Throws std::bad_alloc if no memory is left for another stack.
  void run(uint32_t warp, uint32_t switches);
  /// Ends a block although some of its lanes have not finished.
  void abandon() { fibers.restartAll(); }

  bool canRun(uint32_t warp) const { return warps[warp].canRun(); }
  LaneMask finishedLanes(uint32_t warp) const { return warps[warp].finished; }
  bool hasFinished(uint32_t warp) const { return warps[warp].finished == wholeWarp; }
  uint32_t finishedWarps() const { return numFinished; }
  bool allFinished() const;

  /// Returns the index of the warp that runs or ran last. At the start of a block, this is the last warp, so that the
  /// first warp runs next.
  uint32_t currentWarp() const { return current; }
  uint32_t warpCount() const { return uint32_t(warps.size()); }
  std::vector<Lane> &allLanes() { return lanes; }
  Lane &lane(uint32_t warp, unsigned number) { return lanes[size_t(warp) * warpSize + number]; }
  const Lane &lane(uint32_t warp, unsigned number) const { return lanes[size_t(warp) * warpSize + number]; }

  const uint32_t warpSize;
  const LaneMask wholeWarp;

  // The following functions are called on the fiber of `lane`, the running lane.

  /// Waits until another lane calls `wake`.
  void suspend(Lane &lane);
  /// Makes suspended lanes of `warp` ready to run.
  void wake(uint32_t warp, LaneMask lanesOfWarp) { warps[warp].ready |= lanesOfWarp; }
  /// Suspends `lane` until the next time slice of its warp. The other lanes of the warp first run until they wait.
  void yield(Lane &lane);
  /// Ends the time slice of the warp at once; the lane stays ready.
  void endTimeSlice(Lane &lane);
  /// Waits until each other lane of the warp has also called `gather`, waits for another reason, or has finished.
  void gather(Lane &lane);
  /// Waits until all lanes of the warp that can reach `site` have called `converge`. Returns the mask of these lanes to
  /// one of them, the leader, which acts for all of them until it calls `part`. Returns 0 to the other lanes.
  LaneMask converge(Lane &lane, uint32_t site);
  void part(Lane &leader, LaneMask group) { wake(leader.warp, group & ~bitOf(leader)); }
  void finish(Lane &lane) {
    warps[lane.warp].finished |= bitOf(lane);
    numFinished += hasFinished(lane.warp);
  }

private:
  /// Sets of lanes of one warp, by state. A running or suspended lane is in none of the sets.
  struct Warp {
    LaneMask unstarted = 0, ready = 0, yielded = 0, finished = 0;
    LaneMask gathering = 0;
    LaneMask converging = 0;
    uint32_t convergingSite = 0; ///< site at which the first of the converging lanes waits
    bool siteDiffers = false;    ///< true if another lane converges at a different site
    LaneMask led = 0;            ///< converged lanes, whose lowest lane becomes their leader when it resumes

    bool canRun() const { return unstarted | ready | yielded | gathering | converging; }
  };

  /// The function that every fiber executes.
  void runLanes();
  /// Returns the fiber of the next lane of the current warp; the main fiber if the time slice has ended or no lane can
  /// run.
  Fiber &nextFiber();
  /// Returns the fiber of the next lane of the current warp, even if the time slice has ended; the main fiber if no
  /// lane can run.
  Fiber &fiberThatCanRun();
  Fiber *&fiberOf(uint32_t warp, unsigned lane) { return fiberOfLane[size_t(warp) * warpSize + lane]; }
  /// Removes and returns the converging lanes at the site with the lowest index. Lanes at later sites may have to wait
  /// for these lanes.
  LaneMask takeGroupAtOneSite(uint32_t warp);

  std::function<void(Lane &)> body;
  FiberPool fibers;
  std::vector<Warp> warps;
  std::vector<Lane> lanes;
  std::vector<Fiber *> fiberOfLane; ///< fiber of each waiting lane, indexed by thread
  uint32_t numFinished = 0;         ///< number of warps whose lanes have all finished
  uint32_t current = 0;             ///< index of the warp that runs or ran last
  uint32_t switchesLeft = 0;        ///< switches between lanes left in the time slice; 0: no limit
  bool outOfMemory = false;
};

} // namespace hocket::emulator

#endif
