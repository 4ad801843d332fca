//===- HostAbi.h - What emulated code and the emulator agree on --------------------===//
//
// A kernel becomes `void hocket_emulated_kernel(LaneContext *lane, const uint64_t *arguments)`, called once per lane.
// It reads its place from the lane context, its arguments from 8-byte slots, and reaches everything that involves
// other lanes or memory it does not own through the runtime functions named here.
//
// Every call that can fail carries the number of its *site*: an entry of the module's `hocket.sites` attribute, which
// says what the access is and where in the user's source it is.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_HOSTABI_H
#define HOCKET_CONVERSION_GPU_TO_HOST_HOSTABI_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket::host_abi {

inline constexpr char kKernelSymbol[] = "hocket_emulated_kernel";
inline constexpr char kSitesAttr[] = "hocket.sites";
inline constexpr char kEventsAttr[] = "hocket.events";

/// The block a lane belongs to.
struct BlockContext {
  uint32_t blockIndex[3];
  uint32_t gridSize[3];
  uint32_t blockSize; ///< threads; blocks have one dimension
  // Of a kernel whose blocks form clusters, the grid above is one of clusters.
  uint64_t sharedStride; ///< from the shared memory of a block to that of the next
};

/// What the code of a lane reads directly. The emulator's own lane type begins with it.
struct LaneContext {
  const BlockContext *block;
  std::byte *shared;  ///< the shared memory of all blocks of the cluster
  uint32_t thread;    ///< in the cluster
  uint32_t lane;      ///< in the warp
  uint32_t warp;      ///< in the cluster
  int32_t iterations; ///< loop iterations left until the lane must call `kTick`
  bool watched;       ///< accesses of shared memory must call `kShared`
  uint32_t rank;      ///< of the block in the cluster
  uint64_t ownShared; ///< the offset in `shared` of the block's own
};

