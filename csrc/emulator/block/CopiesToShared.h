//===- CopiesToShared.h - Asynchronous copies from global to shared memory ---------------------===//
//
// NVIDIA's cp.async copies to a separate address for each lane. AMD's loads to LDS take one destination for the wave:
// lane i writes at the destination plus i times the access width, even if lanes before i are inactive. In the emulator,
// the lanes of a warp converge at the instruction, and one lane executes the copy for all these lanes.
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
  /// One lane's part of a copy. The address of the source has already been checked.
  struct Request {
    const std::byte *source = nullptr; ///< address in global memory; null if the copy writes zeros
    uint32_t destination = 0;          ///< offset in shared memory, clamped to 2^32 - 1
    uint32_t site : 31 = 0;
    uint32_t apart : 1 = 0; ///< 1: each lane passes its own destination; 0: all lanes must pass the same destination
  };
  void copy(Lane &lane, host_abi::CopyCounter counter, Request request, host_abi::AfterCopy after);
  void commit(Lane &lane, host_abi::CopyCounter counter, uint32_t site);
  /// Waits for all commit groups of the warp on `counter` except the newest `outstanding`.
  void wait(Lane &lane, host_abi::CopyCounter counter, uint32_t outstanding, uint32_t site);
  /// Records a wait with the arguments of `wait`. The wait takes effect when all lanes of the warp have arrived at the
  /// barrier at which `lane` arrives next.
  void waitAtBarrier(const Lane &lane, host_abi::CopyCounter counter, uint32_t outstanding);
  /// Performs the waits that `waitAtBarrier` has recorded. Must be called when the warp of `lane` has arrived at a
  /// barrier.
  void comeToBarrier(const Lane &lane);

  /// Records that an mbarrier tracks all copies that `warp` has started on `counter`, from the warp's epoch `then` on.
  /// Returns the number of these copies.
  uint64_t track(uint32_t warp, host_abi::CopyCounter counter, Epoch then);
  /// Completes the outstanding copies among the first `count` copies of `warp` on `counter`. For race detection, each
  /// copy then counts as a write of the warp in the epoch in which an mbarrier first tracked the copy.
  void finishFirst(uint32_t warp, host_abi::CopyCounter counter, uint64_t count);

private:
  /// A wait for all commit groups on `counter` except the newest `outstanding`.
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
  /// inside `copy`, so the stack frame of `copy` should be small.
  [[gnu::noinline]] void startRow(Lane &leader, LaneMask group, host_abi::CopyCounter counter,
                                  host_abi::AfterCopy after);
  /// Combines the requests of the lanes in `group` into one copy. Reports a fault if a destination is misaligned or out
  /// of bounds, or if the lanes pass different destinations although the instruction takes only one.
  const AsyncCopy &gatherParts(Lane &leader, LaneMask group, const Requests &requests);
  void start(Lane &leader, host_abi::CopyCounter counter, const AsyncCopy &copy);

  const EmulatedLaunch &launch;
  const Program &program;
  const uint64_t seed;
  LaneRunner &lanes;
  BlockFaults &faults;
  SharedMemory &shared;
  SharedRaces &races;
  std::vector<CopyQueues> queues;          ///< the copies of each warp; empty without asynchronous copies
  std::vector<std::vector<Groups>> wanted; ///< for each warp: the different waits that waitAtBarrier has recorded
  std::vector<std::vector<Requests>> rows; ///< for each warp: requests of the current batch of copies
  std::vector<uint32_t> counts;            ///< for each thread: number of its requests in `rows`
  AsyncCopy gathered;                      ///< the copy that the last call of gatherParts returned
};

} // namespace hocket::emulator

#endif
