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
// The main fiber chooses which warp goes on whenever one cannot, or its turn is over. Seed 0 lets a warp run as far as
// it gets, in the order of warps; other seeds give random warps turns of random length.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCKRUNNER_H
#define HOCKET_EMULATOR_BLOCKRUNNER_H

#include "emulator/Barrier.h"
#include "emulator/Exchange.h"
#include "emulator/Fault.h"
#include "emulator/Fiber.h"
#include "emulator/Launch.h"

#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace hocket::emulator {

class BlockRunner;

struct Lane : host_abi::LaneContext {
  BlockRunner *runner = nullptr;
  Fiber *fiber = nullptr; ///< while it waits
  uint32_t waitSite = 0;  ///< where it waits
  uint32_t barrierResult = 0;
};

/// Sets of lanes are bit masks.
struct Warp {
  uint64_t unstarted = 0, ready = 0, yielded = 0, finished = 0;
  uint64_t gathering = 0; ///< lanes that wait for the others of their warp before an access
  uint64_t meeting = 0;   ///< lanes that wait in `exchange`
  uint64_t atBarrier = 0;
  uint32_t meetingSite = 0;
  ExchangeOperands exchange;
  PerLane results;

  bool canRun() const { return unstarted | ready | yielded | gathering; }
};

class BlockRunner {
public:
  /// `polls`: this is the thread that asked for the launch.
  BlockRunner(Launch &launch, bool polls);

  /// What went wrong in `block`, if anything. Throws std::bad_alloc when there is no memory for another stack.
  std::optional<BlockFault> run(uint64_t block);

  // What emulated code calls, on the fiber of `lane`.
  void *checkGlobal(Lane &lane, void *address, uint32_t site, bool predicate);
  uint64_t exchange(Lane &lane, host_abi::Exchange kind, uint64_t value, uint64_t a, uint64_t b, uint64_t members,
                    uint32_t site);
  void arriveAtBarrier(Lane &lane, uint32_t id, uint32_t threads, uint32_t site, bool predicate);
  uint32_t waitAtBarrier(Lane &lane, uint32_t id, uint32_t threads, uint32_t site,
                         std::optional<host_abi::BarrierReduction> reduction, bool predicate);
  void tick(Lane &lane);
  [[noreturn]] void fail(Lane &lane, FailureKind kind, uint32_t site, uint64_t address);
  /// The failure that `site` stands for: an offset in shared memory, a division, an assertion.
  [[noreturn]] void failAt(Lane &lane, uint32_t site, uint64_t detail);
  void runLanes();

private:
  /// Which addresses a site may access: begin to begin + span. Filled at first use where the array is not known.
  struct Allowed {
    uintptr_t begin;
    size_t span;
    uintptr_t misaligned; ///< mask of the bits that must be 0
    bool inStep;          ///< the lanes of a warp come here together
  };

  void allowAccesses();
  void reset(uint64_t block);
  Warp *chooseWarp();
  /// The fiber that goes on in the current warp, or the main fiber.
  Fiber &nextFiber();
  void suspend(Lane &lane);
  void gather(Lane &lane);
  void finish(Lane &lane);
  void release(Barrier &barrier);
  uint32_t expectedAt(uint32_t threads) const;
  void *checkGlobalSlowly(Lane &lane, uintptr_t address, uint32_t site);
  BlockFault describeDeadlock() const;

  Warp &warpOf(const Lane &lane) { return warps[lane.warp]; }
  static uint64_t bitOf(const Lane &lane) { return uint64_t(1) << lane.lane; }

  Launch &launch;
  const Program &program;
  const bool polls;
  const uint64_t wholeWarp;
  FiberPool fibers;
  std::vector<Warp> warps;
  std::vector<Lane> lanes;
  std::array<Barrier, kBarrierCount> barriers;
  host_abi::BlockContext context = {};
  std::vector<uint64_t> shared; ///< in 16-byte units of two words
  std::vector<Allowed> allowed;
  alignas(64) std::array<std::byte, 64> masked; ///< what a masked-off read sees
  alignas(64) std::array<std::byte, 64> discarded;

  Warp *current = nullptr;
  uint32_t turn = 0; ///< switches left until another warp's turn; 0: no limit
  std::mt19937_64 random;
  std::optional<BlockFault> fault;
  bool outOfMemory = false;
};

} // namespace hocket::emulator

#endif