/// `ptr global(ptr lane, ptr address, i32 site, i1 predicate)`: where to access instead of `address`. Does not return
/// for an access that is not allowed; where the predicate is false the answer is memory of no meaning.
inline constexpr char kGlobal[] = "hocket_emulator_global";
/// `ptr global_shadow(ptr lane, ptr address, i1 written)`: where the shadow (Shadows.h) lies of what is at an address
/// that `global` gave; zeros for memory without a shadow, or, if it is to be written, memory of no meaning.
inline constexpr char kGlobalShadow[] = "hocket_emulator_global_shadow";
/// `void ordered(ptr lane, ptr address, i32 site, i1 predicate, i1 stored)`: follows every atomic access that orders
/// warps (see AtomicOrder), at the address that `global` gave, before anything else. `stored`: it changed the memory.
inline constexpr char kOrdered[] = "hocket_emulator_ordered";
/// `void block_fence(ptr lane, i32 FenceEffects)`: orders the block's accesses of global memory around its relaxed
/// atomic accesses, for other blocks.
inline constexpr char kBlockFence[] = "hocket_emulator_block_fence";
/// `i64 cross_lane(ptr lane, i32 CrossLaneOp, i64 value, i64 a, i64 b, i64 members, i32 site)`: lanes of a warp meet.
inline constexpr char kCrossLane[] = "hocket_emulator_cross_lane";
/// `void barrier(ptr lane, i32 id, i32 threads, i32 site, i32 before, i32 after)`: wait until `threads` (0: all of the
/// block) have arrived. `before`, `after`: FenceEffects of fences around it, 0 where there are none.
inline constexpr char kBarrier[] = "hocket_emulator_barrier";
/// `void arrive(ptr lane, i32 id, i32 threads, i32 site)`: be counted, but do not wait.
inline constexpr char kBarrierArrive[] = "hocket_emulator_barrier_arrive";
/// `i32 reduce(ptr lane, i32 id, i32 threads, i32 BarrierReduction, i32 predicate, i32 site)`
inline constexpr char kBarrierReduce[] = "hocket_emulator_barrier_reduce";
/// `void arrive(ptr lane, i1 relaxed, i32 site)`, `void wait(ptr lane, i32 site)`: at the barrier of the cluster.
inline constexpr char kClusterArrive[] = "hocket_emulator_cluster_arrive";
inline constexpr char kClusterWait[] = "hocket_emulator_cluster_wait";
/// `void priority(ptr lane, i32 priority)`: of the lane's warp, 0 to 3, among those that can run.
inline constexpr char kPriority[] = "hocket_emulator_priority";
/// `void tick(ptr lane)`: let other lanes run, and stop when the user asks for it. Emulated code expects it to keep no
/// register, so that all it knows is on the stack.
inline constexpr char kTick[] = "hocket_emulator_tick";
/// `void shared(ptr lane, i64 offset, ptr stored, i32 site, i1 violated)`: before an access of shared memory that may
/// not be made (does not return), or any one while the lane is watched. `stored`: what a store will write, or null.
inline constexpr char kShared[] = "hocket_emulator_shared";
/// `void shared_row(ptr lane, ptr SharedRow, ptr offsets, ptr stored, i1 violated)`: the same before loads or stores in
/// a row. `offsets`: 64 bits each. `stored`: kMaxStoreBytes each, or null.
inline constexpr char kSharedRow[] = "hocket_emulator_shared_row";
/// `i1 stored_row(ptr lane, ptr SharedRow, ptr offsets, i1 violated)`: true if stores in a row may be made, whatever
/// they will write; else `shared_row` has to tell.
inline constexpr char kStoredRow[] = "hocket_emulator_stored_row";
/// `void fence(ptr lane, i32 FenceEffects)`: orders accesses of the lane for other warps of its block.
inline constexpr char kFence[] = "hocket_emulator_fence";
/// `void gather(ptr lane)`: let the other lanes of the warp come as far as this one.
inline constexpr char kGather[] = "hocket_emulator_gather";
/// `void copy(ptr lane, i32 CopyCounter, ptr source, i1 inside, i64 destination, i32 readSite, i32 writeSite, i1 apart,
/// i32 AfterCopy)`: the lanes of a warp that come here start a copy from global to shared memory, of zeros where
/// `inside` is false. Each lane writes at its own `destination`, an offset in shared memory, if they are `apart`; else
/// all must name the same, and lane i writes i times the width of the site after it.
inline constexpr char kCopyToShared[] = "hocket_emulator_copy_to_shared";
/// `void commit(ptr lane, i32 CopyCounter, i32 site)`: the copies on the counter since the last commit are a group.
inline constexpr char kCommitCopies[] = "hocket_emulator_commit_copies";
/// `void wait(ptr lane, i32 CopyCounter, i32 outstanding, i32 site, i1 atBarrier)`: wait for all groups but the newest
/// `outstanding`. `atBarrier`: once the warp has come to the barrier that is the lane's next call.
inline constexpr char kWaitForCopies[] = "hocket_emulator_wait_for_copies";
/// `void store_tensor(ptr lane, ptr TensorMap, ptr coordinates, i64 source, i32 TensorReduction, i32 readSite, i32
/// writeSite)`: the lane starts a bulk store of a box (runtime/TensorMap.h) that is at the offset `source`.
/// `coordinates`: 64 bits each, the innermost first.
inline constexpr char kStoreTensor[] = "hocket_emulator_store_tensor";
/// `void load_tensor(ptr lane, ptr TensorMap, ptr coordinates, i64 destination, i64 mbarrier, i32 blocks, i32
/// readSite, i32 writeSite)`: the lane starts a bulk load of a box, which completes bytes of the mbarrier at that
/// offset. Behind the coordinates of im2col are its offsets. `blocks`: a bit for each block of the cluster in which it
/// arrives; 0: in the own.
inline constexpr char kLoadTensor[] = "hocket_emulator_load_tensor";
/// `void replace_tensor_map(ptr lane, ptr TensorMap, i32 TensorMapField, i32 dimension, i64 value, i32 site)`: the lane
/// writes a field of a descriptor that the kernel makes.
inline constexpr char kReplaceTensorMap[] = "hocket_emulator_replace_tensor_map";
/// `void commit_stores(ptr lane)`: the lane's bulk stores since its last commit are a group.
inline constexpr char kCommitStores[] = "hocket_emulator_commit_stores";
/// `void wait_for_stores(ptr lane, i32 outstanding, i1 readOnly)`: wait for all groups but the newest `outstanding`.
inline constexpr char kWaitForStores[] = "hocket_emulator_wait_for_stores";
/// Of mbarriers, each at an `offset` in shared memory. `void init(ptr lane, i64 offset, i32 count, i32 site)`.
inline constexpr char kMbarrierInit[] = "hocket_emulator_mbarrier_init";
/// `void invalidate(ptr lane, i64 offset, i32 site)`
inline constexpr char kMbarrierInvalidate[] = "hocket_emulator_mbarrier_invalidate";
/// `void arrive(ptr lane, i64 offset, i32 count, i32 site)`
inline constexpr char kMbarrierArrive[] = "hocket_emulator_mbarrier_arrive";
/// `void expect(ptr lane, i64 offset, i32 bytes, i32 site)`: wait for so many bytes, too, and arrive once.
inline constexpr char kMbarrierExpect[] = "hocket_emulator_mbarrier_expect";
/// `void arrive_copies(ptr lane, i64 offset, i1 increments, i32 site)`: the lane arrives when its copies on CopyGroups
/// have. `increments`: the phase waits for one arrival more.
inline constexpr char kMbarrierArriveCopies[] = "hocket_emulator_mbarrier_arrive_copies";
/// `void wait(ptr lane, i64 offset, i32 parity, i32 site)`: wait until the phase of this parity is complete.
inline constexpr char kMbarrierWait[] = "hocket_emulator_mbarrier_wait";
/// `void store_async(ptr lane, ptr words, i32 bytes, i64 destination, i64 mbarrier, i32 site)`: the lane starts a store
/// of words to a block of the cluster, which completes bytes of the mbarrier at that offset.
inline constexpr char kStoreAsync[] = "hocket_emulator_store_async";
/// `void multiply(ptr lane, ptr WarpgroupProduct, ptr operands, ptr shadows, i64 a, i64 b, i1 useAcc, i32 site)`: the
/// lanes of a warp start their part of a product of the warpgroup. `operands`: the lane's accumulators, words of 4
/// bytes, which become what stands for the result until it is there; then the words of a, if it does not come from
/// shared memory. `shadows`: theirs (Shadows.h), null where they are not tracked.
inline constexpr char kMultiplyByWarpgroup[] = "hocket_emulator_multiply_by_warpgroup";
/// `void commit(ptr lane, i32 site)`: the products of the warp since the last commit are a group.
inline constexpr char kCommitProducts[] = "hocket_emulator_commit_products";
/// `void wait(ptr lane, ptr accumulators, ptr shadows, i32 count, i32 outstanding, i32 site)`: wait for all groups of
/// products but the newest `outstanding`. Of the `count` words, those that stand for the result of a finished product
/// become that.
inline constexpr char kWaitForProducts[] = "hocket_emulator_wait_for_products";
/// `void fence(ptr lane, i32 FenceEffects)`: what the lane has stored to these memories is visible to the async proxy.
inline constexpr char kProxyFence[] = "hocket_emulator_proxy_fence";
/// `void fault(ptr lane, i32 site, i64 detail)`: does not return. The site says what went wrong.
inline constexpr char kFault[] = "hocket_emulator_fault";

