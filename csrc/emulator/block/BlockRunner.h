//===- BlockRunner.h - Runs the lanes of one block on one thread --------------------------===//
//
// A lane runs until it has to wait. The fiber it is on then belongs to it, and the next lane of the warp goes on, on
// its own fiber if it has waited before, on a fresh one if not. A lane that ends without ever waiting leaves its fiber
// to the next lane, so a kernel without shuffles and barriers runs on one stack without a switch.
//
//   unstarted --> running --> finished
//                 |     ^
//                 v     |      waiting: in the warp's meeting, at a barrier, gathering before an access,
//                 waiting               or giving way (tick)
//
// The main fiber chooses which warp goes on whenever one cannot, or its turn is over; see Schedule.cpp.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCKRUNNER_H
#define HOCKET_EMULATOR_BLOCKRUNNER_H

#include "emulator/block/AsyncCopies.h"
#include "emulator/block/Barrier.h"
#include "emulator/block/Exchange.h"
#include "emulator/block/Fiber.h"
#include "emulator/faults/Fault.h"
#include "emulator/launch/Launch.h"
#include "emulator/machine/BankCounter.h"
#include "emulator/races/GlobalRaces.h"
#include "emulator/races/HappensBefore.h"
#include "emulator/races/SharedShadow.h"
#include "emulator/timing/BlockTiming.h"

#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace hocket::emulator {

class BlockRunner;

struct Lane : host_abi::LaneContext {
  MomentRef moment;  ///< while the emulator looks for races in shared memory
  MomentRef arrival; ///< `moment` at a barrier that its warp has not reached as a whole
  BlockRunner *runner = nullptr;
  Fiber *fiber = nullptr; ///< while it waits
  uint32_t waitSite = 0;  ///< where it waits
  uint32_t barrierResult = 0;
  bool predicate = false;                ///< at a barrier
  const std::byte *copySource = nullptr; ///< of a copy to shared memory; null: zeros
  uint64_t copyPlace = 0;                ///< the destination that the lane has named
};

/// Sets of lanes are bit masks.
struct Warp {
  uint64_t unstarted = 0, ready = 0, yielded = 0, finished = 0;
  uint64_t gathering = 0; ///< lanes that wait for the others of their warp before an access
  uint64_t meeting = 0;   ///< lanes that wait in `exchange`
  uint64_t atBarrier = 0;
  uint64_t converging = 0; ///< lanes that wait in `converge`
  uint64_t led = 0;        ///< a group out of `converging`, whose lowest lane is about to act for it
  uint32_t meetingSite = 0;
  uint32_t priority = 0;        ///< of s_setprio; the greatest goes first
  uint64_t adversarialRank = 0; ///< of an adversarial schedule, else 0
  bool gaveWay = false;         ///< it waits in a loop: others go first, whatever its priority
  ExchangeOperands exchange;
  PerLane results;

  bool canRun() const { return unstarted | ready | yielded | gathering | converging; }
};

class BlockRunner {
public:
  /// `polls`: this is the thread that asked for the launch.
  BlockRunner(Launch &launch, bool polls);

  void begin(uint64_t block);
  /// Goes on with the block that was begun: true once it has ended, false when all its warps have been in loops for so
  /// long that they may wait for another block. Throws std::bad_alloc when there is no memory for another stack.
  bool run();
  /// What went wrong in the block that has ended, if anything.
  const std::optional<BlockFault> &failure() const { return fault; }

  // What emulated code calls, on the fiber of `lane`.
  void *checkGlobal(Lane &lane, void *address, uint32_t site, bool predicate);
  void fenceBlocks(uint32_t effects);
  void endOrderedAtomic(void *address, uint32_t site, bool predicate, bool stored);
  uint64_t exchange(Lane &lane, host_abi::Exchange kind, uint64_t value, uint64_t a, uint64_t b, uint64_t members,
                    uint32_t site);
  void arriveAtBarrier(Lane &lane, uint32_t id, uint32_t threads, uint32_t site, bool predicate);
  uint32_t waitAtBarrier(Lane &lane, uint32_t id, uint32_t threads, uint32_t site,
                         std::optional<host_abi::BarrierReduction> reduction, bool predicate);
  void setPriority(Lane &lane, uint32_t priority);
  void tick(Lane &lane);
  /// GPUs run a warp in step where its lanes do not part; this restores it.
  void gather(Lane &lane);
  /// `stored`: what a store will write, or null.
  void accessShared(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site);
  void fence(Lane &lane, uint32_t effects);
  void copyToShared(Lane &lane, const std::byte *source, uint64_t place, uint32_t site);
  void commitCopies(Lane &lane, uint32_t site);
  void waitForCopies(Lane &lane, uint32_t outstanding, uint32_t site);
  void keepTime(Lane &lane, uint32_t event);
  [[noreturn]] void fail(Lane &lane, FailureKind kind, uint32_t site, uint64_t address);
  /// `lane`: the one that runs. The failure may be another's.
  [[noreturn]] void fail(Lane &lane, BlockFault failure);
  /// The failure that `site` stands for: an offset in shared memory, a division, an assertion.
  [[noreturn]] void failAt(Lane &lane, uint32_t site, uint64_t detail);
  void runLanes();

private:
  /// Which addresses a site may access: begin to begin + span. Filled at first use where the array is not known.
  struct Allowed {
    uintptr_t begin;
    size_t span;
    uintptr_t misaligned;                 ///< mask of the bits that must be 0
    bool inStep;                          ///< the lanes of a warp come here together
    const ShadowRegion *shadow = nullptr; ///< null where blocks cannot be in conflict
    bool ordersBlocks = false;            ///< and there are blocks in conflict
    AccessKind accessKind = AccessKind::Read;
    uint32_t bytes = 0;
  };

