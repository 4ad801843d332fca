//===- BlockRunner.h - Runs one block after the other on one thread ----------------------------===//
//
// For launches with clusters, "block" in this folder means the whole cluster: it has the warps and the shared memory of
// all its CTAs, in the order of their ranks. Lane::rank is the rank of the lane's CTA in the cluster.
//
// A BlockRunner consists of components, each with one responsibility. The constructor of a component takes the
// components that it uses; no component depends on the BlockRunner.
//
//   `lanes`        runs lanes on fibers, one after the other, warp by warp.
//   `faults`       keeps the first fault of the block; uses `lanes`.
//   `timing`       keeps the virtual clock, if the block's timeline is recorded.
//   `spins`        detects spinning lanes that make no progress.
//   `scheduler`    selects the warp that runs next; uses `lanes`, `timing`.
//   `global`       checks accesses of global memory, finds races between warps; uses `lanes`, `faults`, `spins`.
//   `shared`       holds shared memory, counts bank conflicts, finds races; uses `lanes`, `faults`, `spins`.
//   `rendezvous`   executes operations across lanes, such as shuffles, votes and MFMA; uses `lanes`.
//   `copies`       executes asynchronous copies to shared memory; uses `lanes`, `faults`, `shared`.
//   `barriers`     executes named barriers; uses `lanes`, `scheduler`, `faults`, `copies`, both orders, `timing`.
//   `cluster`      executes the barrier of all blocks of a cluster; uses `lanes`, `faults`, both orders.
//   `mbarriers`    executes mbarriers; uses `lanes`, `scheduler`, `faults`, `shared`, `copies`, both orders, `timing`.
//   `tensors`      executes TMA copies of tensor boxes; uses `faults`, `shared`, `global`, `mbarriers`, `timing`.
//   `stores`       executes st.async; uses `faults`, `shared`, `mbarriers`, `timing`.
//   `wgmmas`       executes wgmmas asynchronously; uses `lanes`, `faults`, `shared`.
//   `prints`       collects the lines that the block prints.
//
// The two orders are the happens-before orders (races/WarpOrder.h) of shared and of global memory.
//
// To add an operation at which lanes can wait, write a component, add its runtime calls to host/RuntimeCalls.cpp, and
// describe its waiting lanes in faults/Deadlock.cpp.
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
  /// `polls`: true on the thread that called EmulatedKernel::launch; only this thread polls LaunchOptions::shouldStop.
  BlockRunner(EmulatedLaunch &launch, bool polls);

  void begin(uint64_t block);
  /// Runs the current block until it ends or yields. Returns true if the block has ended. Returns false if an atomic
  /// access has yielded (AtomicSchedule.h), or if all warps of the block have spun for so long that they may be waiting
  /// for another block. Throws std::bad_alloc if no memory is left for the stack of a lane.
  bool run();
  /// Returns false if the block spins and its lanes only repeat earlier states (SpinWatch.h).
  bool mayHaveProgressed() const;
  /// Ends a block that spins forever, and reports a deadlock.
  void endInLoops();
  /// The fault that ended the block, if any.
  const std::optional<BlockFault> &failure() const { return faults.first(); }

  /// Yields to other lanes and warps. Does not return if the launch has ended. Emulated code calls `tick` periodically
  /// in loops. `stack`: the stack pointer of the lane.
  void tick(Lane &lane, const std::byte *stack);

  // Runtime calls of a lane reach the components through Lane::runner.
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
  /// Selects the next warp to run. If no warp can run, performs arrivals in flight at mbarriers until a warp can run.
  /// Returns nullopt if no warp can run at all.
  std::optional<WarpScheduler::TimeSlice> nextTimeSlice();
  void runLane(Lane &lane);
  void end();

  EmulatedLaunch &launch;
  const Program &program;
  const bool polls;
  host_abi::BlockContext context = {};
  uint64_t number = 0; ///< linear index of the block in the grid
  int32_t iterationsPerTick = 0;
  bool hasGivenWay = false; ///< true if the last call of `run` returned because AtomicSchedule yielded
  bool isAbandoned = false; ///< true if the block was stopped because another block failed
};

} // namespace hocket::emulator

#endif
