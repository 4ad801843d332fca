//===- HostAbi.h - Interface between emulated code and the emulator ----------------===//
//
// A kernel becomes `void hocket_emulated_kernel(LaneContext *lane, const uint64_t *arguments)`, called once per lane.
// It reads its indices from the lane context and its arguments from 8-byte slots. Operations that involve other lanes,
// or memory that the lane does not own, are calls of the runtime functions named here.
//
// Every call that can fail passes the number of its *site*: an entry of the module's `hocket.sites` attribute, with the
// kind of the access and its location in the user's source.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_HOSTABI_H
#define HOCKET_CONVERSION_LANE_TO_HOST_HOSTABI_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::host_abi {

inline constexpr char kKernelSymbol[] = "hocket_emulated_kernel";
inline constexpr char kSitesAttr[] = "hocket.sites";
inline constexpr char kEventsAttr[] = "hocket.events";

/// The block that a lane belongs to.
struct BlockContext {
  uint32_t blockIndex[3];
  uint32_t gridSize[3];
  uint32_t blockSize; ///< number of threads; blocks have one dimension
  // In a kernel with clusters, the grid above counts clusters.
  uint64_t sharedStride; ///< distance between the shared memories of consecutive blocks
};

/// The fields that the code of a lane reads directly. The emulator's own lane type begins with them.
struct LaneContext {
  const BlockContext *block;
  std::byte *shared;  ///< the shared memory of all blocks of the cluster
  uint32_t thread;    ///< index in the cluster
  uint32_t lane;      ///< index in the warp
  uint32_t warp;      ///< index in the cluster
  int32_t iterations; ///< loop iterations left until the lane must call `kTick`
  bool watched;       ///< accesses of shared memory must call `kShared`
  uint32_t rank;      ///< index of the block in the cluster
  uint64_t ownShared; ///< offset in `shared` of the block's part
};

