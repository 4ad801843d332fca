//===- PipelineOps.cpp - Lowers the barriers of warp pipelines -------------------------------===//
//
//   hk_amd.warp_group      the warp's index divided by four, in a scalar register: threads 0-255 are group 0
//   hk_amd.cond_barrier    s_cbranch around s_barrier
//   hk_amd.raw_barrier     s_barrier; finish_reads: s_waitcnt lgkmcnt(0) after it
//   hk_amd.set_priority    s_setprio
//
// s_barrier counts the arrivals of waves, wherever they are in the program ("AMD Instinct MI300" ISA guide, 4.4). One
// group of warps can therefore be a barrier ahead.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {
namespace {

struct WarpGroupLowering : LoweringPattern<hk_amd::WarpGroupOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::WarpGroupOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value warp = lowering.uniformWarpId(rewriter, loc);
    Value size = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), hk::HkDialect::kWarpsPerGroup);
    rewriter.replaceOpWithNewOp<LLVM::UDivOp>(op, warp, size);
    return success();
  }
};

/// Emits a barrier that does not wait for accesses of this warp. Data that other warps have waited for are in LDS,
/// which all warps share, so no wait is needed for those either. The fences keep the compiler from moving accesses
/// across the barrier and become no instructions, except that with `finishReads` the second one becomes s_waitcnt
/// lgkmcnt(0).
void bareBarrier(OpBuilder &builder, Location loc, bool finishReads = false) {
  LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::release, "singlethread");
  auto barrier = ROCDL::SBarrierOp::create(builder, loc);
  barrier->setAttr(lane::LaneDialect::kAcquiresAttr, builder.getUnitAttr());
  auto fence =
      LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acquire, finishReads ? "workgroup" : "singlethread");
  if (finishReads)
    fence->setAttr(LLVM::LLVMDialect::getMmraAttrName(),
                   LLVM::MMRATagAttr::get(builder.getContext(), "amdgpu-synchronize-as", "local"));
}

struct CondBarrierLowering : LoweringPattern<hk_amd::CondBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::CondBarrierOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value condition = adaptor.getCondition().front();
    Block *before = op->getBlock();
    Block *after = rewriter.splitBlock(before, std::next(Block::iterator(op)));
    Block *arrive = rewriter.createBlock(after);
    bareBarrier(rewriter, loc);
    LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, condition, arrive, after);
    rewriter.eraseOp(op);
    return success();
  }
};

struct RawBarrierLowering : LoweringPattern<hk_amd::RawBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::RawBarrierOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bareBarrier(rewriter, op.getLoc(), op.getFinishReads());
    rewriter.eraseOp(op);
    return success();
  }
};

struct SetPriorityLowering : LoweringPattern<hk_amd::SetPriorityOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::SetPriorityOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SetPrioOp>(op, op.getPriority());
    return success();
  }
};

struct SchedGroupBarrierLowering : LoweringPattern<hk_amd::SchedGroupBarrierOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::SchedGroupBarrierOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SchedGroupBarrier>(op, op.getKinds(), op.getSize(), op.getSync());
    return success();
  }
};

} // namespace

void populatePipelinePatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns
      .add<WarpGroupLowering, CondBarrierLowering, RawBarrierLowering, SetPriorityLowering, SchedGroupBarrierLowering>(
          lowering);
}

} // namespace hocket
