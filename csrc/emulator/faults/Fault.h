//===- Fault.h - Internal description of a fault ----------------------------===//
#ifndef HOCKET_EMULATOR_FAULTS_FAULT_H
#define HOCKET_EMULATOR_FAULTS_FAULT_H

#include "emulator/faults/Failure.h"
#include "emulator/races/SharedShadow.h"
#include "emulator_abi/HostAbi.h"

#include <optional>
#include <vector>

namespace hocket::emulator {

/// Lanes of one warp that wait at the same program point or have finished.
struct StuckLanes {
  enum class Where : uint8_t { Shuffle, Barrier, ClusterBarrier, Mbarrier, Loop, Finished };
  Where where;
  uint32_t site = 0;
  uint32_t warp = 0;
  uint64_t lanes = 0;
  uint32_t arrived = 0, expected = 0; ///< numbers of arrived and expected lanes (shuffle) or threads (barrier)
  uint64_t address = 0;               ///< address that a spinning loop reads, or offset of an mbarrier
  // State of the mbarrier phase for which the lanes wait.
  uint64_t phase = 0;
  uint32_t missing = 0; ///< number of arrivals that the phase lacks
  int64_t bytes = 0;
};

enum class MbarrierMistake : uint8_t {
  None,
  NotInitialized,
  NotReady,    ///< an mbarrier of another block that may not be initialized yet
  Invalidated, ///< an mbarrier that has been invalidated
  InitializedAgain,
  TooManyArrivals,
  TooManyBytes,    ///< more bytes have arrived than expected
  TooManyExpected, ///< more bytes are expected than an mbarrier can count
  Overwritten,
};

struct MbarrierFault {
  MbarrierMistake mistake = MbarrierMistake::None;
  uint32_t otherSite = 0; ///< site of the initialization or invalidation
  uint64_t phase = 0;
  uint32_t count = 0, pending = 0; ///< arrivals per phase, and outstanding arrivals
  int64_t bytes = 0;               ///< outstanding bytes
  int64_t more = 0;                ///< number of surplus arrivals or bytes
};

/// Kind of an access with respect to other warps. An atomic access of block scope counts as a write, because it is not
/// atomic with respect to other blocks.
enum class AccessKind : uint8_t { Write, Read, Atomic };

/// The access that races with the reported access. A different warp of the same block, or another block, makes this
/// access.
struct OtherAccess {
  AccessKind kind;
  uint64_t block;
  std::optional<uint32_t> site, warp, thread; ///< nullopt if unknown
  /// Reason why the two accesses of the race are not ordered. None: there is no synchronization. OtherProxy: one access
  /// is a generic store, the other an access through the async proxy, and there is no proxy fence in between. InFlight:
  /// the other access is a bulk store that may still write.
  enum class Order : uint8_t { None, OtherProxy, InFlight };
  Order order = Order::None;
};

struct BlockFault {
  FailureKind kind;
  uint32_t site = 0;
  uint32_t thread = 0;
  uint64_t address = 0;
  uint64_t block = 0;
  std::vector<StuckLanes> stuck = {};    ///< the waiting lanes, for a deadlock
  bool inLoops = false;                  ///< true if lanes spin on values that will never be written
  std::optional<Conflict> conflict = {}; ///< the earlier access of a race in shared memory
  uint32_t bytes = 0;                    ///< bytes at `address` that two warps access
  uint32_t arrived = 0, expected = 0;    ///< arrived and expected threads, for a fault at a barrier
  std::optional<OtherAccess> other = {};
  MbarrierFault mbarrier = {}; ///< misuse of the mbarrier at offset `address`
  int64_t coordinate = 0;      ///< invalid coordinate of a bulk copy, in dimension `dim` of a tensor of rank `rank`
  uint32_t dim = 0, rank = 0;
  uint32_t multiple = 0; ///< number that must divide `coordinate`; 0 if `coordinate` is invalid for another reason
  /// For an im2col load: allowed range of the coordinate of the first pixel, or of an offset. The range includes both
  /// ends.
  struct Range {
    int64_t first, last;
    bool isOfOffset;
  };
  std::optional<Range> range = {};
  std::optional<host_abi::TensorMapField> field = {}; ///< descriptor field with the invalid value `coordinate`
};

} // namespace hocket::emulator

#endif
