//===- BufferAccesses.cpp - Lowers hk_amd.buffer_load and hk_amd.buffer_store ---------------===//
//
//   hk_amd.buffer_load    buffer_load_{ubyte,ushort,dword,dwordx2,dwordx4} per vector of adjacent registers; the
//                         hardware returns 0 if the mask is false, and a select inserts any other `other`
//   hk_amd.buffer_store   buffer_store_*; if several lanes hold an element, the first of them stores it
//
// Vector widths are chosen as for hk.load and hk.store (GlobalAccess.h): by the contiguity of the offsets, and by the
// divisibility of both base and offsets. Buffer instructions access 32-bit words. Elements of 8 or 16 bits are packed
// into words, because there are no buffer instructions for bf16 vectors. Elements of 64 bits are split into words.
//
//   4 adjacent bf16  ->  vector<2xi32>  ->  buffer_store_dwordx2
//
// Not done: a scalar offset (soffset) would save one addition per vector. The bounds check ignores the scalar offset, so
// only an offset that is known not to be negative could be the scalar offset.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_amd_to_rocdl/Buffer.h"
#include "conversion/hk_amd_to_rocdl/Patterns.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace hocket {
namespace {

constexpr unsigned kWordBits = 32;

unsigned elementBits(Type element) {
  return isa<LLVM::LLVMPointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

/// Returns the type of the 32-bit words with which the instruction loads or stores `width` elements.
Type wordsType(Type element, size_t width) {
  unsigned bits = elementBits(element) * width;
  Builder builder(element.getContext());
  if (elementBits(element) == kWordBits)
    return vectorType(element, width);
  if (bits <= kWordBits)
    return builder.getIntegerType(bits);
  return VectorType::get(bits / kWordBits, builder.getI32Type());
}

Value toWords(OpBuilder &builder, Location loc, Value vector, Type words) {
  if (isa<LLVM::LLVMPointerType>(vector.getType()))
    vector = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), vector);
  return vector.getType() == words ? vector : LLVM::BitcastOp::create(builder, loc, words, vector).getResult();
}

Value fromWords(OpBuilder &builder, Location loc, Value words, Type type) {
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value address = LLVM::BitcastOp::create(builder, loc, builder.getI64Type(), words);
    return LLVM::IntToPtrOp::create(builder, loc, type, address);
  }
  return words.getType() == type ? words : LLVM::BitcastOp::create(builder, loc, type, words).getResult();
}

struct BufferLoadLowering : LoweringPattern<hk_amd::BufferLoadOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::BufferLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = elementType(op.getType());
    ValueRange offsets = adaptor.getOffsets(), masks = adaptor.getMask(), others = adaptor.getOther();
    VectorAccess plan = planGlobalAccess(lowering, op, op.getType());
    Buffer buffer(lowering.target, rewriter, loc, adaptor.getPtr().front(), elementBits(element) / 8);
    Value policy = buffer.i32(cachePolicy(*lowering.target.amdMemory, op.getCache()));
    IntegerAttr unusedCopies = lane::kUnusedCopiesAttr.getAttr(op);
    SmallVector<Value> results(offsets.size());
    for (const std::vector<int32_t> &group : plan.groups) {
      Type type = vectorType(element, group.size());
      Value mask = masks.empty() ? Value() : masks[group.front()];
      auto words = ROCDL::RawPtrBufferLoadOp::create(
          rewriter, loc, wordsType(element, group.size()), buffer.getDescriptor(),
          buffer.byteOffset(offsets[group.front()], mask), buffer.scalarOffset(), policy, {}, {}, {});
      if (unusedCopies)
        lane::kUnusedCopiesAttr.setAttr(words, unusedCopies);
      Value loaded = fromWords(rewriter, loc, words, type);
      SmallVector<Value> other = others.empty() ? SmallVector<Value>() : pick(others, group);
      if (!areZero(other))
        loaded = LLVM::SelectOp::create(rewriter, loc, mask, loaded, packVector(rewriter, loc, type, other));
      unpackVector(rewriter, loc, loaded, group, results);
    }
    for (auto [reg, result] : llvm::enumerate(results))
      result = results[plan.representative[reg]];
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct BufferStoreLowering : LoweringPattern<hk_amd::BufferStoreOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk_amd::BufferStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type tensorType = op.getValue().getType();
    Type element = elementType(tensorType);
    ValueRange offsets = adaptor.getOffsets(), values = adaptor.getValue(), masks = adaptor.getMask();
    VectorAccess plan = planGlobalAccess(lowering, op, tensorType);
    Buffer buffer(lowering.target, rewriter, loc, adaptor.getPtr().front(), elementBits(element) / 8);
    Value policy = buffer.i32(cachePolicy(*lowering.target.amdMemory, op.getCache()));
    Value isFirst = emitIsFirstCopy(lowering, rewriter, loc, lowering.layoutOf(tensorType));
    for (const std::vector<int32_t> &group : plan.groups) {
      Value mask = conjunction(rewriter, loc, isFirst, masks.empty() ? Value() : masks[group.front()]);
      Value vector = packVector(rewriter, loc, vectorType(element, group.size()), pick(values, group));
      ROCDL::RawPtrBufferStoreOp::create(rewriter, loc,
                                         toWords(rewriter, loc, vector, wordsType(element, group.size())),
                                         buffer.getDescriptor(), buffer.byteOffset(offsets[group.front()], mask),
                                         buffer.scalarOffset(), policy, ArrayAttr(), ArrayAttr(), ArrayAttr());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateBufferAccessPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<BufferLoadLowering, BufferStoreLowering>(lowering);
}

} // namespace hocket
