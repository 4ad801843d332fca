//===- PipelineOps.cpp - hk_nv.slot_barrier --------------------------------------------------===//
//
//   hk_nv.slot_barrier 2             barrier.sync 2, 256
//   hk_nv.slot_barrier 2 group = 1   a branch of warps 4 to 7 around the same
//
// barrier.sync counts the arrivals of warps, whichever instruction they are at, which is what lets one group of warps
// be a barrier ahead; and it orders the accesses of all who take part. PTX ISA 9.0, "barrier".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_llvm/LoweringContext.h"
#include "dialect/hk/HkDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr int kWarpsOfGroup = hk::HkDialect::kWarpsPerGroup;

struct SlotBarrierLowering : LoweringPattern<hk_nv::SlotBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_nv::SlotBarrierOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (lowering.numWarps != 2 * kWarpsOfGroup)
      return op.emitOpError() << "is for two groups of four warps, but " << lowering.numWarps << " warps run it";
    if (op.getGroup())
      arriveAsGroup(op, rewriter);
    else
      arrive(op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value i32(OpBuilder &builder, Location loc, int32_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
  }

  void arrive(hk_nv::SlotBarrierOp op, OpBuilder &builder) const {
    Location loc = op.getLoc();
    NVVM::BarrierOp::create(builder, loc, Type(), i32(builder, loc, int32_t(op.getBarrier())),
                            i32(builder, loc, lowering.numThreads()), {}, Value());
  }

  void arriveAsGroup(hk_nv::SlotBarrierOp op, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value warp = lowering.uniformWarpId(rewriter, loc);
    auto predicate = *op.getGroup() == 0 ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::uge;
    Value isOfGroup = LLVM::ICmpOp::create(rewriter, loc, predicate, warp, i32(rewriter, loc, kWarpsOfGroup));
    Block *before = op->getBlock();
    Block *after = rewriter.splitBlock(before, std::next(Block::iterator(op)));
    Block *group = rewriter.createBlock(after);
    arrive(op, rewriter);
    LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, isOfGroup, group, after);
  }
};

} // namespace

void populateSlotBarrierPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<SlotBarrierLowering>(lowering);
}

} // namespace hocket
