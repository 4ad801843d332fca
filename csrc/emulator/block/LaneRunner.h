//===- LaneRunner.h - Runs the lanes of a warp one after the other -----------------------------===//
//
// A lane runs until it has to wait. The fiber it is on then belongs to it, and the next lane of the warp goes on, on
// its own fiber if it has waited before, on a fresh one if not. A lane that ends without ever waiting leaves its fiber
// to the next lane, so a kernel without shuffles and barriers runs on one stack without a switch.
//
//   unstarted --> running --> finished
//                 |     ^
//                 v     |      waiting: until another component wakes it (a meeting, a barrier), until the others of
//                 waiting               its warp have come as far (gather, converge), or for one turn (yield)
//
// GPUs run a warp in step where its lanes do not part. Two calls restore that where it matters:
//
//   gather     before an access of an array that the kernel both reads and writes: all lanes come as far as this one
//   converge   where one lane acts for all that come to the same place: a copy to shared memory
//
// Which warp runs is not decided here: see WarpScheduler.h.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_LANERUNNER_H
#define HOCKET_EMULATOR_BLOCK_LANERUNNER_H

#include "emulator/block/Fiber.h"
#include "emulator/block/Lane.h"
#include "emulator/host/Program.h"

#include <functional>
#include <vector>

namespace hocket::emulator {

class LaneRunner {
public:
  /// `body` runs a lane from its first operation to its last, and ends by calling `finish`.
  LaneRunner(const Program &program, std::function<void(Lane &)> body);

  /// Begins a block: all lanes are still to start.
  void begin();
  /// Lets `warp` run until none of its lanes can go on, one ends the turn, or `switches` switches between lanes have
  /// been made (0: no limit). Throws std::bad_alloc when there is no memory for another stack.
  void run(uint32_t warp, uint32_t switches);
  /// Ends a block whose lanes will not all finish.
  void abandon() { fibers.restartAll(); }

  bool canRun(uint32_t warp) const { return warps[warp].canRun(); }
  LaneMask finishedLanes(uint32_t warp) const { return warps[warp].finished; }
  bool hasFinished(uint32_t warp) const { return warps[warp].finished == wholeWarp; }
  uint32_t finishedWarps() const { return numFinished; }
  bool allFinished() const;

  /// The warp that runs, or ran last; before any has run the last one, so that the first comes next.
  uint32_t currentWarp() const { return current; }
  uint32_t warpCount() const { return uint32_t(warps.size()); }
  std::vector<Lane> &allLanes() { return lanes; }
  Lane &lane(uint32_t warp, unsigned number) { return lanes[size_t(warp) * warpSize + number]; }
  const Lane &lane(uint32_t warp, unsigned number) const { return lanes[size_t(warp) * warpSize + number]; }

  const uint32_t warpSize;
  const LaneMask wholeWarp;

  // Called on the fiber of `lane`, the one that runs.

  /// Waits until `wake`.
  void suspend(Lane &lane);
  /// Lets lanes that were suspended go on when it is their warp's turn.
  void wake(uint32_t warp, LaneMask lanesOfWarp) { warps[warp].ready |= lanesOfWarp; }
  /// Waits for the next turn of its warp. The other lanes of the warp come as far as they can first.
  void yield(Lane &lane);
  /// Ends the turn of the warp at once; the lane can go on.
  void endTurn(Lane &lane);
  /// Waits until the other lanes of the warp have come here too, or cannot.
  void gather(Lane &lane);
  /// Waits until all lanes of the warp that can come to `site` have come. For one of them the result is the group of
  /// those that have, and it acts for them until it lets them `part`; for the others the result is 0.
  LaneMask converge(Lane &lane, uint32_t site);
  void part(Lane &leader, LaneMask group) { wake(leader.warp, group & ~bitOf(leader)); }
  void finish(Lane &lane) {
    warps[lane.warp].finished |= bitOf(lane);
    numFinished += hasFinished(lane.warp);
  }

private:
  /// The lanes of one warp, by what they wait for; one that runs or is suspended is in none of the sets.
  struct Warp {
    LaneMask unstarted = 0, ready = 0, yielded = 0, finished = 0;
    LaneMask gathering = 0;
    LaneMask converging = 0;
    uint32_t convergingSite = 0; ///< where the first of them came
    bool siteDiffers = false;    ///< another one came elsewhere
    LaneMask led = 0;            ///< a group out of `converging`, whose lowest lane is about to act for it

    bool canRun() const { return unstarted | ready | yielded | gathering | converging; }
  };

  /// The body of every fiber.
  void runLanes();
  /// The fiber that goes on in the current warp, or the main fiber.
  Fiber &nextFiber();
  /// The fiber that runs next in the current warp, whether or not the turn ends.
  Fiber &fiberThatCanRun();
  Fiber *&fiberOf(uint32_t warp, unsigned lane) { return fiberOfLane[size_t(warp) * warpSize + lane]; }
  /// Takes the lanes at the first of the sites where lanes converge: those at later ones may still wait for them.
  LaneMask takeGroupAtOneSite(uint32_t warp);

  std::function<void(Lane &)> body;
  FiberPool fibers;
  std::vector<Warp> warps;
  std::vector<Lane> lanes;
  std::vector<Fiber *> fiberOfLane; ///< by thread, of lanes that wait; side by side, as the next ones are looked up
  uint32_t numFinished = 0;         ///< warps
  uint32_t current = 0;             ///< warp
  uint32_t switchesLeft = 0;        ///< until its turn ends; 0: no limit
  bool outOfMemory = false;
};

} // namespace hocket::emulator

#endif
