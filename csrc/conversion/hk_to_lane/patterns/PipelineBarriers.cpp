//===- PipelineBarriers.cpp - Lowers the barriers of warp pipelines ----------------===//
//
//                             AMD                                NVIDIA
//   hk.slot_barrier           s_barrier                          barrier.sync 2, 256
//   hk.group_barrier high     the same barrier, in a branch that warps 4 to 7 take
//   hk.begin_exclusive        -                                  barrier.sync 2 + the warp's group, 256
//   hk.end_exclusive          -                                  barrier.arrive 2 + the next group, 256
//   hk.set_priority           s_setprio                          -
//
// The numbers are those of a pipeline with two groups of four warps. In a pipeline with three groups, a slot counts 384
// threads. At the barrier of an exclusive stage, the warps of two groups arrive: one group waits, the other admits it.
//
// On both vendors, a barrier counts arrivals of warps at any barrier instruction. One group of warps can therefore be
// some barrier instructions ahead of another group ("AMD Instinct MI300" ISA guide, 4.4; PTX ISA 9.0, "barrier").
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr int kWarpsPerGroup = hk::HkDialect::kWarpsPerGroup, kMaxGroups = 4;

Value i32(OpBuilder &builder, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

/// Checks that the operation fits the target and the number of warps.
LogicalResult checkBarrier(const LoweringContext &lowering, Operation *op, bool hasNumber) {
  int groups = lowering.numWarps / kWarpsPerGroup;
  if (lowering.numWarps % kWarpsPerGroup != 0 || groups < 2 || groups > kMaxGroups)
    return op->emitOpError() << "is for two to four groups of four warps, but " << lowering.numWarps << " warps run it";
  if (hasNumber && !kNamedBarriers.isOn(lowering.target))
    return op->emitOpError() << "needs " << kNamedBarriers.describe() << "; the target is "
                             << StringRef(lowering.target.name);
  if (!hasNumber && kNamedBarriers.isOn(lowering.target))
    return op->emitOpError() << "needs the number of a barrier on " << StringRef(lowering.target.name);
  return success();
}

/// Returns the number of the warp's group.
Value groupOfWarp(LoweringContext &lowering, OpBuilder &builder, Location loc) {
  Value warp = lowering.uniformWarpId(builder, loc);
  return LLVM::UDivOp::create(builder, loc, warp, i32(builder, loc, kWarpsPerGroup));
}

/// Returns an i1 that is true for the first `lowGroups` groups, if `isLow`, or for the other groups. On targets without
/// named barriers, the conditions for both compare the same value (the group of the warp), so that LLVM merges the
/// comparisons. On targets with named barriers, the condition compares the index of the warp.
Value areOfGroups(LoweringContext &lowering, OpBuilder &builder, Location loc, bool isLow, int32_t lowGroups) {
  auto predicate = isLow ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::uge;
  if (kNamedBarriers.isOn(lowering.target)) {
    Value warp = lowering.uniformWarpId(builder, loc);
    return LLVM::ICmpOp::create(builder, loc, predicate, warp, i32(builder, loc, kWarpsPerGroup * lowGroups));
  }
  Value own = groupOfWarp(lowering, builder, loc);
  if (lowGroups == 1)
    return LLVM::ICmpOp::create(builder, loc, isLow ? LLVM::ICmpPredicate::eq : LLVM::ICmpPredicate::ne, own,
                                i32(builder, loc, 0));
  return LLVM::ICmpOp::create(builder, loc, predicate, own, i32(builder, loc, lowGroups));
}

/// Emits the code of `body` at `op`, in a branch that only the first `lowGroups` groups take, if `group` is low, or
/// only the other groups.
void emitForGroups(LoweringContext &lowering, ConversionPatternRewriter &rewriter, Operation *op, hk::WarpGroup group,
                   int32_t lowGroups, function_ref<void()> body) {
  Location loc = op->getLoc();
  Value condition = areOfGroups(lowering, rewriter, loc, group == hk::WarpGroup::Low, lowGroups);
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
    emitForGroups(lowering, rewriter, op, op.getGroup(), int32_t(hk::kLowGroupsAttr.get(op).value_or(1)),
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
      emitForGroups(this->lowering, rewriter, op, *group, *group == hk::WarpGroup::Low ? 1 : countGroups() - 1,
                    [&] { emit(op, rewriter); });
    else
      emit(op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  int32_t countGroups() const { return this->lowering.numWarps / kWarpsPerGroup; }

  /// Returns the number of the barrier at which the group of the current warp waits or, if `isNext`, at which the next
  /// group waits.
  Value numberOf(OpT op, bool isNext, OpBuilder &builder) const {
    Location loc = op.getLoc();
    auto first = int32_t(op.getNumber());
    int32_t groups = countGroups();
    if (std::optional<hk::WarpGroup> group = op.getGroup())
      return i32(builder, loc, first + ((*group == hk::WarpGroup::High ? groups - 1 : 0) + isNext) % groups);
    Value group = groupOfWarp(this->lowering, builder, loc);
    if (!isNext)
      return LLVM::AddOp::create(builder, loc, i32(builder, loc, first), group);
    if (groups == 2)
      return LLVM::SubOp::create(builder, loc, i32(builder, loc, first + 1), group);
    Value isLast = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, group, i32(builder, loc, groups - 1));
    Value next = LLVM::AddOp::create(builder, loc, i32(builder, loc, first + 1), group);
    return LLVM::SelectOp::create(builder, loc, isLast, i32(builder, loc, first), next);
  }

  void emit(OpT op, OpBuilder &builder) const {
    Location loc = op.getLoc();
    const TargetLowering &target = this->lowering.targetLowering;
    int numThreads = 2 * kWarpsPerGroup * this->lowering.warpSize();
    if constexpr (std::is_same_v<OpT, hk::EndExclusiveOp>)
      target.arriveAtNamedBarrier(builder, loc, numberOf(op, /*isNext=*/true, builder), numThreads);
    else
      target.slotBarrier(builder, loc, numberOf(op, /*isNext=*/false, builder), numThreads, /*finishesReads=*/false);
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
