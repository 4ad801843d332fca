//===- CopiesToShared.h - Asynchronous copies from global to shared memory ---------------------===//
//
// NVIDIA's cp.async copies to an address of each lane. AMD's loads to shared memory take the destination from the wave,
// not from its lanes: lane i writes i times its width after it, whichever lanes take part. The lanes converge, and one
// of them acts for all.
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
  /// What a lane brings to a copy. The source is checked.
  struct Request {
    const std::byte *source = nullptr; ///< null: zeros
    uint32_t destination = 0;          ///< offset in shared memory; what is larger is as bad as the largest
    uint32_t site : 31 = 0;
    uint32_t apart : 1 = 0; ///< unless set, all lanes must name the same destination, where lane 0 writes, or would
  };
  void copy(Lane &lane, host_abi::CopyCounter counter, Request request, host_abi::AfterCopy after);
  void commit(Lane &lane, host_abi::CopyCounter counter, uint32_t site);
  /// Waits for all groups on `counter` but the newest `outstanding`.
  void wait(Lane &lane, host_abi::CopyCounter counter, uint32_t outstanding, uint32_t site);
  /// The same, when its warp will have come to the barrier that the lane comes to now.
  void waitAtBarrier(const Lane &lane, host_abi::CopyCounter counter, uint32_t outstanding);
  /// The warp of `lane` has come to a barrier.
  void comeToBarrier(const Lane &lane);

  /// An mbarrier waits for all copies that `warp` has started on `counter`, at its epoch `then`. Returns how many it
  /// has started.
  uint64_t track(uint32_t warp, host_abi::CopyCounter counter, Epoch then);
  /// The first `count` copies that `warp` started on `counter` arrive, where they have not: from here on they are
  /// writes at the epoch at which they were tracked.
  void finishFirst(uint32_t warp, host_abi::CopyCounter counter, uint64_t count);

private:
  /// All groups on `counter` but the newest `outstanding`.
  struct Groups {
    host_abi::CopyCounter counter = {};
    uint32_t outstanding = 0;
    bool operator==(const Groups &) const = default;
  };
  void finish(const Lane &lane, Groups groups);
  /// What the lanes of a warp bring to one copy of a row.
  using Requests = std::array<Request, kMaxWarpSize>;
  uint32_t &countOf(uint32_t warp, unsigned lane) { return counts[size_t(warp) * lanes.warpSize + lane]; }
  /// Those of `group` that take part in the copy `number` of their row.
  LaneMask takersOf(const Lane &leader, LaneMask group, uint32_t number);
  /// Starts the copies of a row that the lanes of `group` have brought. Not part of `copy`, on whose stack lanes wait:
  /// what they keep there should be little.
  [[gnu::noinline]] void startRow(Lane &leader, LaneMask group, host_abi::CopyCounter counter,
                                  host_abi::AfterCopy after);
  /// What the lanes of `group` bring, where each writes. Fails where the hardware would do something else than was
  /// meant.
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
  std::vector<std::vector<Groups>> wanted; ///< by warp: what its lanes wait for at the barrier they come to, each once
  std::vector<std::vector<Requests>> rows; ///< by warp: copies that are started with the next one
  std::vector<uint32_t> counts;            ///< by thread: how many of them it has brought something to
  AsyncCopy gathered;                      ///< the last one
};

} // namespace hocket::emulator

#endif
