//===- HostAbi.h - Interface between emulated code and the emulator ----------------===//
//
// A kernel becomes the host function `void hocket_emulated_kernel(LaneContext *lane, const uint64_t *arguments)`, which
// the emulator calls once for each lane. The function reads the lane's indices from `lane`, and the kernel's arguments
// from `arguments`. For operations that involve other lanes, or memory other than the lane's own stack, the function
// calls the runtime functions that HostAbi.def lists.
//
// A call that can fail passes a site number, the index of an entry in the module attribute `hocket.sites`. The entry
// holds the kind of the operation and its location in the user's source.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_ABI_HOSTABI_H
#define HOCKET_EMULATOR_ABI_HOSTABI_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hocket {
struct TensorMap; // runtime/TensorMap.h
}

namespace hocket::host_abi {

inline constexpr char kKernelSymbol[] = "hocket_emulated_kernel";
inline constexpr char kCallPrefix[] = "hocket_emulator_"; ///< prefix of the symbols of the runtime functions
inline constexpr char kSitesAttr[] = "hocket.sites";      ///< module attribute with the table of sites (Sites.h)
/// Module attribute with the table of timed events (TimedEvents.h).
inline constexpr char kEventsAttr[] = "hocket.events";
/// Module attribute with the kernel's signature (FormerKernel.h).
inline constexpr char kKernelAttr[] = "hocket.kernel";

/// The block to which a lane belongs. In a kernel with clusters, `blockIndex` is the index of the cluster, and
/// `gridSize` is the number of clusters along each axis.
struct BlockContext {
  uint32_t blockIndex[3];
  uint32_t gridSize[3];
  uint32_t blockSize;    ///< number of threads of the block; blocks are one-dimensional
  uint64_t sharedStride; ///< distance in bytes between the shared memories of consecutive blocks of a cluster
};

/// The fields of a lane that emulated code reads directly. The emulator's type for a lane begins with these fields.
struct LaneContext {
  const BlockContext *block;
  std::byte *shared;  ///< start of the shared memory of all blocks of the cluster
  uint32_t thread;    ///< index of the thread in the cluster
  uint32_t lane;      ///< index of the lane in its warp
  uint32_t warp;      ///< index of the warp in the cluster
  int32_t iterations; ///< number of loop iterations after which the lane must call `tick`
  bool watched;       ///< true if each access of shared memory must call `shared` or `sharedRow`
  uint32_t rank;      ///< index of the block in the cluster
  uint64_t ownShared; ///< offset from `shared` to the shared memory of the lane's own block
};

/// The index of an entry in the module's table of sites.
enum class SiteNumber : uint32_t {};

/// Number of loop iterations between two calls of `tick`. A call of `tick` switches to another lane, which takes about
/// 20 ns. A loop iteration takes about 1 ns.
inline constexpr int32_t kIterationsPerTick = 1024;

/// Counters of asynchronous copies to shared memory (dialect/hk/facts/AsyncCounter.h). A warp has separate commit
/// groups on each counter.
enum class CopyCounter : uint32_t { CopyGroups };

/// Kind of the operation that follows a copy to shared memory. Consecutive copies of a warp start together. If the next
/// operation is a copy (`Copy`), the call does not start the copy yet. If the next operation is a commit (`Commit`),
/// the call also executes the commit. `Other` is any other operation.
enum class AfterCopy : uint32_t { Copy, Other, Commit };

/// The fields of a tensor map that `replaceTensorMap` can write. The value of `Rank` is the rank minus one, as in PTX.
enum class TensorMapField : uint32_t { Address, Rank, BoxSize, Size, StrideBytes, Element, Swizzle, Fill };

/// The operation with which a bulk store combines the stored elements and the elements in global memory. `None`
/// overwrites the elements in global memory.
enum class TensorReduction : uint32_t { None, Add, Min, Max, And, Or, Xor };

/// Operations that exchange values between the lanes of a warp. The comments describe the parameters `value`, `a` and
/// `b` of the runtime function `crossLane`. emulator/machine/CrossLane.cpp cites the definitions of NVIDIA and AMD.
enum class CrossLaneOp : uint32_t {
  // nvvm.shfl.sync: a = offset or source lane, b = mask and clamp. Bit 32 of the result is set if the source lane is
  // valid.
  ShuffleBfly,
  ShuffleUp,
  ShuffleDown,
  ShuffleIdx,
  // nvvm.vote.sync: value = predicate.
  VoteAny,
  VoteAll,
  VoteBallot, ///< also rocdl.ballot
  VoteUniform,
  // nvvm.match.sync. Bit 32 of MatchAll's result is the predicate, which is true if the values of all lanes are equal.
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
  ReadFirstLane,  ///< the source is the active lane with the lowest index
  Permlane16Swap, ///< value = vdst, a = vsrc, result = vdst | vsrc << 32
  Permlane32Swap,
  TransposedReads, ///< value = address of `a` 8-byte words that the lane has read, b = size of an element in bits
  // NVIDIA's ldmatrix and stmatrix: value = address of `a` chunks of 16 bytes, b = number of matrices of an
  // instruction, perhaps with kTransposesMatrices. For MatrixLoads, the chunks contain matrix rows that the lane has
  // read from shared memory; the operation replaces the rows by the lane's fragment of the matrices. For MatrixStores,
  // the chunks contain the lane's fragment; the operation replaces the fragment by the matrix rows that the lane
  // stores.
  MatrixLoads,
  MatrixStores,
  Mmas,       ///< value = address of the lane's operand memory, a = address of a MatrixRow
  MmaShadows, ///< like Mmas, but with the shadows of the operands; computes which results are undefined
};

inline constexpr uint64_t kTransposesMatrices = uint64_t(1) << 8;

/// Bit in operand `b` of Mmas, TransposedReads, MatrixLoads and MatrixStores. If undefined values are tracked, a lane
/// sets this bit if some of its operands are undefined. The operation returns 1 if any lane has set this bit.
inline constexpr uint64_t kUndefinedOperands = uint64_t(1) << 32;

/// One MMA of a MatrixRow. `a`, `b`, `c`, `scaleA` and `scaleB` are byte offsets of the operands in the lane's operand
/// memory, which is on the lane's stack. The result overwrites C. If several MMAs have an operand in common, they
/// contain the same offset.
struct MatrixStep {
  uint32_t formats; ///< MatrixFormats
  uint32_t a, b, c, scaleA, scaleB;
};

/// A batch of MMAs with the same matrix instruction. The lanes of a wave wait for each other once for the whole batch.
/// A MatrixRow is a constant of the emulated code. In memory, `count` objects of type MatrixStep follow the MatrixRow.
struct MatrixRow {
  uint32_t operation; ///< index of the matrix instruction in matrixOperations()
  uint32_t count;

