//===- Control.cpp - Lowers the kernel, its branches, indices and barriers -------------===//
//
//   func.func, func.return       llvm.func with the vendor's kernel attributes, llvm.return
//   cf.br, cf.cond_br            llvm.br, llvm.cond_br; a tensor becomes one block argument per register
//   hk.program_id, num_programs  special registers
//   hk.nanoseconds               one read of a clock, for all elements of a lane
//   hk.barrier                   the barrier of the warps that run the function
//   hk.cluster_*, hk.cta_rank    the barrier of the cluster's threads, a special register
//   hk.sched_barrier             the vendor's scheduling barrier, or nothing
//   hk.assert                    one lane.assert of the conjunction of the lane's registers
//   hk.assume                    llvm.assume
//
// An argument that is passed in memory (hk::PassedInMemory) becomes a pointer to that memory, with llvm.byval.
//
// The hk.divisibility of a pointer argument, which the caller guarantees, becomes the argument's alignment
// (llvm.align). Earlier passes have used the hk.divisibility of integers to choose the widths of accesses.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/HkStorageInterfaces.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {
namespace {

struct FunctionLowering : LoweringPattern<func::FuncOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(func::FuncOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The conversion of the types succeeds, because checkKernels has checked the types.
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(), signature)))
      return failure();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), signature.getConvertedTypes());
    auto kernel = LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getName(), type);
    // Arguments of workers are skipped. An argument of a worker is a captured value, which has no attributes and can
    // become several arguments.
    for (unsigned i = 0; i < op.getNumArguments() && lowering.firstWarp == 0; ++i) {
      std::optional<int64_t> divisibility = hk::kDivisibilityAttr.getOfArgument(op, i);
      if (divisibility && isa<hk::PointerType>(op.getArgumentTypes()[i]))
        kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), rewriter.getI64IntegerAttr(*divisibility));
      if (hk::ImplicitAttr implicit = hk::kImplicitAttr.getAttrOfArgument(op, i))
        hk::kImplicitAttr.setAttrOfArgument(kernel, i, implicit);
      if (auto inMemory = dyn_cast<hk::PassedInMemory>(op.getArgumentTypes()[i])) {
        Type bytes = LLVM::LLVMArrayType::get(rewriter.getI8Type(), inMemory.getPassedBytes());
        kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
        kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          rewriter.getI64IntegerAttr(inMemory.getPassedAlignment()));
      }
    }
    if (hk::PartitionAttr partition = hk::partitionOf(op))
      hk::kPartitionAttr.setAttr(kernel, partition);
    if (lowering.firstWarp == 0)
      lowering.targetLowering.markKernel(kernel, lowering.kernelLimits());

    rewriter.inlineRegionBefore(op.getBody(), kernel.getBody(), kernel.getBody().end());
    if (failed(rewriter.convertRegionTypes(&kernel.getBody(), *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnLowering : LoweringPattern<func::ReturnOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

SmallVector<Value> flatten(ArrayRef<ValueRange> ranges) {
  SmallVector<Value> values;
  for (ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

/// Copies loop hints (unrolling) from the branch back to the loop's header.
template <typename LlvmOpT>
void copyLoopAnnotation(Operation *from, LlvmOpT to) {
  if (auto annotation = from->getAttrOfType<LLVM::LoopAnnotationAttr>(to.getLoopAnnotationAttrName()))
    to.setLoopAnnotationAttr(annotation);
}

struct BranchLowering : LoweringPattern<cf::BranchOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(cf::BranchOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto branch = LLVM::BrOp::create(rewriter, op.getLoc(), flatten(adaptor.getDestOperands()), op.getDest());
    copyLoopAnnotation(op, branch);
    rewriter.eraseOp(op);
    return success();
  }
};

struct CondBranchLowering : LoweringPattern<cf::CondBranchOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(cf::CondBranchOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto branch = LLVM::CondBrOp::create(rewriter, op.getLoc(), adaptor.getCondition().front(), op.getTrueDest(),
                                         flatten(adaptor.getTrueDestOperands()), op.getFalseDest(),
                                         flatten(adaptor.getFalseDestOperands()));
    copyLoopAnnotation(op, branch);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ProgramIdLowering : LoweringPattern<hk::ProgramIdOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::ProgramIdOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, lowering.targetLowering.programId(rewriter, op.getLoc(), op.getAxis()));
    return success();
  }
};

struct NumProgramsLowering : LoweringPattern<hk::NumProgramsOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::NumProgramsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, lowering.targetLowering.numPrograms(rewriter, op.getLoc(), op.getAxis()));
    return success();
  }
};

