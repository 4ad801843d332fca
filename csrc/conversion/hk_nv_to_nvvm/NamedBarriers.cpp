//===- NamedBarriers.cpp - Lowers named barriers ---------------------------------------------===//
//
//   hk_nv.named_barrier_arrive 0 num_warps = 8 number = 4     bar.arrive 4, 256
//   hk_nv.named_barrier_wait 0 num_warps = 8 number = 4       bar.sync 4, 256
//
// bar.arrive and bar.sync are the aligned instructions, which all lanes of a warp must execute together. For barriers
// of all warps of the block, lane_to_nvvm emits barrier.arrive and barrier.sync. PTX ISA 9.0, "bar, barrier".
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

template <typename OpT>
struct NamedBarrierLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;
  LogicalResult matchAndRewrite(OpT op, typename LoweringPattern<OpT>::OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getNumber())
      return op.emitOpError("has no number; run hocket-number-barriers before hocket-convert-hk-to-lane");
    Location loc = op.getLoc();
    auto i32 = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), value);
    };
    Value barrier = i32(*op.getNumber()), threads = i32(int64_t(op.getNumWarps()) * hk::targetOf(op).warpSize);
    Operation *lowered = nullptr;
    if constexpr (std::is_same_v<OpT, hk_nv::NamedBarrierArriveOp>)
      lowered = NVVM::BarrierArriveOp::create(rewriter, loc, barrier, threads);
    else
      lowered = NVVM::BarrierOp::create(rewriter, loc, Type(), barrier, threads, {}, Value());
    lane::kNamedBarrierAttr.setAttr(lowered, op.getBarrierAttr());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateNamedBarrierPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<NamedBarrierLowering<hk_nv::NamedBarrierArriveOp>, NamedBarrierLowering<hk_nv::NamedBarrierWaitOp>>(
      lowering);
}

} // namespace hocket
