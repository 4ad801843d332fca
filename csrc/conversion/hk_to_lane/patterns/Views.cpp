//===- Views.cpp - Lowers constants and views of tensors --------------------------------===//
//
//   arith.constant, hk.splat                        one value, in every register
//   hk.arange                                       the coordinates of the registers
//   hk.expand_dims, broadcast, reshape, permute     no instruction: result register r is a register of the operand
//   hk.join, hk.split                               no instruction: a register of one of two tensors
//
// A view keeps every element in its lane, so only registers are renumbered. Verifiers of views check this condition.
// Register r of the result is the register of the operand that holds the same element in lane 0 of warp 0. Because
// layouts are linear, both registers hold the same element in every other lane, too.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hocket {
namespace {

/// Returns a layout that maps to the row-major index of an element, with the dimensions in `order` (outermost first).
LinearLayout flattenRowMajor(const LinearLayout &layout, ArrayRef<int32_t> order) {
  SmallVector<Dim> fastestFirst;
  for (int32_t dim : llvm::reverse(order))
    fastestFirst.push_back(tensorDim(dim));
  return layout.transposeOuts(std::span<const Dim>(fastestFirst.data(), fastestFirst.size())).flattenOuts(Dim::Dim0);
}

SmallVector<int32_t> identityOrder(int64_t rank) { return llvm::to_vector(llvm::seq<int32_t>(0, rank)); }

/// For each register of `result`, returns the register of `source` with the same element. The layouts of `result` and
/// `source` must have a single flat index as output. Fails if lanes or warps would have to exchange elements.
FailureOr<SmallVector<unsigned>> matchRegisters(const LinearLayout &source, const LinearLayout &result) {
  for (Dim dim : {Dim::Lane, Dim::Warp}) {
    if (source.getInDimSize(dim) != result.getInDimSize(dim))
      return failure();
    if (!llvm::equal(source.getFlatBases(dim), result.getFlatBases(dim)))
      return failure();
  }
  llvm::DenseMap<int32_t, unsigned> registerOf;
  for (int32_t reg = source.getInDimSize(Dim::Register); reg-- > 0;)
    registerOf[source.apply({{Dim::Register, reg}})[Dim::Dim0]] = reg;
  SmallVector<unsigned> matches;
  for (int32_t reg = 0, count = result.getInDimSize(Dim::Register); reg < count; ++reg) {
    auto found = registerOf.find(result.apply({{Dim::Register, reg}})[Dim::Dim0]);
    if (found == registerOf.end())
      return failure();
    matches.push_back(found->second);
  }
  return matches;
}

template <typename OpT>
struct ViewLowering : LoweringPattern<OpT> {
  using LoweringPattern<OpT>::LoweringPattern;
  using OneToNOpAdaptor = typename LoweringPattern<OpT>::OneToNOpAdaptor;

  LogicalResult matchAndRewrite(OpT op, OneToNOpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    LinearLayout source = tensorLayout(sourceType), result = tensorLayout(resultType);
    SmallVector<int32_t> sourceOrder = identityOrder(sourceType.getRank());
    if constexpr (std::is_same_v<OpT, hk::PermuteOp>)
      sourceOrder.assign(op.getOrder().begin(), op.getOrder().end());
    if constexpr (std::is_same_v<OpT, hk::BroadcastOp>)
      // Along a broadcast dimension, every element of the result is element 0 of the operand.
      result = result.ensureNotLargerThan(source.getOutDims());

    auto matches = matchRegisters(flattenRowMajor(source, sourceOrder),
                                  flattenRowMajor(result, identityOrder(resultType.getRank())));
    if (failed(matches))
      return emitError(op.getLoc()) << "'" << op->getName() << "' would move elements between lanes";
    ValueRange registers = adaptor.getSrc();
    rewriter.replaceOpWithMultiple(op, {llvm::map_to_vector(*matches, [&](unsigned reg) { return registers[reg]; })});
    return success();
  }
};

/// For each register of the joined tensor of hk.join or hk.split: the index of the half (0 or 1), and the register of
/// this half that holds the same element.
struct PairRegisters {
  SmallVector<unsigned> half, reg;
};

/// Matches the registers of the two halves with the registers of the joined tensor. `half` is the layout of each half.
/// `pairs` is the layout of the joined tensor, which has an additional last dimension of size 2.
FailureOr<PairRegisters> matchPairs(const LinearLayout &half, const LinearLayout &pairs) {
  Dim last = tensorDim(pairs.getOutDims().size() - 1);
  auto withoutLast = [&](Coords coords) {
    Coords result;
    for (const DimIndex &item : coords)
      if (item.dim != last)
        result.push_back(item);
    return half.flattenOut(result);
  };
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block}) {
    if (half.getInDimSize(dim) != pairs.getInDimSize(dim))
      return failure();
    for (unsigned bit = 0; bit < pairs.getInDimSizeLog2(dim); ++bit)
      if (pairs.getBasis(dim, bit, last) ||
          half.flattenOut(half.getBasis(dim, bit)) != withoutLast(pairs.getBasis(dim, bit)))
        return failure();
  }
  llvm::DenseMap<uint64_t, unsigned> registerOf;
  for (int32_t reg = half.getInDimSize(Dim::Register); reg-- > 0;)
    registerOf[half.flattenOut(half.apply({{Dim::Register, reg}}))] = reg;
  PairRegisters matches;
  for (int32_t reg = 0, count = pairs.getInDimSize(Dim::Register); reg < count; ++reg) {
    Coords coords = pairs.apply({{Dim::Register, reg}});
    auto found = registerOf.find(withoutLast(coords));
    if (found == registerOf.end())
      return failure();
    matches.half.push_back(coords[last]);
    matches.reg.push_back(found->second);
  }
  return matches;
}

