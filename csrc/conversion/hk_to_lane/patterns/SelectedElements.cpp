//===- SelectedElements.cpp - Lowers accesses of shared memory elements by index -----===//
//
//   hk.local_gather            llvm.load of one element per index, on !llvm.ptr<3>
//   hk.local_scatter           llvm.store
//   hk.local_atomic_scatter    llvm.atomicrmw of block scope, once for each element (OncePerElement.h)
//
// If an element can be in the memory of another CTA of the cluster, accesses use !llvm.ptr<7> and the offsets of
// ClusterAccessPlan.h, and atomics have cluster scope.
//
// The offset of an element is linear over F2 in its coordinates: it is the XOR of the contributions of the coordinates.
// The coordinates other than the index contribute the XOR of a constant for each register and a value for each lane.
// The value for the lane is computed once. The index and the start of a view also contribute to the XOR.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/OncePerElement.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/lane/AtomicBinOp.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {

namespace {

class SelectedElements {
public:
  /// `buffer` is the lowered handle of a buffer of type `type`: an address, then start coordinates.
  SelectedElements(LoweringContext &lowering, OpBuilder &builder, Location loc, hk::MemDescType type, ValueRange buffer,
                   hk::SelectionPlan plan, unsigned axis);

  /// Returns the address of the element that `index` selects or, for a store, the addresses of all copies of the
  /// element. `index` is the lowered index in register `reg`. `isUsed` is an i1 that is true if the element is
  /// accessed; null if the element is always accessed.
  SmallVector<Value> addresses(unsigned reg, Value index, Value isUsed = {});
  Value address(unsigned reg, Value index) { return addresses(reg, index).front(); }

private:
  void assertIndex(Value index, Value isUsed);
  Value offsetOf(unsigned reg, Value index);
  Value addressAt(Value memory, Value offset);

  LoweringContext &lowering;
  OpBuilder &builder;
  Location loc;
  hk::MemDescType type;
  hk::SelectionPlan plan;
  Value base;
  unsigned axis;
  LaneOrigin origin;
  LinearLayout ofIndex; ///< maps the index to its contribution to the offset
  ViewStart start;
};

} // namespace

SelectedElements::SelectedElements(LoweringContext &lowering, OpBuilder &builder, Location loc, hk::MemDescType type,
                                   ValueRange buffer, hk::SelectionPlan selection, unsigned axis)
    : lowering(lowering), builder(builder), loc(loc), type(type), plan(std::move(selection)), base(buffer.front()),
      axis(axis) {
  origin = emitOrigin(lowering, builder, loc, plan.ofLanes);
  ofIndex = plan.toOffset.sublayout({tensorDim(axis)}, {Dim::Offset});
  start = emitViewStart(builder, loc, type, buffer.drop_front(), plan.toOffset);
}

/// Emits an assertion that the index is in range. Without the assertion, an access out of range would not fail if it
/// accesses another buffer.
void SelectedElements::assertIndex(Value index, Value isUsed) {
  int64_t size = type.getShape()[axis];
  // One unsigned comparison suffices, because a negative number becomes a large unsigned number.
  Value isFine = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, index, i32Constant(builder, loc, size));
  if (isUsed) {
    Value isUnused = LLVM::XOrOp::create(
        builder, loc, isUsed, LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(true)));
    isFine = LLVM::OrOp::create(builder, loc, isFine, isUnused);
  }
  lane::AssertOp::create(builder, loc, isFine,
                         builder.getStringAttr("an index lies outside dimension " + Twine(axis) +
                                               " of the shared memory, which has " + Twine(size) + " elements"),
                         /*index=*/Value());
}

Value SelectedElements::offsetOf(unsigned reg, Value index) {
  Value offset = xorConstant(builder, loc, origin.base[0], origin.baseBits[0], origin.constants[reg][0]);
  if (start.constant)
    offset = LLVM::XOrOp::create(builder, loc, offset, i32Constant(builder, loc, start.constant));
  if (start.offset)
    offset = LLVM::XOrOp::create(builder, loc, offset, start.offset);
  Value part = applyLayout(builder, loc, ofIndex, {{tensorDim(axis), index}}).front();
  return LLVM::XOrOp::create(builder, loc, offset, part);
}

Value SelectedElements::addressAt(Value memory, Value offset) {
  Value padded = offset;
  for (auto [interval, padding] : cast<hk::SharedLayout>(type.getLayout()).getPaddings()) {
    Value count = LLVM::LShrOp::create(builder, loc, offset, i32Constant(builder, loc, log2Exact(interval)));
    Value extra = LLVM::ShlOp::create(builder, loc, count, i32Constant(builder, loc, log2Exact(padding)));
    padded = LLVM::AddOp::create(builder, loc, padded, extra);
  }
  Type element = type.getElementType();
  auto bits = IntegerType::get(builder.getContext(), hk::storageBits(element));
  return LLVM::GEPOp::create(builder, loc, memory.getType(), bits, memory, ArrayRef<LLVM::GEPArg>{padded},
                             LLVM::GEPNoWrapFlags::inbounds);
}

