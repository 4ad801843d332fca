//===- TimedEvents.h - What takes time, for the emulator's virtual clock --------------===//
//
// A kernel that is converted with timing calls host_abi::kTimed before each operation that takes time, with the number
// of an entry of the module's `hocket.events`: what the operation is, which unit works on it and for how long. The
// clocks are those of target/CostTable.h. Without timing nothing of this is in the code.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_TIMEDEVENTS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_TIMEDEVENTS_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hocket {

/// What a warp does.
enum class TimedKind : uint8_t {
  Arithmetic,
  Matrix,
  SharedLoad,
  SharedStore,
  GlobalLoad,
  GlobalStore,
  Atomic,
  Copy,          ///< an asynchronous one into shared memory
  Shuffle,       ///< through shared memory's crossbar
  Fence,         ///< waits for accesses of the memories that `operand` names
  CommitCopies,  ///< makes a group of copies
  WaitForCopies, ///< all groups but the newest `operand`
  Stage,         ///< begins the stage `label`, or ends one if that is empty
  Use,           ///< of results, by an operation that itself takes no time
  Product,       ///< of a warpgroup: its warp goes on at once
  CommitProducts,
  WaitForProducts, ///< all groups but the newest `operand`
  Bulk,            ///< starts a bulk copy, whose size is known when it runs
  CommitStores,
  WaitForStores, ///< bulk ones: all groups but the newest `operand / 2`; if that is odd, for what they read alone
};

/// In the order of TimedKind, as the table of events spells them.
inline constexpr std::string_view kTimedKindNames[] = {
    "arithmetic",
    "matrix",
    "shared_load",
    "shared_store",
    "global_load",
    "global_store",
    "atomic",
    "copy",
    "shuffle",
    "fence",
    "commit_copies",
    "wait_for_copies",
    "stage",
    "use",
    "product",
    "commit_products",
    "wait_for_products",
    "bulk",
    "commit_stores",
    "wait_for_stores",
};

/// What works on an operation. Each SIMD unit has its own Vector and Matrix, the others are there once.
enum class TimedUnit : uint8_t { None, Vector, Matrix, Shared, Memory };

/// Bits of a fence's operand.
enum TimedFence : uint32_t { kFencesShared = 1, kFencesGlobal = 2 };

struct TimedEvent {
  TimedKind kind = TimedKind::Use;
  TimedUnit unit = TimedUnit::None;
  uint32_t issue = 0;   ///< clocks until the warp can go on
  uint32_t busy = 0;    ///< clocks that the unit works on it
  uint32_t latency = 0; ///< clocks from then until its result is there
  int32_t result = -1;  ///< its number, for those that wait for it
  uint32_t operand = 0;
  host_abi::CopyCounter counter = {}; ///< of copies, and of what makes or waits for groups of them
  std::vector<uint32_t> uses = {};    ///< results that it waits for
  std::string label = {};
  std::string file = {};
  int line = 0;
};

/// The module's `hocket.events`; empty if it was converted without timing.
std::vector<TimedEvent> readTimedEvents(mlir::ModuleOp module);

} // namespace hocket

#endif
