//===- TargetLowering.h - What a lowering asks of the machine ---------------------===//
//
// The lowerings of hk_to_llvm are the same for all targets except where they need to know who they are (thread and
// block indices), to exchange values between lanes, to wait, or to mark a function as a kernel. Each vendor answers
// these questions in one class (hk_nv_to_nvvm/NvvmTargetLowering, hk_amd_to_rocdl/RocdlTargetLowering).
//
// All indices are i32. Operations are those of lane form: NVVM, ROCDL and LLVM dialect, no inline assembly.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_TARGETLOWERING_H
#define HOCKET_CONVERSION_HK_TO_LLVM_TARGETLOWERING_H

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

/// What a barrier of the block orders besides making all warps wait.
enum class BarrierScope : uint8_t { Shared, SharedAndGlobal };

/// What a kernel asks of the machine as a whole.
struct KernelLimits {
  int numThreads = 0;
  int numBlocks = 1;               ///< of a cluster
  std::optional<int> maxRegisters; ///< per lane
  std::optional<int> wavesPerUnit; ///< that should fit on a SIMD unit
};

class TargetLowering {
public:
  explicit TargetLowering(const TargetInfo &target) : target(target) {}
  virtual ~TargetLowering();

  const TargetInfo &target;

  // Who am I -----------------------------------------------------------------------------------------------------

  /// Index of this lane in the block, 0 .. numThreads-1. Lowerings use LoweringContext::laneId and warpId, which count
  /// from the function's first warp, cut the value in two and cache the parts.
  virtual mlir::Value threadId(mlir::OpBuilder &builder, mlir::Location loc, int numThreads) const = 0;
  virtual mlir::Value programId(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) const = 0;
  virtual mlir::Value numPrograms(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) const = 0;
  /// i64: what a clock shows that all of the GPU's units share, in nanoseconds.
  virtual mlir::Value nanoseconds(mlir::OpBuilder &builder, mlir::Location loc) const = 0;

  // Clusters; asked for only where the module has some (hk::numCtasOf) ------------------------------------------------

  /// The number of this block in its cluster, below `numBlocks`.
  virtual mlir::Value blockRank(mlir::OpBuilder &builder, mlir::Location loc, int numBlocks) const;
  /// Where what lies at `address` of this block's shared memory lies in that of block `rank`.
  virtual mlir::Value sharedOfBlock(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address,
                                    mlir::Value rank) const;
  /// Threads of the cluster arrive, and wait until all have. Relaxed arrivals order no memory.
  virtual void clusterArrive(mlir::OpBuilder &builder, mlir::Location loc, bool isRelaxed) const;
  virtual void clusterWait(mlir::OpBuilder &builder, mlir::Location loc) const;

  // Exchange between the lanes of a warp (all lanes take part) ---------------------------------------------------

  /// The value of the lane whose index is this lane's XOR `laneMask`. Any int, float or pointer of 1 to 64 bits, or a
  /// vector of 32 or 64 bits.
  mlir::Value shuffleXor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned laneMask) const;
  /// The value of lane `lane` (i32, less than the warp size). Types as for shuffleXor.
  mlir::Value shuffleIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value lane) const;

  /// The value of lane `lane` - `distance`, where `lane` is this lane's index; anything of the type where there is no
  /// such lane. Negative distances ask lanes above. Types as for shuffleXor.
  mlir::Value shuffleUp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value lane,
                        int distance) const;

  /// `value` (i32), which is the same in all lanes of a warp, so that the back end knows.
  virtual mlir::Value uniform(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) const { return value; }

  /// i1: whether `value` (i1) is true in a lane of the warp; the same in all lanes, and the back end knows.
  virtual mlir::Value anyLane(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) const = 0;

  /// Two i32, swapped between the lanes that differ in `laneMask` as plans/LaneSwapsPlan.h draws it. Asked for
  /// only where TargetInfo::laneSwapMasks has the bit.
  virtual std::pair<mlir::Value, mlir::Value> swapLanes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a,
                                                        mlir::Value b, unsigned laneMask) const;

  // Wait ---------------------------------------------------------------------------------------------------------

  /// All warps that run the function that `builder` inserts into (hk.partition; all of the block without it) wait for
  /// each other, and see each other's accesses of the scope.
  virtual void blockBarrier(mlir::OpBuilder &builder, mlir::Location loc, BarrierScope scope) const = 0;
  /// The lanes of a warp see each other's shared-memory accesses.
  virtual void warpBarrier(mlir::OpBuilder &builder, mlir::Location loc) const = 0;

  /// What LLVM calls the threads of a block, among which an access is atomic.
  virtual llvm::StringRef blockScope() const = 0;
  /// The synchronization scope of all threads of a cluster.
  virtual llvm::StringRef clusterScope() const { return blockScope(); }

  /// The i1 without which an operation of the vendor's dialect does nothing, and accesses nothing; null if there is
  /// none.
  virtual mlir::Value predicateOf(mlir::Operation *op) const { return {}; }

  /// Keeps the back end from scheduling over this point what `allow` (the mask of hk.sched_barrier) does not name. Null
  /// where no back end needs it.
  virtual mlir::Operation *schedBarrier(mlir::OpBuilder &builder, mlir::Location loc, uint32_t allow) const {
    return nullptr;
  }

  /// Keeps what has an effect below this point from being scheduled before these registers of numbers are known.
  virtual void requireComputed(mlir::RewriterBase &rewriter, mlir::Location loc,
                               llvm::ArrayRef<mlir::Value> registers) const = 0;

  /// 2 to the power x (f32), 0 where that is below the smallest normal number.
  virtual mlir::Value flushedExp2(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x) const = 0;

  // Operations that other vendors do not have ------------------------------------------------------------------------

  /// Adds the patterns of the vendor's own dialect.
  virtual void populatePatterns(LoweringContext &lowering, mlir::RewritePatternSet &patterns) const {}

  // The module ----------------------------------------------------------------------------------------------------

  /// Adds what makes the function a kernel, within those of the limits that the vendor has.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp function, const KernelLimits &limits) const = 0;
  /// Size of the array @hocket_shared: 0 where the launch says how much there is.
  virtual int64_t sharedArrayBytes(int64_t sharedBytes) const = 0;

protected:
  virtual mlir::Value shuffleXor32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                   unsigned laneMask) const = 0;
  virtual mlir::Value shuffleIndex32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                     mlir::Value lane) const = 0;
  /// By shuffleIndex32 where a vendor has no better way.
  virtual mlir::Value shuffleUp32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Value lane,
                                  int distance) const;
};

/// Makes the lowering of a target; hk_to_llvm gets it from whoever builds the pass, so that it need not know the
/// vendors.
using TargetLoweringFactory = std::function<std::unique_ptr<TargetLowering>(const TargetInfo &)>;

} // namespace hocket

#endif
