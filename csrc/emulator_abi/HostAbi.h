//===- HostAbi.h - Interface between emulated code and the emulator ----------------===//
//
// A kernel becomes `void hocket_emulated_kernel(LaneContext *lane, const uint64_t *arguments)`, called once per lane.
// The function reads the lane's indices from the lane context, and the kernel's arguments from 8-byte slots. For
// operations that involve other lanes, or memory other than the lane's own stack, the code calls the runtime functions
// that HostAbi.def lists.
//
// Every call that can fail passes the number of its *site*: the index of an entry of the module's `hocket.sites`
// attribute, which holds the kind of the access and its location in the user's source.
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
inline constexpr char kCallPrefix[] = "hocket_emulator_"; ///< prefix of the names of runtime functions
inline constexpr char kSitesAttr[] = "hocket.sites";      ///< read and written by Sites.cpp
inline constexpr char kEventsAttr[] = "hocket.events";    ///< read and written by TimedEvents.cpp
inline constexpr char kKernelAttr[] = "hocket.kernel";    ///< read and written by FormerKernel.cpp

/// The block of a lane. In a kernel with clusters, `blockIndex` is the index of the cluster, and `gridSize` counts
/// clusters.
struct BlockContext {
  uint32_t blockIndex[3];
  uint32_t gridSize[3];
  uint32_t blockSize;    ///< number of threads; blocks have one dimension
  uint64_t sharedStride; ///< distance in bytes between the shared memories of consecutive blocks
};

/// The fields of a lane that emulated code reads directly. The emulator's type for a lane begins with these fields.
struct LaneContext {
  const BlockContext *block;
  std::byte *shared;  ///< start of the shared memory of all blocks of the cluster
  uint32_t thread;    ///< index of the thread in the cluster
  uint32_t lane;      ///< index of the lane in its warp
  uint32_t warp;      ///< index of the warp in the cluster
  int32_t iterations; ///< loop iterations left until the lane must call `tick`
  bool watched;       ///< true if accesses of shared memory must call `shared`
  uint32_t rank;      ///< index of the block in the cluster
  uint64_t ownShared; ///< offset in `shared` of the block's own shared memory
};

/// The index of an entry in the module's table of sites. Each call that can fail passes a SiteNumber.
enum class SiteNumber : uint32_t {};

/// Iterations between two calls of `tick`. A call switches to another lane, which takes about 20 ns; an iteration takes
/// about 1 ns.
inline constexpr int32_t kIterationsPerTick = 1024;

/// Counters of copies to shared memory (dialect/hk/facts/AsyncCounter.h). A warp has commit groups on each counter.
enum class CopyCounter : uint32_t { CopyGroups };

/// Kind of the operation that follows a copy to shared memory. `Copy`: another copy, which starts together with the
/// first copy. `Commit`: a commit, which the call of the copy also executes. `Other`: any other operation.
enum class AfterCopy : uint32_t { Copy, Other, Commit };

/// The fields of a tensor map that are written individually. `Rank` is the rank minus one, as in PTX.
enum class TensorMapField : uint32_t { Address, Rank, BoxSize, Size, StrideBytes, Element, Swizzle, Fill };

/// The reduction that a bulk store applies to the elements in memory.
enum class TensorReduction : uint32_t { None, Add, Min, Max, And, Or, Xor };

/// Operations across the lanes of a warp. emulator/machine/CrossLane.cpp cites the definitions of NVIDIA and AMD.
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
  // NVIDIA's ldmatrix and stmatrix: value = address of `a` chunks of 16 bytes, b = number of matrices of an
  // instruction, perhaps with kTransposesMatrices. A load replaces the contents of the chunks, the rows that the lane
  // has read from shared memory, by the lane's words of the result. A store replaces the lane's words by the rows that
  // the lane stores.
  MatrixLoads,
  MatrixStores,
  Mmas,       ///< value = the lane's operands, a = a MatrixRow
  MmaShadows, ///< operands as for Mmas, with the shadows of the values: finds the undefined results
};

inline constexpr uint64_t kTransposesMatrices = uint64_t(1) << 8;

/// Bit that a lane sets in operand `b` of Mmas, TransposedReads, MatrixLoads and MatrixStores if some of its operands
/// are undefined and undefined values are tracked. The result of the operation is 1 if any lane has set the bit.
inline constexpr uint64_t kUndefinedOperands = uint64_t(1) << 32;

/// An MMA. The operands are given by byte offsets into the lane's operand memory, which is on the lane's stack. The
/// result overwrites C. MMAs that share an operand value use the same offset for that value.
struct MatrixStep {
  uint32_t formats; ///< MatrixFormats
  uint32_t a, b, c, scaleA, scaleB;
};

/// A batch of MMAs with the same operation, which the lanes of a wave compute in order in one rendezvous. A MatrixRow
/// is a constant of the emulated code; `count` steps follow it in memory.
struct MatrixRow {
  uint32_t operation; ///< index in matrixOperations()
  uint32_t count;

  const MatrixStep *begin() const { return reinterpret_cast<const MatrixStep *>(this + 1); }
  const MatrixStep *end() const { return begin() + count; }
};

/// A wgmma. The structure is a constant of the emulated code.
struct WarpgroupMma {
  uint32_t columns;
  uint32_t a, b; ///< NumberFormat
  uint32_t sum;  ///< NumberFormat: F32, F16 or I32
  uint32_t isTransposedA, isTransposedB, isAInRegisters;
};

/// A batch of loads, or of stores, of shared memory that are checked together. A SharedRow is a constant of the
/// emulated code. `count` words follow it in memory: the site number of each access of the batch.
struct SharedRow {
  uint32_t count;

  const uint32_t *sites() const { return &count + 1; }
};
/// Maximum size in bytes of a store whose value is passed to the runtime.
inline constexpr uint32_t kMaxStoreBytes = 16;

/// Bits for the effects of a fence on the order of accesses, and for the memories to which the fence applies.
enum FenceEffects : uint32_t { kReleases = 1, kAcquires = 2, kOfShared = 4, kOfGlobal = 8, kOfBoth = 12 };
constexpr FenceEffects operator|(FenceEffects a, FenceEffects b) { return FenceEffects(uint32_t(a) | uint32_t(b)); }

enum class BarrierReduction : uint32_t { Count, And, Or };

/// Distance in bytes from shared memory to its shadow (Shadows.h), if there is a shadow.
inline constexpr size_t sharedShadowOffset(size_t sharedBytes) { return (sharedBytes + 15) / 16 * 16; }

/// Distance in bytes between the shared memories of consecutive blocks of a cluster: a power of two, so that the low
/// bits of the address in a matrix descriptor are the offset in the block.
inline constexpr size_t sharedStride(size_t sharedBytes) { return std::bit_ceil(std::max<size_t>(sharedBytes, 16)); }

/// Ordering of an atomic access, as in hk::MemSemantic: bit 0 acquires, bit 1 releases. An atomic of block scope orders
/// only accesses of its own block.
enum class AtomicOrder : uint32_t { Relaxed, Acquire, Release, AcquireRelease };

/// Kind of the access or other operation at a site.
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

/// Names of the site kinds in the table of sites, in the order of SiteKind.
inline constexpr std::string_view kSiteKindNames[] = {
    "read",        "write",        "atomic",       "shared_read",  "shared_write", "shared_atomic",  "shared_copy",
    "tensor_load", "tensor_store", "remote_store", "mbarrier_set", "mbarrier_use", "shared_operand", "cross_lane",
    "barrier",     "division",     "assert",       "print",        "undefined",    "index",          "tensor_map",
};

} // namespace hocket::host_abi

#endif
