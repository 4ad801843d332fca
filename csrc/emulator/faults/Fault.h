//===- Fault.h - What went wrong, before it is put into words -----------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_FAULT_H
#define HOCKET_EMULATOR_FAULTS_FAULT_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "emulator/faults/Failure.h"
#include "emulator/races/SharedShadow.h"

#include <optional>
#include <vector>

namespace hocket::emulator {

/// Lanes of one warp that wait at the same place, or have finished.
struct StuckLanes {
  enum class Where : uint8_t { Shuffle, Barrier, ClusterBarrier, Mbarrier, Loop, Finished };
  Where where;
  uint32_t site = 0;
  uint32_t warp = 0;
  uint64_t lanes = 0;
  uint32_t arrived = 0, expected = 0; ///< lanes of a shuffle, threads of a barrier
  uint64_t address = 0;               ///< of what is read in a loop; of an mbarrier, the offset
  // Of an mbarrier: what it waits for.
  uint64_t phase = 0;
  uint32_t missing = 0; ///< arrivals
  int64_t bytes = 0;
};

enum class MbarrierMistake : uint8_t {
  None,
  NotInitialised,
  NotReady,    ///< of another block, where nothing says that it is initialised
  Invalidated, ///< and used all the same
  InitialisedAgain,
  TooManyArrivals,
  TooManyBytes,    ///< have arrived
  TooManyExpected, ///< bytes, for an mbarrier to count
  Overwritten,
};

struct MbarrierFault {
  MbarrierMistake mistake = MbarrierMistake::None;
  uint32_t otherSite = 0; ///< where it was initialised, or invalidated
  uint64_t phase = 0;
  uint32_t count = 0, pending = 0; ///< arrivals of a phase, those of them that have not come
  int64_t bytes = 0;               ///< that have not come
  int64_t more = 0;                ///< arrivals, or bytes, that came on top
};

/// What an access is to other warps. An atomic access of block scope excludes no other block: it counts as a write.
enum class AccessKind : uint8_t { Write, Read, Atomic };

/// The access of another warp, of the same block or of another, that a race is with.
struct OtherAccess {
  AccessKind kind;
  uint64_t block;
  std::optional<uint32_t> site, warp, thread; ///< where they are known
  /// Why the two are not in order: nothing orders them; one is a generic store and one an async access, with no proxy
  /// fence in between; or the other one is a bulk store that may still write.
  enum class Order : uint8_t { None, OtherProxy, InFlight };
  Order order = Order::None;
};

struct BlockFault {
  FailureKind kind;
  uint32_t site = 0;
  uint32_t thread = 0;
  uint64_t address = 0;
  uint64_t block = 0;
  std::vector<StuckLanes> stuck = {};    ///< of a deadlock
  bool inLoops = false;                  ///< of one, in which lanes look for values that nobody will write
  std::optional<Conflict> conflict = {}; ///< of a race in shared memory
  uint32_t bytes = 0;                    ///< at `address`, that two warps race for
  std::optional<OtherAccess> other = {};
  MbarrierFault mbarrier = {}; ///< at `address`, an offset
  int64_t coordinate = 0;      ///< the first element of a bulk copy, in dimension `dim` of a tensor with `rank`
  uint32_t dim = 0, rank = 0;
  uint32_t multiple = 0; ///< of so many elements it should be; 0: it should not be negative, or is one of im2col
  /// Of im2col, both ends included: the box of pixels that it should begin in, or what an offset should be.
  struct Range {
    int64_t first, last;
    bool isOfOffset;
  };
  std::optional<Range> range = {};
  std::optional<host_abi::TensorMapField> field = {}; ///< of a descriptor, that is wrong; its value is `coordinate`
};

} // namespace hocket::emulator

#endif
