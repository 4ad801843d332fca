//===- ConvertLaneToNvvm.cpp - Expands lane operations to PTX -------------------------------===//
//
// One walk replaces each lane operation by its expansion (Expansions.h). Copy groups become groups of cp.async, and
// conversions from floats to integers become cvt. Flags of f32 operations select faster instructions:
//
//   x / y {arcp}        div.full.f32, with an error of 2 ulp over the whole range, instead of a subroutine
//   1 / y {arcp, afn}   rcp.approx.ftz.f32; subnormal numbers are flushed to 0
//   exp2 x {afn}        ex2.approx.ftz.f32; subnormal numbers are flushed to 0
//
// LLVM selects the instructions of other operations, e.g. div.approx.f32 for a division with the flag `afn` alone.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/FloatToInt.h"
#include "conversion/lane_to_nvvm/Expansions.h"
#include "conversion/lane_to_nvvm/Passes.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CONVERTLANETONVVM
#include "conversion/lane_to_nvvm/Passes.h.inc"

namespace {

void replaceByIntrinsic(IRRewriter &rewriter, Operation *op, StringRef name, ValueRange operands) {
  rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op->getResult(0).getType(), rewriter.getStringAttr(name),
                                                     operands);
}

LogicalResult expandDivision(IRRewriter &rewriter, LLVM::FDivOp op) {
  LLVM::FastmathFlags flags = op.getFastmathFlags();
  bool isReciprocalAllowed = bitEnumContainsAny(flags, LLVM::FastmathFlags::arcp);
  bool isApproximate = bitEnumContainsAny(flags, LLVM::FastmathFlags::afn);
  if (!op.getType().isF32() || !isReciprocalAllowed)
    return success();
  if (!isApproximate)
    replaceByIntrinsic(rewriter, op, "llvm.nvvm.div.full", {op.getLhs(), op.getRhs()});
  else if (matchPattern(op.getLhs(), m_OneFloat()))
    replaceByIntrinsic(rewriter, op, "llvm.nvvm.rcp.approx.ftz.f", op.getRhs());
  return success();
}

LogicalResult expandExp2(IRRewriter &rewriter, LLVM::Exp2Op op) {
  if (op.getType().isF32() && bitEnumContainsAny(op.getFastmathFlags(), LLVM::FastmathFlags::afn))
    replaceByIntrinsic(rewriter, op, "llvm.nvvm.ex2.approx.ftz.f32", op.getIn());
  return success();
}

/// Expands a conversion to cvt.rzi, which saturates and converts NaN to 0. If the source or the result has 64 bits,
/// cvt.rzi converts NaN to the smallest integer, which a select replaces by 0.
LogicalResult expandFloatToInt(IRRewriter &rewriter, lane::FloatToIntOp op) {
  Location loc = op.getLoc();
  Value result = emitFloatToInt(rewriter, op, [&](Value value, Type type) -> Value {
    bool isDouble = value.getType().isF64(), isLong = type.isInteger(64);
    std::string name = isDouble ? "llvm.nvvm.d2" : "llvm.nvvm.f2";
    name += op.getIsUnsigned() ? "u" : "";
    name += isLong ? "ll.rz" : "i.rz";
    Value converted =
        LLVM::CallIntrinsicOp::create(rewriter, loc, type, rewriter.getStringAttr(name), value).getResult(0);
    if (!isDouble && !isLong)
      return converted;
    Value isNumber = LLVM::FCmpOp::create(rewriter, loc, LLVM::FCmpPredicate::ord, value, value);
    Value zero = LLVM::ConstantOp::create(rewriter, loc, type, rewriter.getIntegerAttr(type, 0));
    return LLVM::SelectOp::create(rewriter, loc, isNumber, converted, zero);
  });
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult expandCommit(IRRewriter &rewriter, lane::AsyncCommitGroupOp op) {
  rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
  return success();
}

/// True for a barrier of all warps of the block, in a kernel with partitions. With partitions, warps arrive at this
/// barrier from different program points. An aligned barrier instruction does not allow different program points for a
/// barrier of the whole block, as compute-sanitizer's synccheck reports, but allows them for a barrier of some of the
/// warps.
bool isSharedByBlock(Operation *op, Value barrier, Value threads) {
  APInt number, count;
  if (!barrier || !threads || !matchPattern(barrier, m_ConstantInt(&number)))
    return false;
  if (number == uint64_t(hk::kBlockBarrier))
    return true;
  auto module = op->getParentOfType<ModuleOp>();
  return lane::kNamedBarrierAttr.isOn(op) && matchPattern(threads, m_ConstantInt(&count)) &&
         count == uint64_t(hk::blockWarpsOf(module)) * hk::targetOf(module).warpSize;
}

/// Expands an arrival to an intrinsic, because NVVM's operation is exported as inline assembly.
LogicalResult expandArrive(IRRewriter &rewriter, NVVM::BarrierArriveOp op) {
  if (!op.getBarrierId())
    return op.emitOpError() << "has no barrier to arrive at";
  bool isUnaligned = isSharedByBlock(op, op.getBarrierId(), op.getNumberOfThreads());
  StringRef name = isUnaligned ? "llvm.nvvm.barrier.cta.arrive.count" : "llvm.nvvm.barrier.cta.arrive.aligned.count";
  rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, rewriter.getStringAttr(name),
                                                     ValueRange{op.getBarrierId(), op.getNumberOfThreads()});
  return success();
}

