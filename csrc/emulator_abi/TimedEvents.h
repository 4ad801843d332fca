//===- TimedEvents.h - The table of timed events for the emulator's virtual clock -----===//
//
// If lane_to_host converts a kernel with timing, the host code calls `timed` (HostAbi.def) before each operation that
// takes time. The call passes the index of an entry of the module attribute `hocket.events`. The entry contains the
// kind of the operation, the unit that executes the operation, and the number of clocks that the operation takes
// (target/CostTable.h). Code that is converted without timing has no such calls.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_ABI_TIMEDEVENTS_H
#define HOCKET_EMULATOR_ABI_TIMEDEVENTS_H

#include "emulator_abi/HostAbi.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hocket {

/// Kinds of operations of a warp that take time.
enum class TimedKind : uint8_t {
  Arithmetic,
  Matrix,
  SharedLoad,
  SharedStore,
  GlobalLoad,
  GlobalStore,
  Atomic,
  Copy,          ///< an asynchronous copy into shared memory
  Shuffle,       ///< a shuffle, which uses the crossbar of shared memory
  Fence,         ///< waits for accesses of the memories in `operand` (TimedFence)
  CommitCopies,  ///< commits a group of copies
  WaitForCopies, ///< waits for all groups of copies except the newest `operand` groups
  Stage,         ///< begins the warp pipeline stage `label`, or ends the current stage if `label` is empty
  Use,           ///< an operation that takes no time itself, but waits for the results in `uses`
  Wgmma,         ///< a wgmma, after which the warp continues at once
  CommitWgmmas,
  WaitForWgmmas, ///< waits for all groups of wgmmas except the newest `operand` groups
  Bulk,          ///< starts a bulk copy, whose size is known at run time
  CommitStores,
  /// Waits for all groups of bulk stores except the newest `operand / 2` groups. If `operand` is odd, waits only until
  /// the stores have read shared memory.
  WaitForStores,
};

/// Names of the event kinds in the table of events, in the order of TimedKind.
inline constexpr std::string_view kTimedKindNames[] = {
    "arithmetic", "matrix",        "shared_load",     "shared_store",  "global_load",     "global_store",    "atomic",
    "copy",       "shuffle",       "fence",           "commit_copies", "wait_for_copies", "stage",           "use",
    "wgmma",      "commit_wgmmas", "wait_for_wgmmas", "bulk",          "commit_stores",   "wait_for_stores",
};

/// The unit that executes an operation. Each SIMD has its own Vector unit and its own Matrix unit; all SIMDs share the
/// other units.
enum class TimedUnit : uint8_t { None, Vector, Matrix, Shared, Memory };

/// Bits of the `operand` of a fence: the memories for whose accesses the fence waits.
enum TimedFence : uint32_t { kFencesShared = 1, kFencesGlobal = 2 };

struct TimedEvent {
  TimedKind kind = TimedKind::Use;
  TimedUnit unit = TimedUnit::None;
  uint32_t issue = 0;   ///< number of clocks until the warp can issue its next operation
  uint32_t busy = 0;    ///< number of clocks for which the unit is busy
  uint32_t latency = 0; ///< number of clocks from the end of `busy` until the result is available
  /// Number by which later operations refer to the result of this operation; -1 if the operation has no result.
  int32_t result = -1;
  uint32_t operand = 0;
  host_abi::CopyCounter counter = {}; ///< counter on which copies are started, committed or waited for
  /// Results for which the operation waits, by the number `result` of the events that produce them.
  std::vector<uint32_t> uses = {};
  std::string label = {};
  std::string file = {};
  int line = 0;
};

/// Returns the attribute that is the entry for `event` in the table of timed events.
mlir::Attribute encodeEvent(const TimedEvent &event, mlir::Location loc);

/// Reads the table of timed events of `module`. Returns no events if the module was converted without timing.
std::vector<TimedEvent> readTimedEvents(mlir::ModuleOp module);

} // namespace hocket

#endif
