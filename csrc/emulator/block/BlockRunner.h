//===- BlockRunner.h - Runs one block after the other on one thread ----------------------------===//
//
// Where blocks form clusters, what is called a block here is the cluster, one block after the other: its warps and its
// shared memory are those of all. What tells them apart is Lane::rank.
//
// A block is made of components, each the owner of one idea. A component is told at its construction which others it
// builds on; none of them knows the BlockRunner.
//
//   lanes        run on fibers, one after the other, warp by warp
//   faults       what went wrong
//   timing       the virtual clock, if the block is recorded
//   spins        whether lanes in loops still get anywhere
//   scheduler    which warp goes on                                   lanes, timing
//   global       checks of global memory, races between warps         lanes, faults, spins
//   shared       the bytes, bank conflicts, races between warps       lanes, faults, spins
//   meetings     shuffles, votes, reductions, matrix products         lanes
//   copies       asynchronous copies to shared memory                 lanes, faults, shared
//   barriers     counted, named; they pass on what warps release      lanes, scheduler, copies, both orders, timing
//   cluster      the barrier of all blocks of a cluster               lanes, faults, both orders
//   mbarriers    barriers in shared memory that count       lanes, scheduler, faults, shared, copies, orders, timing
//   tensors      blocks of tensors that TMA moves                     faults, shared, global, mbarriers, timing
//   products     matrix products by warpgroups                        lanes, faults, shared
//   prints       lines of text
//
// To let the emulator wait for something new: a component of its own beside these, its runtime calls
// in host/RuntimeCalls.cpp, and who waits there in faults/Deadlock.cpp.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_BLOCKRUNNER_H
#define HOCKET_EMULATOR_BLOCK_BLOCKRUNNER_H

#include "emulator/block/AsyncStores.h"
#include "emulator/block/Barriers.h"
#include "emulator/block/ClusterBarrier.h"
#include "emulator/block/CopiesToShared.h"
#include "emulator/block/GlobalMemory.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/Mbarriers.h"
#include "emulator/block/Meetings.h"
#include "emulator/block/PrintedLines.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/block/SpinWatch.h"
#include "emulator/block/TensorCopies.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/block/WarpgroupProducts.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/launch/EmulatedLaunch.h"
#include "emulator/timing/BlockTiming.h"

#include <optional>

namespace hocket::emulator {

class BlockRunner {
public:
  /// `polls`: this is the thread that asked for the launch.
  BlockRunner(EmulatedLaunch &launch, bool polls);

  void begin(uint64_t block);
  /// Goes on with the block that was begun: true once it has ended, false when all its warps have been in loops for so
  /// long that they may wait for another block. Throws std::bad_alloc when there is no memory for another stack.
  bool run();
  /// Of a block that is in loops for long: no, if its lanes only do what they have done before.
  bool mayHaveProgressed() const;
  /// Ends the block, which will never get out of its loops.
  void endInLoops();
  /// What went wrong in the block that has ended, if anything.
  const std::optional<BlockFault> &failure() const { return faults.first(); }

  /// `lane` has been in loops for long: lets other lanes and warps run, and stops where the launch is over.
  void tick(Lane &lane, const std::byte *stack);

  // What emulated code reaches through its lane.
  LaneRunner lanes;
  BlockFaults faults;
  BlockTiming timing;
  SpinWatch spins;
  WarpScheduler scheduler;
  GlobalMemory global;
  SharedMemory shared;
  Meetings meetings;
  CopiesToShared copies;
  Barriers barriers;
  ClusterBarrier cluster;
  Mbarriers mbarriers;
  TensorCopies tensors;
  AsyncStores stores;
  WarpgroupProducts products;
  PrintedLines prints;

private:
  /// Nothing when no warp can run, whatever arrives.
  std::optional<WarpScheduler::Turn> nextTurn();
  void runLane(Lane &lane);
  void end();

  EmulatedLaunch &launch;
  const Program &program;
  const bool polls;
  host_abi::BlockContext context = {};
  uint64_t number = 0; ///< of the block
  int32_t iterationsPerTick = 0;
  bool isAbandoned = false; ///< the block did not end in time after a failure of another
};

} // namespace hocket::emulator

#endif
