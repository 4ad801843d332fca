//===- LoweringContext.h - What every pattern of hk_to_llvm can ask ----------------===//
//
// One object per conversion of a module. Patterns derive from LoweringPattern<Op>, override the OneToNOpAdaptor form
// of matchAndRewrite and answer with replaceOpWithMultiple:
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
// The conversion does not roll back: a pattern makes all its checks before it changes anything. A pattern that cannot
// lower an operation says why with op.emitError and returns failure.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_LOWERINGCONTEXT_H
#define HOCKET_CONVERSION_HK_TO_LLVM_LOWERINGCONTEXT_H

#include "conversion/hk_to_llvm/TargetLowering.h"
#include "conversion/hk_to_llvm/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace hocket {

class LoweringContext {
public:
  /// Of a function, or of a module as a whole.
  LoweringContext(mlir::Operation *root, const TargetLowering &targetLowering);

  mlir::ModuleOp module;
  const TargetLowering &targetLowering;
  const TargetInfo &target;
  HkTypeConverter typeConverter;
  /// That run the function: all of the block, or those of hk.partition.
  const int numWarps;
  /// The first of them.
  const int firstWarp;
  /// Blocks of a cluster.
  const int numBlocks;
  /// Whether a * b + c may round once (hk.fp_fusion).
  const bool mayFuse;

  int warpSize() const { return target.warpSize; }
  int numThreads() const { return numWarps * warpSize(); }
  KernelLimits kernelLimits() const;

  /// Index of this lane in its warp, of its warp and of this lane among those that run the function: i32. Computed
  /// once, at the start of the function that `builder` inserts into.
  mlir::Value laneId(mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value warpId(mlir::OpBuilder &builder, mlir::Location loc);
  mlir::Value threadId(mlir::OpBuilder &builder, mlir::Location loc);
  /// warpId as a value that the back end knows to be the same in all lanes of a warp.
  mlir::Value uniformWarpId(mlir::OpBuilder &builder, mlir::Location loc);

  /// The number of this block in its cluster: i32, a constant where clusters are single blocks.
  mlir::Value blockRank(mlir::OpBuilder &builder, mlir::Location loc);

  /// Address of byte `offset` of the block's shared memory: !llvm.ptr<3>.
  mlir::Value sharedAddress(mlir::OpBuilder &builder, mlir::Location loc, int64_t offset);
  /// The layout of a tensor, or of a scalar: one element, of which every lane of every warp holds a copy.
  LinearLayout layoutOf(mlir::Type type) const;
  /// Address of the buffer or of the scratch space that AllocateShared gave to `op` (hk.offset); null, with an error at
  /// the operation, if there is none.
  mlir::Value allocatedAddress(mlir::OpBuilder &builder, mlir::Operation *op);

private:
  void emitThreadIndices(mlir::OpBuilder &builder, mlir::Location loc);

  mlir::Operation *function = nullptr;
  mlir::Value lane, warp, thread;
  /// Null until somebody asks.
  mlir::Value uniformWarp;
  mlir::Value rank; ///< the same
};

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
