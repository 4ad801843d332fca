//===- BufferAtomics.cpp - Lowers hk_amd.buffer_atomic_rmw ----------------------------------===//
//
// The lowering emits one buffer atomic per element, in the first of the lanes that hold the element (OncePerElement.h).
// A masked-off element has an out-of-bounds offset (Buffer.h). 16-bit elements are added in adjacent pairs by
// buffer_atomic_pk_add_{f16,bf16}, because there is no instruction for a single 16-bit element.
//
// A buffer atomic itself does not order other accesses. Fences of the operation's scope order other accesses, as in
// LLVM's AMDGPU memory model:
//
//   relaxed  atomic             acquire  atomic, fence acquire
//   release  fence, atomic      acq_rel  fence release, atomic, fence acquire
//
// Atomics of system scope bypass the device's caches (policy bit sc1). The back end sets bit sc0, which requests the
// old value, if the old value is used.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Buffer.h"
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/OncePerElement.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr size_t kPairBits = 32;

StringRef instructionName(hk::AtomicOp op) {
  switch (op) {
  case hk::AtomicOp::And:
    return "and";
  case hk::AtomicOp::Or:
    return "or";
  case hk::AtomicOp::Xor:
    return "xor";
  case hk::AtomicOp::Add:
    return "add";
  case hk::AtomicOp::FAdd:
    return "fadd";
  case hk::AtomicOp::Max:
    return "smax";
  case hk::AtomicOp::Min:
    return "smin";
  case hk::AtomicOp::UMax:
    return "umax";
  case hk::AtomicOp::UMin:
    return "umin";
  case hk::AtomicOp::Xchg:
    return "swap";
  }
  llvm_unreachable("all operations are handled");
}

/// Returns LLVM's name of a synchronization scope on AMD GPUs.
StringRef scopeName(hk::MemScope scope) {
  switch (scope) {
  case hk::MemScope::Cta:
    return "workgroup";
  case hk::MemScope::Gpu:
    return "agent";
  case hk::MemScope::Sys:
    return "";
  }
  llvm_unreachable("all scopes are handled");
}

/// Returns the operand type of the instruction. An exchange of floats has an integer type of the same width, because
/// the back end does not support exchanges of 64-bit floats.
Type movedType(hk::AtomicOp op, Type type) {
  if (op != hk::AtomicOp::Xchg || !isa<FloatType>(type))
    return type;
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

/// Checks that pairs of 16-bit elements are adjacent in one lane, and that the target has an instruction that adds
/// pairs.
LogicalResult checkPairs(hk_amd::BufferAtomicRmwOp op, Type element, const VectorAccess &plan,
                         const TargetInfo &target) {
  if (element.isBF16() && !target.amdMemory->hasBufferPairAddBf16)
    return op.emitError() << "buffer atomics on " << target.name
                          << " cannot add bf16; add f32, or use an atomic_add through pointers";
  if (plan.width >= 2)
    return success();
  InFlightDiagnostic error = op.emitError()
                             << "buffer atomics add 16-bit elements in pairs: each lane must hold two adjacent "
                                "elements at an offset that is a multiple of 2, under one mask";
  error.attachNote() << "hint: use a layout with size_per_thread of at least 2 along the contiguous dimension, and a "
                        "base divisible by 4";
  return error;
}

struct BufferAtomicLowering : LoweringPattern<hk_amd::BufferAtomicRmwOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::BufferAtomicRmwOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = elementType(op.getType());
    unsigned bits = element.getIntOrFloatBitWidth();
    bool inPairs = bits * 2 == kPairBits;
    VectorAccess plan = planGlobalAccess(lowering, op, op.getType(), inPairs ? 2 : 1);
    if (inPairs && failed(checkPairs(op, element, plan, lowering.target)))
      return failure();
    OncePerElement atomic(lowering, rewriter, op, op.getType(), plan);
    if (failed(atomic.check()))
      return failure();

    hk::MemSemantic semantic = op.getSem();
    auto fence = [&](LLVM::AtomicOrdering ordering, hk::MemSemantic alone) {
      if (semantic == alone || semantic == hk::MemSemantic::AcqRel)
        LLVM::FenceOp::create(rewriter, loc, ordering, scopeName(op.getScope()));
    };
    fence(LLVM::AtomicOrdering::release, hk::MemSemantic::Release);
    ValueRange offsets = adaptor.getOffsets(), values = adaptor.getValue();
    Buffer buffer(lowering.target, rewriter, loc, adaptor.getPtr().front(), bits / 8);
    Value policy = buffer.i32(op.getScope() == hk::MemScope::Sys ? lowering.target.amdMemory->scope1 : 0);
    StringAttr intrinsic = rewriter.getStringAttr("llvm.amdgcn.raw.ptr.buffer.atomic." + instructionName(op.getOp()));
    auto castBits = [&](Value value, Type type) -> Value {
      return value.getType() == type ? value : LLVM::BitcastOp::create(rewriter, loc, type, value);
    };
    auto emit = [&](ArrayRef<int32_t> group, Value pred, MutableArrayRef<Value> results) {
      Type type = vectorType(element, group.size()), moved = movedType(op.getOp(), type);
      Value data = castBits(packVector(rewriter, loc, type, pick(values, group)), moved);
      Value arguments[] = {data, buffer.getDescriptor(), buffer.byteOffset(offsets[group.front()], pred),
                           buffer.scalarOffset(), policy};
      Value old = LLVM::CallIntrinsicOp::create(rewriter, loc, moved, intrinsic, ValueRange(arguments)).getResult(0);
      unpackVector(rewriter, loc, castBits(old, type), group, results);
    };
    SmallVector<Value> results = atomic.run(adaptor.getMask(), semantic, emit);
    fence(LLVM::AtomicOrdering::acquire, hk::MemSemantic::Acquire);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void populateBufferAtomicPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<BufferAtomicLowering>(lowering);
}

} // namespace hocket