/// `ptr global(ptr lane, ptr address, i32 site, i1 predicate)`: returns the address to access instead of `address`.
/// Does not return for an access that is not allowed; where the predicate is false it returns the address of dummy
/// memory.
inline constexpr char kGlobal[] = "hocket_emulator_global";
/// `ptr global_shadow(ptr lane, ptr address, i1 written)`: returns the address of the shadow (Shadows.h) of a result of
/// `global`. For memory without a shadow, this is the address of zeros, or of dummy memory if `written`.
inline constexpr char kGlobalShadow[] = "hocket_emulator_global_shadow";
/// `void ordered(ptr lane, ptr address, i32 site, i1 predicate, i1 stored)`: follows every atomic access that orders
/// warps (see AtomicOrder), immediately, with the result of `global`. `stored`: the access changed the memory.
inline constexpr char kOrdered[] = "hocket_emulator_ordered";
/// `void block_fence(ptr lane, i32 FenceEffects)`: orders the block's accesses of global memory around its relaxed
/// atomic accesses with respect to other blocks.
inline constexpr char kBlockFence[] = "hocket_emulator_block_fence";
/// `i64 cross_lane(ptr lane, i32 CrossLaneOp, i64 value, i64 a, i64 b, i64 members, i32 site)`: a rendezvous of lanes
/// of a warp.
inline constexpr char kCrossLane[] = "hocket_emulator_cross_lane";
/// `void barrier(ptr lane, i32 id, i32 threads, i32 site, i32 before, i32 after)`: waits until `threads` (0: all of the
/// block) have arrived. `before`, `after`: FenceEffects of fences around it, 0 if there are none.
inline constexpr char kBarrier[] = "hocket_emulator_barrier";
/// `void arrive(ptr lane, i32 id, i32 threads, i32 site)`: arrives without waiting.
inline constexpr char kBarrierArrive[] = "hocket_emulator_barrier_arrive";
/// `i32 reduce(ptr lane, i32 id, i32 threads, i32 BarrierReduction, i32 predicate, i32 site)`: a barrier with a
/// reduction.
inline constexpr char kBarrierReduce[] = "hocket_emulator_barrier_reduce";
/// `void arrive(ptr lane, i1 relaxed, i32 site)`, `void wait(ptr lane, i32 site)`: the barrier of the cluster.
inline constexpr char kClusterArrive[] = "hocket_emulator_cluster_arrive";
inline constexpr char kClusterWait[] = "hocket_emulator_cluster_wait";
/// `void priority(ptr lane, i32 priority)`: sets the priority of the lane's warp, 0 to 3, among runnable warps.
inline constexpr char kPriority[] = "hocket_emulator_priority";
/// `void tick(ptr lane)`: lets other lanes run, and stops if the user requests it. Emulated code assumes that the call
/// preserves no registers, so that all live values are on the stack.
inline constexpr char kTick[] = "hocket_emulator_tick";
/// `void shared(ptr lane, i64 offset, ptr stored, i32 site, i1 violated)`: called before an access of shared memory
/// that is not allowed (does not return), or before any access while the lane is watched. `stored`: the bytes to store,
/// or null.
inline constexpr char kShared[] = "hocket_emulator_shared";
/// `void shared_row(ptr lane, ptr SharedRow, ptr offsets, ptr stored, i1 violated)`: called before a batch of loads or
/// stores. `offsets`: 64 bits each. `stored`: kMaxStoreBytes each, or null.
inline constexpr char kSharedRow[] = "hocket_emulator_shared_row";
/// `i1 stored_row(ptr lane, ptr SharedRow, ptr offsets, i1 violated)`: returns true if a batch of stores is allowed
/// whatever the values; else `shared_row` must be called with the values.
inline constexpr char kStoredRow[] = "hocket_emulator_stored_row";
/// `void fence(ptr lane, i32 FenceEffects)`: orders accesses of the lane with respect to other warps of its block.
inline constexpr char kFence[] = "hocket_emulator_fence";
/// `void gather(ptr lane)`: waits for the other lanes of the warp to arrive here.
inline constexpr char kGather[] = "hocket_emulator_gather";
/// `void copy(ptr lane, i32 CopyCounter, ptr source, i1 inside, i64 destination, i32 readSite, i32 writeSite, i1 apart,
/// i32 AfterCopy)`: the lanes of a warp that arrive here start a copy from global to shared memory, of zeros where
/// `inside` is false. If `apart`, each lane writes at its own `destination`, an offset in shared memory; otherwise all
/// lanes must pass the same one, and lane i writes at i times the width of the site after it.
inline constexpr char kCopyToShared[] = "hocket_emulator_copy_to_shared";
/// `void commit(ptr lane, i32 CopyCounter, i32 site)`: makes a group of the copies on the counter since the last
/// commit.
inline constexpr char kCommitCopies[] = "hocket_emulator_commit_copies";
/// `void wait(ptr lane, i32 CopyCounter, i32 outstanding, i32 site, i1 atBarrier)`: waits for all groups except the
/// newest `outstanding`. `atBarrier`: waits only once the warp has arrived at the barrier that is the lane's next call.
inline constexpr char kWaitForCopies[] = "hocket_emulator_wait_for_copies";
/// `void store_tensor(ptr lane, ptr TensorMap, ptr coordinates, i64 source, i32 TensorReduction, i32 readSite, i32
/// writeSite)`: the lane starts a bulk store of the box (runtime/TensorMap.h) at the offset `source`. `coordinates`: 64
/// bits each, the innermost first.
inline constexpr char kStoreTensor[] = "hocket_emulator_store_tensor";
/// `void load_tensor(ptr lane, ptr TensorMap, ptr coordinates, i64 destination, i64 mbarrier, i32 blocks, i32 readSite,
/// i32 writeSite)`: the lane starts a bulk load of a box, which completes bytes on the mbarrier at that offset. The
/// offsets of im2col follow the coordinates. `blocks`: a mask of the blocks of the cluster that receive the box; 0 for
/// the lane's own block.
inline constexpr char kLoadTensor[] = "hocket_emulator_load_tensor";
/// `void replace_tensor_map(ptr lane, ptr TensorMap, i32 TensorMapField, i32 dimension, i64 value, i32 site)`: the lane
/// writes a field of a descriptor that the kernel builds.
inline constexpr char kReplaceTensorMap[] = "hocket_emulator_replace_tensor_map";
/// `void commit_stores(ptr lane)`: makes a group of the lane's bulk stores since its last commit.
inline constexpr char kCommitStores[] = "hocket_emulator_commit_stores";
/// `void wait_for_stores(ptr lane, i32 outstanding, i1 readOnly)`: waits for all groups except the newest
/// `outstanding`.
inline constexpr char kWaitForStores[] = "hocket_emulator_wait_for_stores";
/// Mbarriers are identified by their `offset` in shared memory. `void init(ptr lane, i64 offset, i32 count, i32 site)`.
inline constexpr char kMbarrierInit[] = "hocket_emulator_mbarrier_init";
/// `void invalidate(ptr lane, i64 offset, i32 site)`
inline constexpr char kMbarrierInvalidate[] = "hocket_emulator_mbarrier_invalidate";
/// `void arrive(ptr lane, i64 offset, i32 count, i32 site)`
inline constexpr char kMbarrierArrive[] = "hocket_emulator_mbarrier_arrive";
/// `void expect(ptr lane, i64 offset, i32 bytes, i32 site)`: adds `bytes` to the expected bytes, and arrives once.
inline constexpr char kMbarrierExpect[] = "hocket_emulator_mbarrier_expect";
/// `void arrive_copies(ptr lane, i64 offset, i1 increments, i32 site)`: the lane arrives when its copies on CopyGroups
/// have. `increments`: the phase waits for one more arrival.
inline constexpr char kMbarrierArriveCopies[] = "hocket_emulator_mbarrier_arrive_copies";
/// `void wait(ptr lane, i64 offset, i32 parity, i32 site)`: waits until the phase of this parity is complete.
inline constexpr char kMbarrierWait[] = "hocket_emulator_mbarrier_wait";
/// `void store_async(ptr lane, ptr words, i32 bytes, i64 destination, i64 mbarrier, i32 site)`: the lane starts a store
/// of words to a block of the cluster, which completes bytes on the mbarrier at that offset.
inline constexpr char kStoreAsync[] = "hocket_emulator_store_async";
/// `void multiply(ptr lane, ptr WarpgroupProduct, ptr operands, ptr shadows, i64 a, i64 b, i1 useAcc, i32 site)`: the
/// lanes of a warp start their part of a wgmma. `operands`: the lane's accumulators, words of 4 bytes, which are
/// overwritten by tickets (WarpgroupProducts.h) for the result; then the words of A, unless it is in shared memory.
/// `shadows`: shadows of the operands (Shadows.h), null if they are not tracked.
inline constexpr char kMultiplyByWarpgroup[] = "hocket_emulator_multiply_by_warpgroup";
/// `void commit(ptr lane, i32 site)`: makes a group of the warp's wgmmas since the last commit.
inline constexpr char kCommitProducts[] = "hocket_emulator_commit_products";
/// `void wait(ptr lane, ptr accumulators, ptr shadows, i32 count, i32 outstanding, i32 site)`: waits for all groups of
/// wgmmas except the newest `outstanding`. Tickets of completed wgmmas among the `count` words are replaced by the
/// results.
inline constexpr char kWaitForProducts[] = "hocket_emulator_wait_for_products";
/// `void fence(ptr lane, i32 FenceEffects)`: makes the lane's stores to these memories visible to the async proxy.
inline constexpr char kProxyFence[] = "hocket_emulator_proxy_fence";
/// `void fault(ptr lane, i32 site, i64 detail)`: reports the fault that the site describes; does not return.
inline constexpr char kFault[] = "hocket_emulator_fault";