  void allowAccesses();
  void end();
  void drawOrder(uint64_t block);
  Warp *chooseWarp();
  /// Lets the scheduler choose again.
  void giveTurn(Lane &lane);
  bool isAnotherPreferred(const Warp &warp) const;
  // Of blocks that are recorded (BlockTiming.cpp): warps go on in the order of their clocks.
  void letEarlierRun(Lane &lane);
  Warp *earliest(llvm::ArrayRef<Warp *> candidates) const;
  /// The fiber that goes on in the current warp, or the main fiber.
  Fiber &nextFiber();
  void suspend(Lane &lane);
  void finish(Lane &lane);
  void release(Barrier &barrier);
  /// Waits until all lanes of the warp that can come to `site` have come. For one of them the result is the group of
  /// those that have, and it acts for them until it lets them `part`; for the others the result is 0.
  uint64_t converge(Lane &lane, uint32_t site);
  void part(Lane &leader, uint64_t group);
  /// Takes the lanes at the first of the sites where lanes converge: those at later ones may still wait for them.
  uint64_t groupAtOneSite(Warp &warp);

  // The order between warps, while the emulator looks for races in shared memory (SharedOrder.cpp).
  void watchShared();
  void beginBlockOfShared(uint64_t block);
  void noteArrival(Lane &lane);
  void passOn(Barrier &barrier, uint32_t warp);
  void leaveBarrier(Lane &lane, const Barrier &barrier);
  void accessSharedSlowly(Lane &lane, const SharedBytes &place, uint32_t site);
  [[noreturn]] void failInRace(Lane &lane, uint32_t thread, uint32_t site, const Conflict &conflict);
  uint64_t checkedDestination(Lane &leader, uint64_t group, uint32_t site);
  uint32_t expectedAt(uint32_t threads) const;
  /// Makes the site allow the array that `address` is in; fails if there is none that it may access so.
  void findArray(Lane &lane, uintptr_t address, uint32_t site);
  BlockFault describeDeadlock() const;

  Warp &warpOf(const Lane &lane) { return warps[lane.warp]; }
  static uint64_t bitOf(const Lane &lane) { return uint64_t(1) << lane.lane; }

  Launch &launch;
  const Program &program;
  const bool polls;
  const uint64_t wholeWarp;
  FiberPool fibers;
  std::optional<HappensBefore> order; ///< outlives the lanes
  std::optional<SharedShadow> shadow;
  struct SharedSite {
    SharedAccess kind;
    uint32_t bytes;
  };
  std::vector<SharedSite> sharedSites;    ///< by site, for `shadow`
  std::optional<BankCounter> bankCounter; ///< where conflicts are counted
  std::unique_ptr<BlockTiming> timing;    ///< where the block is recorded
  std::vector<Warp> warps;
  std::vector<Lane> lanes;
  std::array<Barrier, kBarrierCount> barriers;
  uint64_t barrierOpenings = 0;
  std::vector<AsyncCopies> copies; ///< by warp; empty if the kernel has none
  host_abi::BlockContext context = {};
  std::vector<uint64_t> shared; ///< in 16-byte units of two words
  std::vector<Allowed> allowed;
  std::optional<BlockAccesses> accesses;        ///< where blocks can be in conflict
  alignas(64) std::array<std::byte, 64> masked; ///< what a masked-off read sees
  alignas(64) std::array<std::byte, 64> discarded;

  uint64_t number = 0; ///< of the block
  Warp *current = nullptr;
  int32_t iterationsPerTick = 0;
  unsigned roundsInLoops = 0; ///< how often each warp has given its turn up in a loop, since `run`
  uint32_t turn = 0;          ///< switches left until another warp's turn; 0: no limit
  std::mt19937_64 random;
  std::optional<BlockFault> fault;
  bool outOfMemory = false;
  bool isAbandoned = false; ///< the block did not end in time after a failure of another
};

} // namespace hocket::emulator

#endif
