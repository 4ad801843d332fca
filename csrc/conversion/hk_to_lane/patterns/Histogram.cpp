//===- Histogram.cpp - Lowers hk.histogram -----------------------------------------------===//
//
//   counters    llvm.store of zeros, distributed over the block; barrier
//   count       llvm.atomicrmw add in shared memory, once for each element; barrier
//   result      llvm.load in the layout of the result
//
// A masked-off element adds 0 to an arbitrary counter, which is cheaper than a branch for each element.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/OncePerElement.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/ir/HkDialect.h"
#include "layout/LayoutWarps.h"

using namespace mlir;

namespace hocket {

namespace {

class HistogramEmitter {
public:
  HistogramEmitter(LoweringContext &lowering, RewriterBase &builder, hk::HistogramOp op, Value scratch)
      : lowering(lowering), builder(builder), op(op), loc(op.getLoc()), scratch(scratch),
        bins(op.getResult().getType().getNumElements()) {}

  void clear();
  void count(ValueRange elements, ValueRange masks);
  SmallVector<Value> loadCounts();

private:
  Value i32(int32_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }
  unsigned counterWidth() const { return lowering.target.maxAccessBits / 32; }
  void countElement(Value element, Value mask);

  LoweringContext &lowering;
  RewriterBase &builder;
  hk::HistogramOp op;
  Location loc;
  Value scratch;
  int64_t bins;
};

} // namespace

/// Emits the stores of zeros: adjacent threads clear adjacent groups of four counters. If there are more threads than
/// groups, counters are cleared several times.
void HistogramEmitter::clear() {
  const DimBits sizes[] = {{Dim::Offset, uint8_t(log2Exact(bins))}};
  LinearLayout offsets = LinearLayout::identity1D(counterWidth(), Dim::Register, Dim::Offset) *
                         LinearLayout::identity1D(lowering.warpSize(), Dim::Lane, Dim::Offset) *
                         LinearLayout::identity1D(layoutWarps(lowering.numWarps), Dim::Warp, Dim::Offset);
  offsets = offsets.ensureNotLargerThan(sizes).ensureNotSmallerThan(sizes);
  SharedTile tile(lowering, builder, loc, scratch, offsets, builder.getI32Type());
  SmallVector<Value> zeros(offsets.getInDimSize(Dim::Register), i32(0));
  tile.storeAll(planVectorAccess(offsets, counterWidth()), zeros);
  lowering.targetLowering.blockBarrier(builder, loc, BarrierScope::Shared);
}

void HistogramEmitter::countElement(Value element, Value mask) {
  Type type = element.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  // A negative element is out of range as an unsigned number.
  if (width >= 63 || bins < int64_t(1) << width) {
    Value end = LLVM::ConstantOp::create(builder, loc, type, bins);
    Value isBin = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, element, end);
    // A select is used instead of an `and`, because a masked-off element can be undefined.
    Value no = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(false));
    mask = mask ? LLVM::SelectOp::create(builder, loc, mask, isBin, no).getResult() : isBin;
  }
  if (width > 32)
    element = LLVM::TruncOp::create(builder, loc, builder.getI32Type(), element);
  else if (width < 32)
    element = LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), element);
  Value one = i32(1);
  if (mask) {
    element = LLVM::SelectOp::create(builder, loc, mask, element, i32(0));
    one = LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), mask);
  }
  Value counter =
      LLVM::GEPOp::create(builder, loc, scratch.getType(), builder.getI32Type(), scratch, ValueRange{element});
  LLVM::AtomicRMWOp::create(builder, loc, LLVM::AtomicBinOp::add, counter, one, LLVM::AtomicOrdering::monotonic);
}

void HistogramEmitter::count(ValueRange elements, ValueRange masks) {
  LinearLayout layout = lowering.layoutOf(op.getSrc().getType());
  auto countAll = [&] {
    for (const std::vector<int32_t> &group : planVectorAccess(elementIndex(layout), 1).groups)
      countElement(elements[group.front()], masks.empty() ? Value() : masks[group.front()]);
  };
  if (Value isFirst = emitIsFirstCopy(lowering, builder, loc, layout))
    emitIf(builder, loc, isFirst, countAll);
  else
    countAll();
  lowering.targetLowering.blockBarrier(builder, loc, BarrierScope::Shared);
}

SmallVector<Value> HistogramEmitter::loadCounts() {
  LinearLayout offsets = elementIndex(lowering.layoutOf(op.getResult().getType()));
  SharedTile tile(lowering, builder, loc, scratch, offsets, builder.getI32Type());
  return tile.loadAll(planVectorAccess(offsets, counterWidth()));
}

namespace {
struct HistogramLowering : LoweringPattern<hk::HistogramOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::HistogramOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (lowering.numBlocks > 1)
      return op.emitError("histogram is not supported in a cluster yet; launch with num_ctas=1");
    Value scratch = lowering.allocatedAddress(rewriter, op);
    if (!scratch)
      return failure();
    HistogramEmitter emitter(lowering, rewriter, op, scratch);
    emitter.clear();
    emitter.count(adaptor.getSrc(), adaptor.getMask());
    rewriter.replaceOpWithMultiple(op, {emitter.loadCounts()});
    return success();
  }
};
} // namespace

void populateHistogramPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<HistogramLowering>(lowering);
}

} // namespace hocket