/// `void print(ptr lane, ptr values, i32 site)`: prints a line with the site's message as printf's format and `values`
/// of 64 bits each.
inline constexpr char kPrint[] = "hocket_emulator_print";

/// `void timed(ptr lane, i32 event)`: with timing, called before an operation that takes time (TimedEvents.h).
inline constexpr char kTimed[] = "hocket_emulator_timed";

/// Iterations between two ticks. A tick costs a switch to another lane, about 20 ns; an iteration about 1 ns.
inline constexpr int32_t kIterationsPerTick = 1024;

/// Counters of copies to shared memory (dialect/hk/facts/AsyncCounter.h). A warp has groups on each.
enum class CopyCounter : uint32_t { CopyGroups };

/// The operation after a copy to shared memory: another copy, with which it is started; some other operation; or a
/// commit, which the copy then includes.
enum class AfterCopy : uint32_t { Copy, Other, Commit };

/// The fields of a tensor map that are written individually. `Rank` is the rank minus one, as in PTX.
enum class TensorMapField : uint32_t { Address, Rank, BoxSize, Size, StrideBytes, Element, Swizzle, Fill };

/// The reduction that a bulk store applies to the elements in memory.
enum class TensorReduction : uint32_t { None, Add, Min, Max, And, Or, Xor };

/// Operations across the lanes of a warp. emulator/machine/CrossLane.cpp cites the definitions of NVIDIA and AMD.
enum class CrossLaneOp : uint32_t {
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
  // nvvm.match.sync. Bit 32 of MatchAll's result is the predicate.
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
  ReadFirstLane,  ///< reads the lowest active lane
  Permlane16Swap, ///< value = vdst, a = vsrc: result vdst | vsrc << 32
  Permlane32Swap,
  TransposedReads, ///< value = address of `a` words of 8 bytes that the lane has read, b = bits of an element
  // NVIDIA's ldmatrix and stmatrix: b = matrices of an instruction, and kTransposesMatrices. value = address of `a`
  // chunks of 16 bytes. A load replaces the row that the lane has read by its words, a store the lane's words by the
  // row that it stores.
  MatrixLoads,
  MatrixStores,
  MatrixProducts, ///< value = the lane's operands, a = a MatrixRow
  MatrixShadows,  ///< as MatrixProducts, for shadows of the operands: computes undefined results
};