struct BarrierLowering : LoweringPattern<hk::BarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::BarrierOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    BarrierScope scope = op.getLocal() ? BarrierScope::Shared : BarrierScope::SharedAndGlobal;
    lowering.targetLowering.blockBarrier(rewriter, op.getLoc(), scope);
    rewriter.eraseOp(op);
    return success();
  }
};

LogicalResult checkCluster(LoweringContext &lowering, Operation *op) {
  if (!kClusters.isOn(lowering.target))
    return op->emitOpError() << "needs " << kClusters.describe() << "; the target is "
                             << StringRef(lowering.target.name);
  return success();
}

struct NanosecondsLowering : LoweringPattern<hk::NanosecondsOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::NanosecondsOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value time = lowering.targetLowering.nanoseconds(rewriter, op.getLoc());
    size_t registers = lowering.layoutOf(op.getType()).getInDimSize(Dim::Register);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(registers, time)});
    return success();
  }
};

template <typename OpT>
struct ClusterSyncLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;
  LogicalResult matchAndRewrite(OpT op, typename LoweringPattern<OpT>::OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkCluster(this->lowering, op)))
      return failure();
    const TargetLowering &target = this->lowering.targetLowering;
    if constexpr (!std::is_same_v<OpT, hk::ClusterWaitOp>)
      target.clusterArrive(rewriter, op.getLoc(), op.getRelaxed());
    if constexpr (!std::is_same_v<OpT, hk::ClusterArriveOp>)
      target.clusterWait(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct CtaRankLowering : LoweringPattern<hk::CtaRankOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::CtaRankOp op, OneToNOpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, lowering.blockRank(rewriter, op.getLoc()));
    return success();
  }
};

struct SchedBarrierLowering : LoweringPattern<hk::SchedBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::SchedBarrierOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (SmallVector<Value> computed = flatten(adaptor.getComputed()); !computed.empty())
      lowering.targetLowering.requireComputed(rewriter, op.getLoc(), computed);
    Operation *barrier = lowering.targetLowering.schedBarrier(rewriter, op.getLoc(), op.getAllow());
    // The label of the stage is kept on every target, for traces.
    if (StringAttr stage = op.getStageAttr()) {
      if (!barrier)
        barrier = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), rewriter.getStringAttr("llvm.donothing"), {});
      lane::kStageAttr.setAttr(barrier, stage);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssertLowering : LoweringPattern<hk::AssertOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AssertOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ValueRange registers = adaptor.getCondition();
    Value all = registers.front();
    for (Value condition : registers.drop_front())
      if (condition != all)
        all = LLVM::AndOp::create(rewriter, op.getLoc(), all, condition);
    lane::AssertOp::create(rewriter, op.getLoc(), all, op.getMessageAttr(), /*index=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct AssumeLowering : LoweringPattern<hk::AssumeOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AssumeOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LLVM::AssumeOp::create(rewriter, op.getLoc(), adaptor.getCondition().front());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateControlPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<FunctionLowering, ReturnLowering, BranchLowering, CondBranchLowering, ProgramIdLowering,
               NumProgramsLowering, BarrierLowering, ClusterSyncLowering<hk::ClusterArriveOp>,
               ClusterSyncLowering<hk::ClusterWaitOp>, ClusterSyncLowering<hk::ClusterBarrierOp>, CtaRankLowering,
               NanosecondsLowering, SchedBarrierLowering, AssertLowering, AssumeLowering>(lowering);
}

} // namespace hocket
