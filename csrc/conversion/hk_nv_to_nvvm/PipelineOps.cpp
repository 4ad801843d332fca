//===- PipelineOps.cpp - Lowers hk_nv.slot_barrier, begin_turn, end_turn ---------------------===//
//
//   hk_nv.slot_barrier 2             barrier.sync 2, 256
//   hk_nv.slot_barrier 2 group = 1   the same barrier, with a branch of warps 4 to 7 around it
//   hk_nv.begin_turn 2               barrier.sync 2 + the warp's group, 256
//   hk_nv.end_turn 2                 barrier.arrive 3 - the warp's group, 256
//
// barrier.sync counts the arrivals of warps, whichever instruction they are at, so one group of warps can be a barrier
// ahead. It also orders the accesses of all threads that take part. PTX ISA 9.0, "barrier".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr int kWarpsOfGroup = hk::HkDialect::kWarpsPerGroup;

/// The common part of the three operations: some or all warps use a barrier that counts 256 threads.
template <typename OpT>
struct GroupBarrierLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;
  LogicalResult matchAndRewrite(OpT op, typename LoweringPattern<OpT>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (this->lowering.numWarps != 2 * kWarpsOfGroup)
      return op.emitOpError() << "is for two groups of four warps, but " << this->lowering.numWarps << " warps run it";
    if (op.getGroup())
      useAsGroup(op, rewriter);
    else
      use(op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value i32(OpBuilder &builder, Location loc, int32_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
  }

  /// Returns the named barrier at which `group` waits for its part of a ping-pong schedule; without a group, that of
  /// the warp's own group, or with `isOther` that of the other one.
  Value barrierOfTurn(OpT op, bool isOther, OpBuilder &builder) const {
    Location loc = op.getLoc();
    auto first = int32_t(op.getBarrier());
    if (std::optional<uint32_t> group = op.getGroup())
      return i32(builder, loc, first + int32_t(isOther ? 1 - *group : *group));
    Value warp = this->lowering.uniformWarpId(builder, loc);
    Value group = LLVM::UDivOp::create(builder, loc, warp, i32(builder, loc, kWarpsOfGroup));
    if (isOther)
      return LLVM::SubOp::create(builder, loc, i32(builder, loc, first + 1), group);
    return LLVM::AddOp::create(builder, loc, i32(builder, loc, first), group);
  }

  void use(OpT op, OpBuilder &builder) const {
    Location loc = op.getLoc();
    Value threads = i32(builder, loc, this->lowering.numThreads());
    if constexpr (std::is_same_v<OpT, hk_nv::EndTurnOp>) {
      NVVM::BarrierArriveOp::create(builder, loc, barrierOfTurn(op, /*isOther=*/true, builder), threads);
    } else {
      Value barrier = i32(builder, loc, int32_t(op.getBarrier()));
      if constexpr (std::is_same_v<OpT, hk_nv::BeginTurnOp>)
        barrier = barrierOfTurn(op, /*isOther=*/false, builder);
      NVVM::BarrierOp::create(builder, loc, Type(), barrier, threads, {}, Value());
    }
  }

  void useAsGroup(OpT op, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value warp = this->lowering.uniformWarpId(rewriter, loc);
    auto predicate = *op.getGroup() == 0 ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::uge;
    Value isOfGroup = LLVM::ICmpOp::create(rewriter, loc, predicate, warp, i32(rewriter, loc, kWarpsOfGroup));
    Block *before = op->getBlock();
    Block *after = rewriter.splitBlock(before, std::next(Block::iterator(op)));
    Block *group = rewriter.createBlock(after);
    use(op, rewriter);
    LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, isOfGroup, group, after);
  }
};

} // namespace

void populateSlotBarrierPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<GroupBarrierLowering<hk_nv::SlotBarrierOp>, GroupBarrierLowering<hk_nv::BeginTurnOp>,
               GroupBarrierLowering<hk_nv::EndTurnOp>>(lowering);
}

} // namespace hocket
