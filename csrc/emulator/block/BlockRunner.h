//===- BlockRunner.h - Runs one block after the other on one thread ----------------------------===//
//
// For launches with clusters, "block" in this folder means the whole cluster: it has the warps and the shared memory of
// all its CTAs, in the order of their ranks. Lane::rank is the rank of a lane's CTA.
//
// A BlockRunner consists of components, each with one responsibility. The constructor of a component takes the
// components that it uses; no component depends on the BlockRunner.
//
//   lanes        run on fibers, one after the other, warp by warp
//   faults       the first fault of the block
//   timing       the virtual clock, if the block is recorded
//   spins        detects spinning lanes that make no progress
//   scheduler    selects the warp that runs next                     lanes, timing
//   global       checks of global memory, races between warps         lanes, faults, spins
//   shared       the bytes, bank conflicts, races between warps       lanes, faults, spins
//   rendezvous   operations across lanes: shuffles, votes, MFMA       lanes
//   copies       asynchronous copies to shared memory                 lanes, faults, shared
//   barriers     barriers with a number                           lanes, scheduler, copies, both orders, timing
//   cluster      the barrier of all blocks of a cluster               lanes, faults, both orders
//   mbarriers    barriers in shared memory that count       lanes, scheduler, faults, shared, copies, orders, timing
//   tensors      boxes of tensors that TMA copies                     faults, shared, global, mbarriers, timing
//   wgmmas       outstanding wgmmas                                   lanes, faults, shared
//   prints       lines of text
//
// To add something that lanes can wait for: write a component beside these, add its runtime calls to
// host/RuntimeCalls.cpp, and describe its waiting lanes in faults/Deadlock.cpp.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_BLOCKRUNNER_H
#define HOCKET_EMULATOR_BLOCK_BLOCKRUNNER_H

#include "emulator/block/AsyncStores.h"
#include "emulator/block/Barriers.h"
#include "emulator/block/BlockPrints.h"
#include "emulator/block/ClusterBarrier.h"
#include "emulator/block/CopiesToShared.h"
#include "emulator/block/GlobalMemory.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/Mbarriers.h"
#include "emulator/block/OutstandingWgmmas.h"
#include "emulator/block/Rendezvous.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/block/SpinWatch.h"
#include "emulator/block/TensorCopies.h"
#include "emulator/block/WarpScheduler.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/run/EmulatedLaunch.h"
#include "emulator/timing/BlockTiming.h"

#include <optional>

namespace hocket::emulator {

class BlockRunner {
public:
  /// `polls`: true on the thread that called launch, which polls shouldStop.
  BlockRunner(EmulatedLaunch &launch, bool polls);

  void begin(uint64_t block);
  /// Continues the current block. Returns true once the block has ended. Returns false if all warps of the block have
  /// spun for so long that they may be waiting for another block. Throws std::bad_alloc if no memory is left for
  /// another stack.
  bool run();
  /// For a block that spins: returns false if its lanes only repeat earlier states.
  bool mayHaveProgressed() const;
  /// Ends a block whose loops will never end.
  void endInLoops();
  /// The fault that ended the block, if any.
  const std::optional<BlockFault> &failure() const { return faults.first(); }

  /// Lets other lanes and warps run, and ends `lane` if the launch is over. Emulated code calls `tick` after many loop
  /// iterations. `stack`: the stack pointer of the lane.
  void tick(Lane &lane, const std::byte *stack);

  // Components that emulated code reaches through its lane.
  LaneRunner lanes;
  BlockFaults faults;
  BlockTiming timing;
  SpinWatch spins;
  WarpScheduler scheduler;
  GlobalMemory global;
  SharedMemory shared;
  Rendezvous rendezvous;
  CopiesToShared copies;
  Barriers barriers;
  ClusterBarrier cluster;
  Mbarriers mbarriers;
  TensorCopies tensors;
  AsyncStores stores;
  OutstandingWgmmas wgmmas;
  BlockPrints prints;

private:
  /// Selects the next warp to run. Performs arrivals if no warp can run otherwise. nullopt if no warp can run at all.
  std::optional<WarpScheduler::TimeSlice> nextTimeSlice();
  void runLane(Lane &lane);
  void end();

  EmulatedLaunch &launch;
  const Program &program;
  const bool polls;
  host_abi::BlockContext context = {};
  uint64_t number = 0; ///< number of the block
  int32_t iterationsPerTick = 0;
  bool hasGivenWay = false; ///< true if an atomic access has ended the last time slice
  bool isAbandoned = false; ///< true if the block was stopped because another block failed
};

} // namespace hocket::emulator

#endif
