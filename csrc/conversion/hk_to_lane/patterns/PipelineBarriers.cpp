//===- PipelineBarriers.cpp - Lowers the barriers of warp pipelines ----------------===//
//
//                             AMD                                NVIDIA
//   hk.slot_barrier           s_barrier                          barrier.sync 2, 256
//   hk.group_barrier high     the same barrier, in a branch that warps 4 to 7 take
//   hk.begin_exclusive        -                                  barrier.sync 2 + the warp's group, 256
//   hk.end_exclusive          -                                  barrier.arrive 3 - the warp's group, 256
//   hk.set_priority           s_setprio                          -
//
// On both vendors, a barrier counts arrivals of warps at any barrier instruction. One group of warps can therefore be
// one barrier instruction ahead of the other group ("AMD Instinct MI300" ISA guide, 4.4; PTX ISA 9.0, "barrier").
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr int kWarpsPerGroup = hk::HkDialect::kWarpsPerGroup;

Value i32(OpBuilder &builder, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

/// Checks that the operation fits the target and the number of warps.
LogicalResult checkBarrier(const LoweringContext &lowering, Operation *op, bool hasNumber) {
  if (lowering.numWarps != 2 * kWarpsPerGroup)
    return op->emitOpError() << "is for two groups of four warps, but " << lowering.numWarps << " warps run it";
  if (hasNumber && !kNamedBarriers.isOn(lowering.target))
    return op->emitOpError() << "needs " << kNamedBarriers.describe() << "; the target is "
                             << StringRef(lowering.target.name);
  if (!hasNumber && kNamedBarriers.isOn(lowering.target))
    return op->emitOpError() << "needs the number of a barrier on " << StringRef(lowering.target.name);
  return success();
}

/// Returns 0 for warps of the low group, 1 for warps of the high group.
Value groupOfWarp(LoweringContext &lowering, OpBuilder &builder, Location loc) {
  Value warp = lowering.uniformWarpId(builder, loc);
  return LLVM::UDivOp::create(builder, loc, warp, i32(builder, loc, kWarpsPerGroup));
}

/// Returns an i1 that is true for the warps of `group`. On targets without named barriers, the conditions for both
/// groups compare the same value (the group of the warp), so that LLVM merges the comparisons. On targets with named
/// barriers, the condition compares the index of the warp.
Value isOfGroup(LoweringContext &lowering, OpBuilder &builder, Location loc, hk::WarpGroup group) {
  bool isLow = group == hk::WarpGroup::Low;
  if (!kNamedBarriers.isOn(lowering.target)) {
    Value own = groupOfWarp(lowering, builder, loc);
    return LLVM::ICmpOp::create(builder, loc, isLow ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne, own,
                                i32(builder, loc, 0));
  }
  Value warp = lowering.uniformWarpId(builder, loc);
  return LLVM::ICmpOp::create(builder, loc, isLow ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::uge, warp,
                              i32(builder, loc, kWarpsPerGroup));
}

/// Emits the code of `body` at `op`, in a branch that only the warps of `group` take.
void emitForGroup(LoweringContext &lowering, ConversionPatternRewriter &rewriter, Operation *op, hk::WarpGroup group,
                  function_ref<void()> body) {
  Location loc = op->getLoc();
  Value condition = isOfGroup(lowering, rewriter, loc, group);
  Block *before = op->getBlock();
  Block *after = rewriter.splitBlock(before, std::next(Block::iterator(op)));
  Block *arrive = rewriter.createBlock(after);
  body();
  LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, loc, condition, arrive, after);
}

template <typename OpT>
void emitSlotBarrier(LoweringContext &lowering, OpBuilder &builder, OpT op, bool finishesReads) {
  Location loc = op.getLoc();
  std::optional<uint32_t> number = op.getNumber();
  Value barrier = number ? i32(builder, loc, int32_t(*number)) : Value();
  lowering.targetLowering.slotBarrier(builder, loc, barrier, lowering.numThreads(), finishesReads);
}

struct SlotBarrierLowering : LoweringPattern<hk::SlotBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::SlotBarrierOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkBarrier(lowering, op, op.getNumber().has_value())))
      return failure();
    emitSlotBarrier(lowering, rewriter, op, op.getFinishReads());
    rewriter.eraseOp(op);
    return success();
  }
};

struct GroupBarrierLowering : LoweringPattern<hk::GroupBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::GroupBarrierOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkBarrier(lowering, op, op.getNumber().has_value())))
      return failure();
    emitForGroup(lowering, rewriter, op, op.getGroup(),
                 [&] { emitSlotBarrier(lowering, rewriter, op, /*finishesReads=*/false); });
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename OpT>
struct ExclusiveLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;
  LogicalResult matchAndRewrite(OpT op, typename LoweringPattern<OpT>::OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkBarrier(this->lowering, op, /*hasNumber=*/true)))
      return failure();
    if (std::optional<hk::WarpGroup> group = op.getGroup())
      emitForGroup(this->lowering, rewriter, op, *group, [&] { emit(op, rewriter); });
    else
      emit(op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Returns the number of the barrier at which the group of the current warp waits or, if `isOther`, at which the
  /// other group waits.
  Value numberOf(OpT op, bool isOther, OpBuilder &builder) const {
    Location loc = op.getLoc();
    auto first = int32_t(op.getNumber());
    if (std::optional<hk::WarpGroup> group = op.getGroup())
      return i32(builder, loc, first + int32_t((*group == hk::WarpGroup::High) != isOther));
    Value group = groupOfWarp(this->lowering, builder, loc);
    if (isOther)
      return LLVM::SubOp::create(builder, loc, i32(builder, loc, first + 1), group);
    return LLVM::AddOp::create(builder, loc, i32(builder, loc, first), group);
  }

  void emit(OpT op, OpBuilder &builder) const {
    Location loc = op.getLoc();
    const TargetLowering &target = this->lowering.targetLowering;
    int numThreads = this->lowering.numThreads();
    if constexpr (std::is_same_v<OpT, hk::EndExclusiveOp>)
      target.arriveAtNamedBarrier(builder, loc, numberOf(op, /*isOther=*/true, builder), numThreads);
    else
      target.slotBarrier(builder, loc, numberOf(op, /*isOther=*/false, builder), numThreads, /*finishesReads=*/false);
  }
};

struct SetPriorityLowering : LoweringPattern<hk::SetPriorityOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::SetPriorityOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (lowering.target.hasWarpPriorities)
      lowering.targetLowering.setPriority(rewriter, op.getLoc(), op.getPriority());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populatePipelineBarrierPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<SlotBarrierLowering, GroupBarrierLowering, ExclusiveLowering<hk::BeginExclusiveOp>,
               ExclusiveLowering<hk::EndExclusiveOp>, SetPriorityLowering>(lowering);
}

} // namespace hocket
