//===- TargetLowering.h - Target-specific parts of the lowering -------------------===//
//
// The lowerings of hk_to_lane are the same for all targets, except for thread and block indices, exchanges between
// lanes, waits, barriers, and attributes of kernels. Each vendor implements these exceptions in one class
// (hk_nv_to_nvvm/NvvmTargetLowering, hk_amd_to_rocdl/RocdlTargetLowering).
//
// All indices are i32. The emitted operations belong to lane form: NVVM, ROCDL and LLVM dialect, without inline
// assembly.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_TARGETLOWERING_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_TARGETLOWERING_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Value.h"
#include "target/TargetInfo.h"
#include <functional>
#include <memory>
#include <optional>

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace hocket {

class LoweringContext;

/// The memories for which a barrier of the block orders accesses.
enum class BarrierScope : uint8_t { Shared, SharedAndGlobal };

/// Launch bounds of a kernel.
struct KernelLimits {
  int numThreads = 0;
  int numBlocks = 1;               ///< number of blocks of a cluster
  std::optional<int> maxRegisters; ///< per lane
  std::optional<int> wavesPerUnit; ///< number of waves per SIMD that the user requests
};

class TargetLowering {
public:
  explicit TargetLowering(const TargetInfo &target) : target(target) {}
  virtual ~TargetLowering();

  const TargetInfo &target;

  // Indices -------------------------------------------------------------------------------------------------------

  /// Returns the index of this lane in the block, 0 ... numThreads-1. Lowerings call LoweringContext::laneId and
  /// warpId, which are cached, and count from the function's first warp.
  virtual mlir::Value threadId(mlir::OpBuilder &builder, mlir::Location loc, int numThreads) const = 0;
  virtual mlir::Value programId(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) const = 0;
  virtual mlir::Value numPrograms(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) const = 0;
  /// Returns, as i64, the time in nanoseconds of a clock that all SMs or compute units of the GPU share.
  virtual mlir::Value nanoseconds(mlir::OpBuilder &builder, mlir::Location loc) const = 0;

  // Clusters; called only if the module has clusters (hk::numCtasOf) ------------------------------------------------

  /// Returns the index of this block in its cluster, which is less than `numBlocks`.
  virtual mlir::Value blockRank(mlir::OpBuilder &builder, mlir::Location loc, int numBlocks) const;
  /// Returns the address in the shared memory of block `rank` that corresponds to `address` in the shared memory of
  /// this block.
  virtual mlir::Value sharedOfBlock(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address,
                                    mlir::Value rank) const;
  /// Functions that emit the arrival of a thread at the cluster barrier, and the wait for all threads of the cluster.
  /// Relaxed arrivals do not order memory accesses.
  virtual void clusterArrive(mlir::OpBuilder &builder, mlir::Location loc, bool isRelaxed) const;
  virtual void clusterWait(mlir::OpBuilder &builder, mlir::Location loc) const;

  // Exchange between the lanes of a warp (all lanes take part) ---------------------------------------------------

  /// Returns the value of the lane whose index is the index of this lane XOR `laneMask`. `value` is an int, float or
  /// pointer of 1 to 64 bits, or a vector of 32 or 64 bits.
  mlir::Value shuffleXor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned laneMask) const;
  /// Returns the value of lane `lane` (i32, less than the warp size). `value` has a type that shuffleXor accepts.
  mlir::Value shuffleIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value lane) const;

  /// Returns the value of lane `lane` - `distance`, where `lane` is the index of this lane; an arbitrary value if there
  /// is no such lane. If `distance` is negative, the source is a lane with a higher index. `value` has a type that
  /// shuffleXor accepts.
  mlir::Value shuffleUp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value lane,
                        int distance) const;

  /// Returns `value` (i32), which must be warp-uniform, as a value that the back end recognizes as warp-uniform.
  virtual mlir::Value uniform(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) const { return value; }

  /// Returns an i1 that is true if `value` (i1) is true in some lane of the warp. The back end recognizes the result as
  /// warp-uniform.
  virtual mlir::Value anyLane(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) const = 0;

  /// Swaps two i32 between the lanes that differ in the bit `laneMask`, as defined in plans/LaneSwapsPlan.h. Called
  /// only if TargetInfo::laneSwapMasks contains this bit.
  virtual std::pair<mlir::Value, mlir::Value> swapLanes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a,
                                                        mlir::Value b, unsigned laneMask) const;

  // Waits ---------------------------------------------------------------------------------------------------------

  /// Emits a barrier of all warps that run the function into which `builder` inserts (the warps of hk.partition, or all
  /// warps of the block). The barrier makes earlier accesses of `scope` by these warps visible to all of these warps.
  virtual void blockBarrier(mlir::OpBuilder &builder, mlir::Location loc, BarrierScope scope) const = 0;
  /// Emits a barrier of the warp, which orders accesses of shared memory between its lanes.
  virtual void warpBarrier(mlir::OpBuilder &builder, mlir::Location loc) const = 0;

  /// Emits the barrier of a slot of a warp pipeline. If the target has named barriers, `number` is a constant i32, and
  /// the barrier synchronizes `numThreads` threads. Without named barriers, `number` is null, and the barrier is the
  /// barrier of the block. `finishesReads` is the attribute of hk.slot_barrier.
  virtual void slotBarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number, int numThreads,
                           bool finishesReads) const = 0;
  /// Emits an arrival, without a wait, at the named barrier `number` (i32), which counts `numThreads` threads. Called
  /// only if the target has named barriers.
  virtual void arriveAtNamedBarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number,
                                    int numThreads) const;
  /// Sets the issue priority of the warp. Called only if TargetInfo::hasWarpPriorities.
  virtual void setPriority(mlir::OpBuilder &builder, mlir::Location loc, uint32_t priority) const;

  /// Returns LLVM's name of the synchronization scope of all threads of a block.
  virtual llvm::StringRef blockScope() const = 0;
  /// Returns LLVM's name of the synchronization scope of all threads of a cluster.
  virtual llvm::StringRef clusterScope() const { return blockScope(); }

  /// Returns the i1 predicate of an operation of the vendor's dialect; null if the operation has no predicate. If the
  /// predicate is false, the operation accesses no memory.
  virtual mlir::Value predicateOf(mlir::Operation *op) const { return {}; }

  /// Emits a scheduling barrier. The back end moves only instructions of the kinds in `allow` (the mask of
  /// hk.sched_barrier) across the barrier. Returns null if the back end has no scheduling barriers.
  virtual mlir::Operation *schedBarrier(mlir::OpBuilder &builder, mlir::Location loc, uint32_t allow) const {
    return nullptr;
  }

  /// Keeps later operations with side effects from being scheduled before `registers` are computed.
  virtual void requireComputed(mlir::RewriterBase &rewriter, mlir::Location loc,
                               llvm::ArrayRef<mlir::Value> registers) const = 0;

  /// Returns 2^x (f32), or 0 if the result is below the smallest normal number.
  virtual mlir::Value flushedExp2(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x) const = 0;

  // Vendor-specific operations ------------------------------------------------------------------------------------

  /// Adds the patterns of the vendor's own dialect.
  virtual void populatePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns) const {}

  // The module ----------------------------------------------------------------------------------------------------

  /// Sets the attributes that mark `function` as a kernel, and the attributes for the limits that the vendor supports.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp function, const KernelLimits &limits) const = 0;
  /// Returns the size of the array @hocket_shared; 0 if the launch determines the size.
  virtual int64_t sharedArrayBytes(int64_t sharedBytes) const = 0;

protected:
  virtual mlir::Value shuffleXor32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                   unsigned laneMask) const = 0;
  virtual mlir::Value shuffleIndex32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                     mlir::Value lane) const = 0;
  /// Implements shuffleUp for 32 bits. The default implementation uses shuffleIndex32.
  virtual mlir::Value shuffleUp32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value lane,
                                  int distance) const;
};

/// Function that creates the lowering of a target. The function is a parameter of the pass, so that hk_to_lane does not
/// depend on vendors.
using TargetLoweringFactory = std::function<std::unique_ptr<TargetLowering>(const TargetInfo &)>;

} // namespace hocket

#endif