  const MatrixStep *begin() const { return reinterpret_cast<const MatrixStep *>(this + 1); }
  const MatrixStep *end() const { return begin() + count; }
};

/// The shape and formats of a wgmma. A WarpgroupMma is a constant of the emulated code.
struct WarpgroupMma {
  uint32_t columns;
  uint32_t a, b; ///< NumberFormat
  uint32_t sum;  ///< NumberFormat of the accumulator: F32, F16 or I32
  uint32_t isTransposedA, isTransposedB, isAInRegisters;
};

/// A batch of loads or a batch of stores of shared memory that are checked together. A SharedRow is a constant of the
/// emulated code. In memory, `count` 32-bit words follow the SharedRow: the site number of each access.
struct SharedRow {
  uint32_t count;

  const uint32_t *sites() const { return &count + 1; }
};
/// Maximum size in bytes of a store to shared memory whose value is passed to `shared` or `sharedRow`.
inline constexpr uint32_t kMaxStoreBytes = 16;

/// Effects of a fence, as bits: kReleases and kAcquires for the order of accesses, the other bits for the memories to
/// which the fence applies.
enum FenceEffects : uint32_t { kReleases = 1, kAcquires = 2, kOfShared = 4, kOfGlobal = 8, kOfBoth = 12 };
constexpr FenceEffects operator|(FenceEffects a, FenceEffects b) { return FenceEffects(uint32_t(a) | uint32_t(b)); }

enum class BarrierReduction : uint32_t { Count, And, Or };

/// Distance in bytes from shared memory to its shadow (lane_to_host/steps/Shadows.h), if undefined values are tracked.
inline constexpr size_t sharedShadowOffset(size_t sharedBytes) { return (sharedBytes + 15) / 16 * 16; }

/// Distance in bytes between the shared memories of consecutive blocks of a cluster. The distance is a power of two, so
/// that the low bits of the address in a matrix descriptor are the offset in the block's shared memory.
inline constexpr size_t sharedStride(size_t sharedBytes) { return std::bit_ceil(std::max<size_t>(sharedBytes, 16)); }

/// Ordering of an atomic access, as in hk::MemSemantic: bit 0 acquires, bit 1 releases. An atomic of block scope orders
/// only accesses of its own block.
enum class AtomicOrder : uint32_t { Relaxed, Acquire, Release, AcquireRelease };

/// Kind of the memory access or other operation at a site.
enum class SiteKind : uint32_t {
  Read,
  Write,
  Atomic,
  SharedRead,
  SharedWrite,
  SharedAtomic,
  SharedCopy,    ///< an asynchronous copy into shared memory
  TensorLoad,    ///< the write of a bulk load to shared memory
  TensorStore,   ///< the read of a bulk store from shared memory
  RemoteStore,   ///< the write of an asynchronous store to shared memory, possibly of another block of the cluster
  MbarrierSet,   ///< an initialization or invalidation of an mbarrier
  MbarrierUse,   ///< an arrival at an mbarrier, or a wait for an mbarrier
  SharedOperand, ///< an asynchronous read of shared memory by a wgmma
  CrossLane,
  Barrier,
  Division,
  Assert,
  Print,
  Undefined, ///< a use of an undefined value
  Index,     ///< a check that an index has an allowed value
  TensorMap, ///< a write of a field of a tensor descriptor that the kernel builds
};

inline constexpr bool isShared(SiteKind kind) {
  return kind == SiteKind::SharedRead || kind == SiteKind::SharedWrite || kind == SiteKind::SharedAtomic ||
         kind == SiteKind::SharedCopy || kind == SiteKind::TensorLoad || kind == SiteKind::TensorStore ||
         kind == SiteKind::RemoteStore || kind == SiteKind::MbarrierSet || kind == SiteKind::MbarrierUse ||
         kind == SiteKind::SharedOperand;
}

/// Names of the site kinds in the table of sites, in the order of SiteKind.
inline constexpr std::string_view kSiteKindNames[] = {
    "read",        "write",        "atomic",       "shared_read",  "shared_write", "shared_atomic",  "shared_copy",
    "tensor_load", "tensor_store", "remote_store", "mbarrier_set", "mbarrier_use", "shared_operand", "cross_lane",
    "barrier",     "division",     "assert",       "print",        "undefined",    "index",          "tensor_map",
};

} // namespace hocket::host_abi

#endif