/// `void print(ptr lane, ptr values, i32 site)`: a line with the site's message, printf's format for `values`, 64 bits
/// each.
inline constexpr char kPrint[] = "hocket_emulator_print";

/// `void timed(ptr lane, i32 event)`: in code with timing, before an operation that takes time (TimedEvents.h).
inline constexpr char kTimed[] = "hocket_emulator_timed";

/// Iterations between two ticks: a tick costs a switch to another lane, about 20 ns; an iteration about 1 ns.
inline constexpr int32_t kIterationsPerTick = 1024;

/// Counters that copies to shared memory can be on (dialect/hk/AsyncCounter.h). A warp has groups on each.
enum class CopyCounter : uint32_t { CopyGroups };

/// What follows a copy to shared memory: another one, with which it is started; something else; or a commit, which the
/// copy makes too.
enum class AfterCopy : uint32_t { Copy, Other, Commit };

/// What is written of a tensor map, one by one. `Rank` is less by one, as PTX has it.
enum class TensorMapField : uint32_t { Address, Rank, BoxSize, Size, StrideBytes, Element, Swizzle, Fill };

/// What a bulk store does to the elements that are there.
enum class TensorReduction : uint32_t { None, Add, Min, Max, And, Or, Xor };

/// What lanes of a warp compute together. NVIDIA's and AMD's own definitions are in emulator/machine/CrossLane.cpp.
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
  TransposedReads, ///< value = address of a words of 8 bytes that the lane has read, b = bits of an element
  // NVIDIA's ldmatrix and stmatrix, b = matrices of an instruction, and kTransposesMatrices. value = address of a
  // pieces of
  // 16 bytes: the row that the lane has read becomes its words, or its words the row that it is to store.
  MatrixLoads,
  MatrixStores,
  MatrixProducts, ///< value = the lane's operands, a = a MatrixRow
  MatrixShadows,  ///< the same for shadows of the operands: which results are undefined
};