LogicalResult expandBarrier(IRRewriter &rewriter, NVVM::BarrierOp op) {
  if (isSharedByBlock(op, op.getBarrierId(), op.getNumberOfThreads()))
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, rewriter.getStringAttr("llvm.nvvm.barrier.cta.sync.count"),
                                                       ValueRange{op.getBarrierId(), op.getNumberOfThreads()});
  return success();
}

/// Expands a wait to cp.async.wait_group, which makes the copies of a lane visible to this lane. A barrier of the warp
/// is added for the copies of other lanes of the warp, unless a barrier of the block follows.
LogicalResult expandWait(IRRewriter &rewriter, lane::AsyncWaitGroupOp op) {
  Location loc = op.getLoc();
  NVVM::CpAsyncWaitGroupOp::create(rewriter, loc, op.getOutstanding());
  Operation *next = op->getNextNode();
  while (isa_and_nonnull<LLVM::ConstantOp>(next))
    next = next->getNextNode();
  if (!isa_and_nonnull<NVVM::Barrier0Op, NVVM::BarrierOp>(next)) {
    Value allLanes = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), -1);
    NVVM::SyncWarpOp::create(rewriter, loc, allLanes);
  }
  rewriter.eraseOp(op);
  return success();
}

LogicalResult expandWaitAtMbarrier(IRRewriter &rewriter, lane::MbarrierWaitOp op, NVVM::MemScopeKind scope) {
  auto module = op->getParentOfType<ModuleOp>();
  if (failed(hk::requireFacts(module)))
    return failure();
  return nvvm::expandMbarrierWait(rewriter, op, hk::targetOf(module), scope);
}

LogicalResult convertLaneToNvvm(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  module.walk([&](Block *block) { nvvm::expandWgmmas(rewriter, *block); });
  NVVM::MemScopeKind scope = nvvm::scopeOfWaits(module);
  SmallVector<Operation *> operations;
  module.walk([&](Operation *op) {
    bool hasPolicy = isa<NVVM::CpAsyncOp>(op) && lane::kCachePolicyAttr.isOn(op);
    if (isa<lane::LaneDialect, ROCDL::ROCDLDialect>(op->getDialect()) || hasPolicy ||
        isa<LLVM::FDivOp, LLVM::Exp2Op, NVVM::BarrierArriveOp, NVVM::BarrierOp>(op))
      operations.push_back(op);
  });
  for (Operation *op : operations) {
    rewriter.setInsertionPoint(op);
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case([&](lane::LoadOp load) { return nvvm::expandLoad(rewriter, load); })
            .Case([&](lane::StoreOp store) { return nvvm::expandStore(rewriter, store); })
            .Case([&](lane::AtomicRmwOp atomic) { return nvvm::expandAtomicRmw(rewriter, atomic); })
            .Case([&](lane::AtomicCasOp atomic) { return nvvm::expandAtomicCas(rewriter, atomic); })
            .Case([&](NVVM::CpAsyncOp copy) { return nvvm::expandCopyWithPolicy(rewriter, copy); })
            .Case([&](lane::CachePolicyOp policy) { return nvvm::expandCachePolicy(rewriter, policy); })
            .Case([&](lane::AsyncCommitGroupOp commit) { return expandCommit(rewriter, commit); })
            .Case([&](lane::AsyncWaitGroupOp wait) { return expandWait(rewriter, wait); })
            .Case([&](lane::AssertOp assertion) { return nvvm::expandAssert(rewriter, assertion); })
            .Case([&](lane::FloatToIntOp cast) { return expandFloatToInt(rewriter, cast); })
            .Case([&](lane::MbarrierWaitOp wait) { return expandWaitAtMbarrier(rewriter, wait, scope); })
            .Case([&](lane::StoreAsyncOp store) { return nvvm::expandStoreAsync(rewriter, store); })
            .Case([&](lane::MmaOp mma) { return nvvm::expandMma(rewriter, mma); })
            .Case([&](lane::WgmmaWaitOp wait) { return nvvm::expandWgmmaWait(rewriter, wait); })
            .Case([&](lane::PrintOp print) { return nvvm::expandPrint(rewriter, print); })
            .Case([&](NVVM::BarrierArriveOp arrive) { return expandArrive(rewriter, arrive); })
            .Case([&](NVVM::BarrierOp barrier) { return expandBarrier(rewriter, barrier); })
            .Case([&](LLVM::FDivOp division) { return expandDivision(rewriter, division); })
            .Case([&](LLVM::Exp2Op power) { return expandExp2(rewriter, power); })
            .Default([](Operation *other) {
              return emitError(other->getLoc()) << "'" << other->getName() << "' cannot be expanded for NVIDIA GPUs";
            });
    if (failed(result))
      return failure();
  }
  return success();
}

struct ConvertLaneToNvvm : impl::ConvertLaneToNvvmBase<ConvertLaneToNvvm> {
  void runOnOperation() override {
    if (failed(convertLaneToNvvm(getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace hocket
