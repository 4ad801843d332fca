//===- LoweringContext.h - State that all patterns of hk_to_lane share -------------===//
//
// There is one LoweringContext per conversion. Patterns derive from LoweringPattern<Op>, override the OneToNOpAdaptor
// form of matchAndRewrite and call replaceOpWithMultiple:
//
//   struct SplatLowering : LoweringPattern<hk::SplatOp> {
//     using LoweringPattern::LoweringPattern;
//     LogicalResult matchAndRewrite(hk::SplatOp op, OneToNOpAdaptor adaptor,
//                                   ConversionPatternRewriter &rewriter) const override {
//       SmallVector<Value> registers(numRegisters(op.getType()), adaptor.getSrc().front());
//       rewriter.replaceOpWithMultiple(op, {registers});
//       return success();
//     }
//   };
//
// The conversion cannot roll back, so a pattern must complete all of its checks before it changes the IR. A pattern
// that cannot lower an operation emits the reason with op.emitError and returns failure.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_LOWERINGCONTEXT_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_LOWERINGCONTEXT_H

#include "conversion/hk_to_lane/passes/TargetLowering.h"
#include "conversion/hk_to_lane/passes/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace hocket {

class LoweringContext {
public:
  /// Creates the context for the conversion of a function or of a whole module.
  LoweringContext(mlir::Operation *root, const TargetLowering &targetLowering);

  mlir::ModuleOp module;
  const TargetLowering &targetLowering;
  const TargetInfo &target;
  HkTypeConverter typeConverter;
  /// Number of warps that run the function: all warps of the block, or the warps in the function's hk.partition.
  const int numWarps;
  /// Index of the first warp that runs the function.
  const int firstWarp;
  /// Number of blocks of a cluster; 1 without clusters.
  const int numBlocks;
  /// True if a * b + c can be rounded only once (hk.fp_fusion).
  const bool mayFuse;

  int warpSize() const { return target.warpSize; }
  int numThreads() const { return numWarps * warpSize(); }
  KernelLimits kernelLimits() const;

  /// Functions that return, as i32, the index of this lane in its warp (laneId), of this warp among the warps that run
  /// the function (warpId), and of this lane among the lanes of these warps (threadId). The indices are computed once,
  /// at the start of the function into which `builder` inserts.
  mlir::Value laneId(mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value warpId(mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value threadId(mlir::OpBuilder &builder, mlir::Location loc);
  /// Returns the same index as warpId, as a value that the back end recognizes as warp-uniform.
  mlir::Value uniformWarpId(mlir::OpBuilder &builder, mlir::Location loc);

  /// Returns the index of this block in its cluster, as i32; a constant for clusters of one block.
  mlir::Value blockRank(mlir::OpBuilder &builder, mlir::Location loc);

  /// Returns the address of byte `offset` of the block's shared memory, as !llvm.ptr<3>.
  mlir::Value sharedAddress(mlir::OpBuilder &builder, mlir::Location loc, int64_t offset);
  /// Returns the layout of a tensor or scalar. A scalar has one element, which every lane of every warp holds.
  LinearLayout layoutOf(mlir::Type type) const;
  /// Returns the address of the buffer or scratch memory that AllocateMemory has assigned to `op`. If `op` has no
  /// assigned memory, emits an error and returns null.
  mlir::Value allocatedAddress(mlir::OpBuilder &builder, mlir::Operation *op);

private:
  void emitThreadIndices(mlir::OpBuilder &builder, mlir::Location loc);

  mlir::Operation *function = nullptr;
  mlir::Value lane, warp, thread;
  /// The index of the warp, as a value that the back end recognizes as warp-uniform; null until its first use.
  mlir::Value uniformWarp;
  mlir::Value rank; ///< index of the block in its cluster; null until its first use
};

/// Returns the constant `value` as an i32 of the LLVM dialect.
mlir::Value i32Constant(mlir::OpBuilder &builder, mlir::Location loc, int32_t value);

template <typename OpT>
class LoweringPattern : public mlir::OpConversionPattern<OpT> {
public:
  explicit LoweringPattern(LoweringContext &lowering, mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<OpT>(lowering.typeConverter, lowering.module.getContext(), benefit),
        lowering(lowering) {}

protected:
  mlir::Type elementType(mlir::Type type) const { return lowering.typeConverter.elementType(type); }
  unsigned numRegisters(mlir::Type type) const { return lowering.typeConverter.numRegisters(type); }

  LoweringContext &lowering;
};

} // namespace hocket

#endif