inline constexpr uint64_t kTransposesMatrices = uint64_t(1) << 8;

/// Set in `b` of MatrixProducts, TransposedReads, MatrixLoads and MatrixStores by a lane some of whose operands are
/// undefined, where that is tracked. The result is 1 if one of the lanes has set it.
inline constexpr uint64_t kUndefinedOperands = uint64_t(1) << 32;

/// A matrix product, and where a lane keeps what it brings to it: bytes from the beginning of its operands, which are
/// on its stack. The result takes the place of C. Products that take the same value find it in the same place.
struct MatrixStep {
  uint32_t formats; ///< MatrixFormats
  uint32_t a, b, c, scaleA, scaleB;
};

/// Products by one operation that a wave computes one after the other in one meeting: a constant of the emulated code,
/// with `count` steps after it.
struct MatrixRow {
  uint32_t operation; ///< its number
  uint32_t count;

  const MatrixStep *begin() const { return reinterpret_cast<const MatrixStep *>(this + 1); }
  const MatrixStep *end() const { return begin() + count; }
};

/// A product by a warpgroup (wgmma): a constant of the emulated code.
struct WarpgroupProduct {
  uint32_t columns;
  uint32_t a, b; ///< MatrixElement
  uint32_t sum;  ///< MatrixElement: F32, F16 or I32
  uint32_t isTransposedA, isTransposedB, isAInRegisters;
};

/// Loads, or stores, of shared memory that are checked together: a constant of the emulated code, with the numbers of
/// `count` sites after it.
struct SharedRow {
  uint32_t count;

  const uint32_t *sites() const { return &count + 1; }
};
/// The most that a store to shared memory shows the runtime of what it will write.
inline constexpr uint32_t kMaxStoreBytes = 16;

/// What a fence does to the order between accesses, and of which memories; bits.
enum FenceEffects : uint32_t { kReleases = 1, kAcquires = 2, kOfShared = 4, kOfGlobal = 8, kOfBoth = 12 };

enum class BarrierReduction : uint32_t { Count, And, Or };

/// Where tracked, shadows of shared memory (Shadows.h) lie so many bytes after it.
inline constexpr size_t sharedShadowOffset(size_t sharedBytes) { return (sharedBytes + 15) / 16 * 16; }

/// The shared memory of a cluster's blocks lies so many bytes apart: a power of two, so that bits of a matrix
/// descriptor tell where in its block something lies.
inline constexpr size_t sharedStride(size_t sharedBytes) { return std::bit_ceil(std::max<size_t>(sharedBytes, 16)); }

/// How an atomic access orders others around it: bit 0 acquires, bit 1 releases, as in hk::MemSemantic. One of block
/// scope does so for its own block only.
enum class AtomicOrder : uint32_t { Relaxed, Acquire, Release, AcquireRelease };

/// What happens at a site.
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
  MbarrierSet,   ///< memory becomes an mbarrier, or plain memory again
  MbarrierUse,   ///< an arrival at an mbarrier, a wait
  SharedOperand, ///< a matrix product that reads shared memory asynchronously
  CrossLane,
  Barrier,
  Division,
  Assert,
  Print,
  Undefined, ///< a use of an undefined value
  Index,     ///< an index that it must not be
  TensorMap, ///< a descriptor of a tensor is made
};

inline constexpr bool isShared(SiteKind kind) {
  return kind == SiteKind::SharedRead || kind == SiteKind::SharedWrite || kind == SiteKind::SharedAtomic ||
         kind == SiteKind::SharedCopy || kind == SiteKind::TensorLoad || kind == SiteKind::TensorStore ||
         kind == SiteKind::RemoteStore || kind == SiteKind::MbarrierSet || kind == SiteKind::MbarrierUse ||
         kind == SiteKind::SharedOperand;
}

/// In the order of SiteKind, as the table of sites spells them.
inline constexpr std::string_view kSiteKindNames[] = {
    "read",        "write",        "atomic",       "shared_read",  "shared_write", "shared_atomic",  "shared_copy",
    "tensor_load", "tensor_store", "remote_store", "mbarrier_set", "mbarrier_use", "shared_operand", "cross_lane",
    "barrier",     "division",     "assert",       "print",        "undefined",    "index",          "tensor_map",
};

} // namespace hocket::host_abi

#endif
