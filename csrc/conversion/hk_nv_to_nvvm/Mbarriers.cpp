//===- Mbarriers.cpp - Lowers operations on mbarriers ---------------------------------------------===//
//
//   hk_nv.mbarrier_init              thread 0: mbarrier.init; on Hopper fence.mbarrier_init, for asynchronous copies
//   hk_nv.mbarrier_invalidate        thread 0: mbarrier.inval
//   hk_nv.mbarrier_expect            thread 0: mbarrier.arrive.expect_tx
//   hk_nv.mbarrier_arrive            thread 0, or the first lane of each warp after its other lanes: mbarrier.arrive
//     of other blocks                thread 0: mbarrier.arrive at mapa, .release.cluster; if relaxed, .release.cta,
//                                    which needs no fence: CUTLASS signals empty slots to other blocks in this way
//   hk_nv.mbarrier_arrive_copies     every thread: cp.async.mbarrier.arrive{.noinc}
//   hk_nv.mbarrier_wait              every thread: lane.mbarrier_wait, on the parity of the phase
//   hk_nv.fence_mbarrier_init        thread 0: fence.mbarrier_init.release.cluster
//
// Thread 0 executes operations on mbarriers for the block. If earlier accesses of other threads must precede an
// operation, InsertBarriers has inserted a barrier before the operation.
//
// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions: mbarrier".
//
//===----------------------------------------------------------------------------------------===//
#include "target/Mbarriers.h"
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "target/Features.h"

using namespace mlir;

namespace hocket {
namespace {

void emitIfTrue(RewriterBase &rewriter, Location loc, Value condition, llvm::function_ref<void()> emit) {
  if (!condition || matchPattern(condition, m_One()))
    emit();
  else
    emitIf(rewriter, loc, condition, emit);
}

/// Emits the code of `emit` in a branch that only the thread with `id` 0 takes, if `pred` is true. A null `pred` means
/// true.
void emitIfFirst(RewriterBase &rewriter, Location loc, Value id, Value pred, llvm::function_ref<void()> emit) {
  Value condition = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, id, i32Constant(rewriter, loc, 0));
  if (pred)
    condition = LLVM::AndOp::create(rewriter, loc, condition, pred);
  emitIf(rewriter, loc, condition, emit);
}

void emitByOneThread(LoweringContext &lowering, RewriterBase &rewriter, Location loc, Value pred,
                     llvm::function_ref<void()> emit) {
  emitIfFirst(rewriter, loc, lowering.threadId(rewriter, loc), pred, emit);
}

/// Emits the code of `emit` in a branch that the first lane of each warp takes. A warp barrier before the branch orders
/// the earlier operations of the other lanes.
void emitByOneLane(LoweringContext &lowering, RewriterBase &rewriter, Location loc, Value pred,
                   llvm::function_ref<void()> emit) {
  lowering.targetLowering.warpBarrier(rewriter, loc);
  Value lane = LLVM::AndOp::create(rewriter, loc, lowering.threadId(rewriter, loc),
                                   i32Constant(rewriter, loc, lowering.target.warpSize - 1));
  emitIfFirst(rewriter, loc, lane, pred, emit);
}

Value predicateOf(ValueRange pred) { return pred.empty() ? Value() : pred.front(); }

template <typename OpT>
struct MbarrierLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;
  using Adaptor = typename OpT::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult matchAndRewrite(OpT op, Adaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    if (failed(check(op)))
      return failure();
    emit(op, adaptor, rewriter, op.getLoc(), adaptor.getBarrier().front());
    rewriter.eraseOp(op);
    return success();
  }

protected:
  virtual LogicalResult check(OpT op) const { return success(); }
  virtual void emit(OpT op, Adaptor adaptor, ConversionPatternRewriter &rewriter, Location loc,
                    Value barrier) const = 0;

  virtual bool isPerWarp(OpT op) const { return false; }

