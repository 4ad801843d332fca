//===- CopiesToShared.h - Asynchronous copies from global to shared memory ---------------------===//
//
// NVIDIA's cp.async copies to a separate address for each lane. AMD's loads to shared memory take one destination for
// the wave: lane i writes at this destination plus i times the width, even if lanes before i do not take part. In the
// emulator, the lanes converge, and one lane executes the copy for all of them.
//
// PTX ISA 9.0, "cp.async"; "AMD Instinct MI300" and "CDNA4" ISA guides, "Memory Buffer Load to LDS",
// "GLOBAL_LOAD_LDS_DWORD".
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_COPIESTOSHARED_H
#define HOCKET_EMULATOR_BLOCK_COPIESTOSHARED_H

#include "emulator/block/CopyQueue.h"
#include "emulator/block/LaneRunner.h"
#include "emulator/block/SharedMemory.h"
#include "emulator/faults/BlockFaults.h"

#include <vector>

namespace hocket::emulator {

class CopiesToShared {
public:
  CopiesToShared(const EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults, SharedMemory &shared);

  void begin(uint64_t block);
  /// The part of a copy for one lane. The source has already been checked.
  struct Request {
    const std::byte *source = nullptr; ///< null: zeros are written
    uint32_t destination = 0;          ///< offset in shared memory; larger offsets are clamped to the maximum
    uint32_t site : 31 = 0;
    uint32_t apart : 1 = 0; ///< 1: each lane has its own destination; 0: all lanes must pass the destination of lane 0
  };
  void copy(Lane &lane, host_abi::CopyCounter counter, Request request, host_abi::AfterCopy after);
  void commit(Lane &lane, host_abi::CopyCounter counter, uint32_t site);
  /// Waits for all groups on `counter` except the newest `outstanding`.
  void wait(Lane &lane, host_abi::CopyCounter counter, uint32_t outstanding, uint32_t site);
  /// Like `wait`, but the wait takes effect only when all lanes of the warp have arrived at the barrier at which `lane`
  /// arrives next.
  void waitAtBarrier(const Lane &lane, host_abi::CopyCounter counter, uint32_t outstanding);
  /// Must be called when the warp of `lane` has arrived at a barrier.
  void comeToBarrier(const Lane &lane);

  /// Records that an mbarrier tracks all copies that `warp` has started on `counter`, from the warp's epoch `then` on.
  /// Returns the number of these copies.
  uint64_t track(uint32_t warp, host_abi::CopyCounter counter, Epoch then);
  /// Completes the outstanding copies among the first `count` copies of `warp` on `counter`. From now on, these copies
  /// count as writes at the epoch from which the mbarrier tracked them.
  void finishFirst(uint32_t warp, host_abi::CopyCounter counter, uint64_t count);

private:
  /// A wait for all groups on `counter` except the newest `outstanding`.
  struct Groups {
    host_abi::CopyCounter counter = {};
    uint32_t outstanding = 0;
    bool operator==(const Groups &) const = default;
  };
  void finish(const Lane &lane, Groups groups);
  /// The requests of a warp's lanes for one copy of a batch.
  using Requests = std::array<Request, kMaxWarpSize>;
  uint32_t &countOf(uint32_t warp, unsigned lane) { return counts[size_t(warp) * lanes.warpSize + lane]; }
  /// Returns the lanes of `group` that take part in copy `number` of the batch.
  LaneMask takersOf(const Lane &leader, LaneMask group, uint32_t number);
  /// Starts the batch of copies that the lanes of `group` have requested. Must not be inlined into `copy`: lanes wait
  /// inside `copy`, so its stack frame should be small.
  [[gnu::noinline]] void startRow(Lane &leader, LaneMask group, host_abi::CopyCounter counter,
                                  host_abi::AfterCopy after);
  /// Gathers the copies of the lanes in `group`, each with its destination. Fails if the hardware would write to other
  /// addresses than the program specifies.
  const AsyncCopy &gatherParts(Lane &leader, LaneMask group, const Requests &requests);
  void start(Lane &leader, host_abi::CopyCounter counter, const AsyncCopy &copy);

  const EmulatedLaunch &launch;
  const Program &program;
  const uint64_t seed;
  LaneRunner &lanes;
  BlockFaults &faults;
  SharedMemory &shared;
  SharedRaces &races;
  std::vector<CopyQueues> queues;          ///< by warp; empty if the kernel has no copies
  std::vector<std::vector<Groups>> wanted; ///< by warp: distinct waits of its lanes at the next barrier
  std::vector<std::vector<Requests>> rows; ///< by warp: copies that start together with the next copy
  std::vector<uint32_t> counts;            ///< by thread: number of copies in `rows` in which the thread takes part
  AsyncCopy gathered;                      ///< result of the last gatherParts
};

} // namespace hocket::emulator

#endif