LogicalResult refusePairs(Operation *op) {
  return emitError(op->getLoc()) << "'" << op->getName() << "' would move elements between lanes";
}

struct JoinLowering : LoweringPattern<hk::JoinOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::JoinOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto matches = matchPairs(tensorLayout(op.getLhs().getType()), tensorLayout(op.getType()));
    if (failed(matches))
      return refusePairs(op);
    SmallVector<Value> registers;
    for (auto [half, reg] : llvm::zip_equal(matches->half, matches->reg))
      registers.push_back(half ? adaptor.getRhs()[reg] : adaptor.getLhs()[reg]);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct SplitLowering : LoweringPattern<hk::SplitOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::SplitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto matches = matchPairs(tensorLayout(op.getLhs().getType()), tensorLayout(op.getSrc().getType()));
    if (failed(matches))
      return refusePairs(op);
    SmallVector<SmallVector<Value>> halves(2, SmallVector<Value>(numRegisters(op.getLhs().getType())));
    for (auto [pair, half, reg] : llvm::enumerate(matches->half, matches->reg))
      halves[half][reg] = adaptor.getSrc()[pair];
    rewriter.replaceOpWithMultiple(op, std::move(halves));
    return success();
  }
};

struct SplatLowering : LoweringPattern<hk::SplatOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::SplatOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(numRegisters(op.getType()), adaptor.getSrc().front())});
    return success();
  }
};

struct ArangeLowering : LoweringPattern<hk::ArangeOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::ArangeOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> registers;
    Value start;
    if (op.getStart() != 0)
      start = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), static_cast<int32_t>(op.getStart()));
    LinearLayout layout = tensorLayout(cast<RankedTensorType>(op.getType()));
    for (const Coordinate &coordinate : emitIndices(lowering, rewriter, loc, layout))
      registers.push_back(start ? LLVM::AddOp::create(rewriter, loc, coordinate[0], start) : coordinate[0]);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct ConstantLowering : LoweringPattern<arith::ConstantOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TypedAttr value = op.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
      if (!dense.isSplat())
        return emitError(op.getLoc()) << "a constant tensor must have equal elements";
      value = cast<TypedAttr>(dense.getSplatValue<Attribute>());
    }
    Type type = elementType(op.getType());
    // 8-bit floats are represented by their bits.
    if (auto number = dyn_cast<FloatAttr>(value); number && isa<IntegerType>(type))
      value = rewriter.getIntegerAttr(type, number.getValue().bitcastToAPInt());
    else if (auto integer = dyn_cast<IntegerAttr>(value))
      value = rewriter.getIntegerAttr(type, integer.getValue().sextOrTrunc(type.getIntOrFloatBitWidth()));
    Value constant = LLVM::ConstantOp::create(rewriter, op.getLoc(), type, value);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(numRegisters(op.getType()), constant)});
    return success();
  }
};

} // namespace

void populateViewPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<ConstantLowering, SplatLowering, ArangeLowering, ViewLowering<hk::ExpandDimsOp>,
               ViewLowering<hk::BroadcastOp>, ViewLowering<hk::ReshapeOp>, ViewLowering<hk::PermuteOp>, JoinLowering,
               SplitLowering>(lowering);
}

} // namespace hocket