  /// Emits the code of `emit` for one thread of the block, or for one lane of each warp.
  void byOneOf(RewriterBase &rewriter, OpT op, Value pred, llvm::function_ref<void()> emit) const {
    if (isPerWarp(op))
      emitByOneLane(this->lowering, rewriter, op.getLoc(), pred, emit);
    else
      emitByOneThread(this->lowering, rewriter, op.getLoc(), pred, emit);
  }
  /// An mbarrier at which the block arrives. Arrivals at mbarriers of other blocks return no state token.
  struct Reached {
    Value barrier;
    SmallVector<Type, 1> stateTypes;
    NVVM::MemScopeKind scope;
  };
  static Reached inOwnBlock(OpBuilder &builder, Value barrier) {
    return {barrier, {builder.getI64Type()}, NVVM::MemScopeKind::CTA};
  }
  /// Calls `emit` within `byOneOf` for each mbarrier at which this block arrives. If several blocks share the mbarrier,
  /// this block arrives at the mbarrier of the first of these blocks. Otherwise, without `fromCta`, the block arrives
  /// at its own mbarrier. With the mask `fromCta`, only blocks whose index has no bits outside of the mask arrive: such
  /// a block arrives at the mbarriers of all blocks whose index has the same bits within the mask.
  void atEach(RewriterBase &rewriter, OpT op, Value barrier, Value pred,
              llvm::function_ref<void(const Reached &)> emit) const {
    Location loc = op.getLoc();
    std::optional<uint32_t> fromCta = op.getFromCta();
    int32_t others = fromCta ? (this->lowering.numBlocks - 1) & ~int32_t(*fromCta) : 0;
    if (int32_t sharers = hk_nv::sharersOf(cast<hk::MemDescType>(op.getBarrier().getType()))) {
      byOneOf(rewriter, op, pred, [&] {
        Value first = LLVM::AndOp::create(rewriter, loc, this->lowering.blockRank(rewriter, loc),
                                          i32Constant(rewriter, loc, ~sharers));
        emit({this->lowering.targetLowering.sharedOfBlock(rewriter, loc, barrier, first),
              {},
              NVVM::MemScopeKind::CLUSTER});
      });
      return;
    }
    if (!others) {
      byOneOf(rewriter, op, pred, [&] { emit(inOwnBlock(rewriter, barrier)); });
      return;
    }
    Value rank = this->lowering.blockRank(rewriter, loc);
    Value bits = LLVM::AndOp::create(rewriter, loc, rank, i32Constant(rewriter, loc, others));
    Value isFirst = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, bits, i32Constant(rewriter, loc, 0));
    pred = pred ? LLVM::AndOp::create(rewriter, loc, pred, isFirst).getResult() : isFirst;
    byOneOf(rewriter, op, pred, [&] {
      for (int32_t other = 0; other < this->lowering.numBlocks; ++other) {
        if (other & ~others)
          continue;
        Value reached = LLVM::OrOp::create(rewriter, loc, rank, i32Constant(rewriter, loc, other));
        emit({this->lowering.targetLowering.sharedOfBlock(rewriter, loc, barrier, reached),
              {},
              NVVM::MemScopeKind::CLUSTER});
      }
    });
  }
  LogicalResult checkTransactions(OpT op, const char *what) const {
    if (this->lowering.target.hasTransactionMbarriers)
      return success();
    return op.emitOpError() << what << " needs " << kTransactionMbarriers.describe() << "; the target is "
                            << StringRef(this->lowering.target.name);
  }
};

struct InitLowering : MbarrierLowering<hk_nv::MbarrierInitOp> {
  using MbarrierLowering::MbarrierLowering;
  void emit(hk_nv::MbarrierInitOp op, Adaptor, ConversionPatternRewriter &rewriter, Location loc,
            Value barrier) const override {
    emitByOneThread(lowering, rewriter, loc, Value(), [&] {
      NVVM::MBarrierInitOp::create(rewriter, loc, barrier, i32Constant(rewriter, loc, op.getCount()), Value());
      if (lowering.target.hasTransactionMbarriers)
        NVVM::FenceMbarrierInitOp::create(rewriter, loc);
    });
  }
};

struct InvalidateLowering : MbarrierLowering<hk_nv::MbarrierInvalidateOp> {
  using MbarrierLowering::MbarrierLowering;
  void emit(hk_nv::MbarrierInvalidateOp, Adaptor, ConversionPatternRewriter &rewriter, Location loc,
            Value barrier) const override {
    emitByOneThread(lowering, rewriter, loc, Value(), [&] { NVVM::MBarrierInvalOp::create(rewriter, loc, barrier); });
  }
};