SmallVector<Value> SelectedElements::addresses(unsigned reg, Value index, Value isUsed) {
  if (hk::kChecksSlotsAttr.isOn(lowering.module))
    assertIndex(index, isUsed);
  Value offset = offsetOf(reg, index);
  if (plan.isOwn)
    return {addressAt(base, offset)};
  Value rank = LLVM::LShrOp::create(builder, loc, offset, i32Constant(builder, loc, plan.partBits));
  offset = LLVM::AndOp::create(builder, loc, offset, i32Constant(builder, loc, (int32_t(1) << plan.partBits) - 1));
  SmallVector<Value> result;
  for (int32_t copy = 0; copy < lowering.numBlocks; ++copy) {
    if (copy & ~plan.copies)
      continue;
    Value holder = copy ? LLVM::XOrOp::create(builder, loc, rank, i32Constant(builder, loc, copy)).getResult() : rank;
    result.push_back(addressAt(lowering.targetLowering.sharedOfBlock(builder, loc, base, holder), offset));
  }
  return result;
}

namespace {

unsigned alignmentOf(hk::MemDescType type) { return hk::storageBits(type.getElementType()) / 8; }

struct LocalGatherLowering : LoweringPattern<hk::LocalGatherOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::LocalGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<hk::MemDescType>(op.getSrc().getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    SelectedElements selected(lowering, rewriter, op.getLoc(), type, adaptor.getSrc(),
                              hk::planSelection(indices, type, op.getAxis(), /*writes=*/false, lowering.numBlocks),
                              op.getAxis());
    SmallVector<Value> elements;
    for (auto [reg, index] : llvm::enumerate(adaptor.getIndices()))
      elements.push_back(LLVM::LoadOp::create(rewriter, op.getLoc(), elementType(op.getType()),
                                              selected.address(reg, index), alignmentOf(type)));
    rewriter.replaceOpWithMultiple(op, {elements});
    return success();
  }
};

struct LocalScatterLowering : LoweringPattern<hk::LocalScatterOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::LocalScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<hk::MemDescType>(op.getDst().getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    SelectedElements selected(lowering, rewriter, loc, type, adaptor.getDst(),
                              hk::planSelection(indices, type, op.getAxis(), /*writes=*/true, lowering.numBlocks),
                              op.getAxis());
    // Lanes that hold copies of an element store the same value to the same address.
    for (auto [reg, index] : llvm::enumerate(adaptor.getIndices()))
      for (Value address : selected.addresses(reg, index))
        LLVM::StoreOp::create(rewriter, loc, adaptor.getValues()[reg], address, alignmentOf(type));
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalAtomicScatterLowering : LoweringPattern<hk::LocalAtomicScatterOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::LocalAtomicScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<hk::MemDescType>(op.getDst().getType());
    hk::SelectionPlan plan = hk::planSelection(cast<RankedTensorType>(op.getIndices().getType()), type, op.getAxis(),
                                               /*writes=*/true, lowering.numBlocks);
    OncePerElement atomic(lowering, rewriter, op, op.getType(),
                          planVectorAccess(elementIndex(lowering.layoutOf(op.getType())), 1), plan.ownCopies);
    if (failed(atomic.check()))
      return failure();
    const TargetLowering &target = lowering.targetLowering;
    StringRef scope = plan.isOwn ? target.blockScope() : target.clusterScope();
    SelectedElements selected(lowering, rewriter, loc, type, adaptor.getDst(), plan, op.getAxis());
    ValueRange indices = adaptor.getIndices(), values = adaptor.getValues(), mask = adaptor.getMask();
    auto emit = [&](ArrayRef<int32_t> group, Value pred, MutableArrayRef<Value> results) {
      int32_t reg = group.front();
      SmallVector<Value> addresses = selected.addresses(reg, indices[reg], mask.empty() ? Value() : mask[reg]);
      auto combine = [&]() -> Value {
        SmallVector<Value> old = llvm::map_to_vector(addresses, [&](Value address) -> Value {
          return LLVM::AtomicRMWOp::create(rewriter, loc, lane::binaryOf(op.getOp()), address, values[reg],
                                           LLVM::AtomicOrdering::monotonic, scope);
        });
        return old.front();
      };
      results[reg] = pred ? emitValueIf(rewriter, loc, pred, combine) : combine();
    };
    rewriter.replaceOpWithMultiple(op, {atomic.run(mask, hk::MemSemantic::Relaxed, emit)});
    return success();
  }
};

} // namespace

void populateSelectedElementPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<LocalGatherLowering, LocalScatterLowering, LocalAtomicScatterLowering>(lowering);
}

} // namespace hocket
