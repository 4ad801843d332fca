//===- HostAbi.h - What emulated code and the emulator agree on --------------------===//
//
// A kernel becomes `void hocket_emulated_kernel(LaneContext *lane, const uint64_t *arguments)`, called once per lane.
// It reads its place from the lane context, its arguments from 8-byte slots, and reaches everything that involves
// other lanes or memory it does not own through the runtime functions named here.
//
// Every call that can fail carries the number of its *site*: an entry of the module's `hocket.sites` attribute, which
// says what the access is and where in the user's source it stands.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_HOSTABI_H
#define HOCKET_CONVERSION_GPU_TO_HOST_HOSTABI_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::host_abi {

inline constexpr char kKernelSymbol[] = "hocket_emulated_kernel";
inline constexpr char kSitesAttr[] = "hocket.sites";

/// The block a lane belongs to.
struct BlockContext {
  uint32_t blockIndex[3];
  uint32_t gridSize[3];
  uint32_t blockSize; ///< threads; blocks have one dimension
};

/// What the code of a lane reads directly. The emulator's own lane type begins with it.
struct LaneContext {
  const BlockContext *block;
  std::byte *shared;  ///< the block's shared memory
  uint32_t thread;    ///< in the block
  uint32_t lane;      ///< in the warp
  uint32_t warp;      ///< in the block
  int32_t iterations; ///< loop iterations left until the lane must call `kTick`
};

/// `ptr global(ptr lane, ptr address, i32 site, i1 predicate)`: where to access instead of `address`. Does not return
/// for an access that is not allowed; where the predicate is false the answer is memory of no meaning.
inline constexpr char kGlobal[] = "hocket_emulator_global";
/// `i64 exchange(ptr lane, i32 Exchange, i64 value, i64 a, i64 b, i64 members, i32 site)`: lanes of a warp meet.
inline constexpr char kExchange[] = "hocket_emulator_exchange";
/// `void barrier(ptr lane, i32 id, i32 threads, i32 site)`: wait until `threads` (0: all of the block) have arrived.
inline constexpr char kBarrier[] = "hocket_emulator_barrier";
/// `void arrive(ptr lane, i32 id, i32 threads, i32 site)`: be counted, but do not wait.
inline constexpr char kBarrierArrive[] = "hocket_emulator_barrier_arrive";
/// `i32 reduce(ptr lane, i32 id, i32 threads, i32 BarrierReduction, i32 predicate, i32 site)`
inline constexpr char kBarrierReduce[] = "hocket_emulator_barrier_reduce";
/// `void tick(ptr lane)`: let other lanes run, and stop when the user asks for it.
inline constexpr char kTick[] = "hocket_emulator_tick";
/// `void fault(ptr lane, i32 site, i64 detail)`: does not return. The site says what went wrong.
inline constexpr char kFault[] = "hocket_emulator_fault";

/// Iterations between two ticks: a tick costs a switch to another lane, about 20 ns; an iteration about 1 ns.
inline constexpr int32_t kIterationsPerTick = 1024;

/// How lanes of a warp exchange values. NVIDIA's and AMD's own definitions are in emulator/Exchange.cpp.
enum class Exchange : uint32_t {
  // nvvm.shfl.sync: a = offset or source lane, b = mask and clamp. Bit 32 of the result: the source lane is valid.
  ShuffleBfly,
  ShuffleUp,
  ShuffleDown,
  ShuffleIdx,
  // nvvm.vote.sync: value = predicate.
  VoteAny,
  VoteAll,
  VoteBallot, ///< also rocdl.ballot
  VoteUniform,
  // nvvm.match.sync. Bit 32 of MatchAll's result: the predicate.
  MatchAny,
  MatchAll,
  Elect,
  WarpSync,
  // nvvm.redux.sync
  ReduceAdd,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  ReduceMax,
  ReduceMin,
  ReduceUMax,
  ReduceUMin,
  // AMD
  Bpermute,       ///< a = 4 * source lane
  Swizzle,        ///< a = offset field of ds_swizzle_b32
  Dpp,            ///< a = old value, b = dpp_ctrl | row_mask << 16 | bank_mask << 20 | bound_ctrl << 24
  Readlane,       ///< a = source lane
  ReadFirstLane,  ///< the lowest lane
  Permlane16Swap, ///< value = vdst, a = vsrc: result vdst | vsrc << 32
  Permlane32Swap,
};

enum class BarrierReduction : uint32_t { Count, And, Or };

/// What happens at a site.
enum class SiteKind : uint32_t { Read, Write, Atomic, SharedRead, SharedWrite, Exchange, Barrier, Division, Assert };

/// In the order of SiteKind, as the table of sites spells them.
inline constexpr std::string_view kSiteKindNames[] = {
    "read", "write", "atomic", "shared_read", "shared_write", "exchange", "barrier", "division", "assert",
};

} // namespace hocket::host_abi

#endif