struct ExpectLowering : MbarrierLowering<hk_nv::MbarrierExpectOp> {
  using MbarrierLowering::MbarrierLowering;
  LogicalResult check(hk_nv::MbarrierExpectOp op) const override { return checkTransactions(op, "of bytes"); }
  void emit(hk_nv::MbarrierExpectOp op, Adaptor adaptor, ConversionPatternRewriter &rewriter, Location loc,
            Value barrier) const override {
    atEach(rewriter, op, barrier, predicateOf(adaptor.getPred()), [&](const Reached &reached) {
      NVVM::MBarrierArriveExpectTxOp::create(rewriter, loc, reached.stateTypes, reached.barrier,
                                             i32Constant(rewriter, loc, op.getBytes()), reached.scope,
                                             /*relaxed=*/false, /*predicate=*/Value());
    });
  }
};

struct ArriveLowering : MbarrierLowering<hk_nv::MbarrierArriveOp> {
  using MbarrierLowering::MbarrierLowering;
  bool isPerWarp(hk_nv::MbarrierArriveOp op) const override { return op.getPerWarp(); }
  LogicalResult check(hk_nv::MbarrierArriveOp op) const override {
    return op.getCount() == 1 ? success() : checkTransactions(op, "by more than one arrival");
  }
  void emit(hk_nv::MbarrierArriveOp op, Adaptor adaptor, ConversionPatternRewriter &rewriter, Location loc,
            Value barrier) const override {
    atEach(rewriter, op, barrier, predicateOf(adaptor.getPred()), [&](const Reached &reached) {
      Value count = op.getCount() == 1 ? Value() : i32Constant(rewriter, loc, op.getCount());
      auto scope = op.getRelaxed() ? NVVM::MemScopeKind::CTA : reached.scope;
      NVVM::MBarrierArriveOp::create(rewriter, loc, reached.stateTypes, reached.barrier, count, scope,
                                     /*relaxed=*/false);
    });
  }
};

struct ArriveCopiesLowering : MbarrierLowering<hk_nv::MbarrierArriveCopiesOp> {
  using MbarrierLowering::MbarrierLowering;
  void emit(hk_nv::MbarrierArriveCopiesOp op, Adaptor, ConversionPatternRewriter &rewriter, Location loc,
            Value barrier) const override {
    NVVM::CpAsyncMBarrierArriveOp::create(rewriter, loc, barrier, /*noinc=*/!op.getIncrement());
  }
};

struct WaitLowering : MbarrierLowering<hk_nv::MbarrierWaitOp> {
  using MbarrierLowering::MbarrierLowering;
  void emit(hk_nv::MbarrierWaitOp op, Adaptor adaptor, ConversionPatternRewriter &rewriter, Location loc,
            Value barrier) const override {
    emitIfTrue(rewriter, loc, predicateOf(adaptor.getPred()), [&] {
      Value phase = adaptor.getPhase().front(), parity;
      if (APInt known; matchPattern(phase, m_ConstantInt(&known)))
        parity = i32Constant(rewriter, loc, known[0]);
      else
        parity = LLVM::AndOp::create(rewriter, loc, phase, i32Constant(rewriter, loc, 1));
      lane::MbarrierWaitOp::create(rewriter, loc, barrier, parity);
    });
  }
};

struct FenceInitLowering : LoweringPattern<hk_nv::FenceMbarrierInitOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_nv::FenceMbarrierInitOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!kClusters.isOn(lowering.target))
      return op.emitOpError() << "needs " << kClusters.describe() << "; the target is "
                              << StringRef(lowering.target.name);
    emitByOneThread(lowering, rewriter, op.getLoc(), Value(),
                    [&] { NVVM::FenceMbarrierInitOp::create(rewriter, op.getLoc()); });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateMbarrierPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<InitLowering, InvalidateLowering, ExpectLowering, ArriveLowering, ArriveCopiesLowering, WaitLowering,
               FenceInitLowering>(lowering);
}

} // namespace hocket