inline constexpr uint64_t kTransposesMatrices = uint64_t(1) << 8;

/// Set in `b` of MatrixProducts, TransposedReads, MatrixLoads and MatrixStores by a lane whose operands are partly
/// undefined, if that is tracked. The result is 1 if any lane has set it.
inline constexpr uint64_t kUndefinedOperands = uint64_t(1) << 32;

/// An MMA, with the byte offsets of a lane's operands in its operand memory, which is on its stack. The result
/// overwrites C. MMAs that share an operand value share its offset.
struct MatrixStep {
  uint32_t formats; ///< MatrixFormats
  uint32_t a, b, c, scaleA, scaleB;
};

/// A batch of MMAs of one operation that a wave computes in order in one rendezvous: a constant of the emulated code,
/// followed by `count` steps.
struct MatrixRow {
  uint32_t operation; ///< index in matrixOperations()
  uint32_t count;

  const MatrixStep *begin() const { return reinterpret_cast<const MatrixStep *>(this + 1); }
  const MatrixStep *end() const { return begin() + count; }
};

/// A wgmma: a constant of the emulated code.
struct WarpgroupProduct {
  uint32_t columns;
  uint32_t a, b; ///< MatrixElement
  uint32_t sum;  ///< MatrixElement: F32, F16 or I32
  uint32_t isTransposedA, isTransposedB, isAInRegisters;
};

/// A batch of loads, or of stores, of shared memory that are checked together: a constant of the emulated code,
/// followed by the numbers of `count` sites.
struct SharedRow {
  uint32_t count;

  const uint32_t *sites() const { return &count + 1; }
};
/// Maximum size of a store whose value is passed to the runtime.
inline constexpr uint32_t kMaxStoreBytes = 16;

/// Effects of a fence on the order of accesses, and the memories that it applies to; bits.
enum FenceEffects : uint32_t { kReleases = 1, kAcquires = 2, kOfShared = 4, kOfGlobal = 8, kOfBoth = 12 };

enum class BarrierReduction : uint32_t { Count, And, Or };

/// Distance from shared memory to its shadow (Shadows.h), if it has one.
inline constexpr size_t sharedShadowOffset(size_t sharedBytes) { return (sharedBytes + 15) / 16 * 16; }

/// Distance between the shared memories of a cluster's blocks: a power of two, so that bits of a matrix descriptor are
/// the offset in the block.
inline constexpr size_t sharedStride(size_t sharedBytes) { return std::bit_ceil(std::max<size_t>(sharedBytes, 16)); }

/// Ordering of an atomic access: bit 0 acquires, bit 1 releases, as in hk::MemSemantic. An access of block scope orders
/// accesses of its own block only.
enum class AtomicOrder : uint32_t { Relaxed, Acquire, Release, AcquireRelease };

/// Kinds of sites.
enum class SiteKind : uint32_t {
  Read,
  Write,
  Atomic,
  SharedRead,
  SharedWrite,
  SharedAtomic,
  SharedCopy,    ///< an asynchronous copy into shared memory
  TensorLoad,    ///< a bulk load writes shared memory
  TensorStore,   ///< a bulk store reads shared memory
  RemoteStore,   ///< an asynchronous store writes shared memory, perhaps of another block
  MbarrierSet,   ///< memory becomes an mbarrier or plain memory again
  MbarrierUse,   ///< an arrival at an mbarrier, or a wait
  SharedOperand, ///< wgmma reads shared memory asynchronously
  CrossLane,
  Barrier,
  Division,
  Assert,
  Print,
  Undefined, ///< a use of an undefined value
  Index,     ///< an index with a forbidden value
  TensorMap, ///< a tensor descriptor is built
};

inline constexpr bool isShared(SiteKind kind) {
  return kind == SiteKind::SharedRead || kind == SiteKind::SharedWrite || kind == SiteKind::SharedAtomic ||
         kind == SiteKind::SharedCopy || kind == SiteKind::TensorLoad || kind == SiteKind::TensorStore ||
         kind == SiteKind::RemoteStore || kind == SiteKind::MbarrierSet || kind == SiteKind::MbarrierUse ||
         kind == SiteKind::SharedOperand;
}

/// Spellings in the table of sites, in the order of SiteKind.
inline constexpr std::string_view kSiteKindNames[] = {
    "read",        "write",        "atomic",       "shared_read",  "shared_write", "shared_atomic",  "shared_copy",
    "tensor_load", "tensor_store", "remote_store", "mbarrier_set", "mbarrier_use", "shared_operand", "cross_lane",
    "barrier",     "division",     "assert",       "print",        "undefined",    "index",          "tensor_map",
};

} // namespace hocket::host_abi

#endif
