//===- HostAbi.h - Interface between emulated code and the emulator ----------------===//
//
// A kernel becomes `void hocket_emulated_kernel(LaneContext *lane, const uint64_t *arguments)`, called once per lane.
// It reads its indices from the lane context and its arguments from 8-byte slots. Operations that involve other lanes,
// or memory that the lane does not own, are calls of the runtime functions that HostAbi.def lists.
//
// Every call that can fail passes the number of its *site*: an entry of the module's `hocket.sites` attribute, with the
// kind of the access and its location in the user's source.
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
inline constexpr char kCallPrefix[] = "hocket_emulator_"; ///< of the names of runtime functions
inline constexpr char kSitesAttr[] = "hocket.sites";
inline constexpr char kEventsAttr[] = "hocket.events";
/// A dictionary with the kernel as it was before the conversion: its `name`, and the attributes of its `parameters`, a
/// dictionary for each. `tracks_undefined`: the code computes shadows.
inline constexpr char kKernelAttr[] = "hocket.kernel";

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
  int32_t iterations; ///< loop iterations left until the lane must call `tick`
  bool watched;       ///< accesses of shared memory must call `shared`
  uint32_t rank;      ///< index of the block in the cluster
  uint64_t ownShared; ///< offset in `shared` of the block's part
};

/// An entry of the module's table of sites. Calls that can fail pass it.
enum class SiteNumber : uint32_t {};

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
  Mmas,       ///< value = the lane's operands, a = a MatrixRow
  MmaShadows, ///< as Mmas, for shadows of the operands: computes undefined results
};

inline constexpr uint64_t kTransposesMatrices = uint64_t(1) << 8;

/// Set in `b` of Mmas, TransposedReads, MatrixLoads and MatrixStores by a lane whose operands are partly
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
struct WarpgroupMma {
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
constexpr FenceEffects operator|(FenceEffects a, FenceEffects b) { return FenceEffects(uint32_t(a) | uint32_t(b)); }

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
