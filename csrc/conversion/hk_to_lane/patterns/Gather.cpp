//===- Gather.cpp - Lowers hk.gather ----------------------------------------------------===//
//
//   index       llvm.and, which computes the index modulo the size of the axis; lane.assert if indices are checked
//   local       TargetLowering::shuffleIndex of each candidate that is in another lane, and llvm.select
//   shared      llvm.store of the tile, barrier, llvm.load
//
// plans/GatherPlan.h explains the plans, and selects the plan of an operation.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

namespace hocket {

namespace {

class GatherEmitter {
public:
  GatherEmitter(LoweringContext &lowering, OpBuilder &builder, hk::GatherOp op, ValueRange src)
      : lowering(lowering), builder(builder), loc(op.getLoc()), src(src),
        size(op.getSrc().getType().getDimSize(op.getAxis())), isChecked(hk::kChecksIndicesAttr.isOn(lowering.module)) {}

  /// Returns the index modulo the size of the axis, as an i32.
  Value boundedIndex(Value index);
  SmallVector<Value> gatherLocally(const LocalGather &plan, ArrayRef<Value> indices);
  SmallVector<Value> gatherShared(const SharedGather &plan, ArrayRef<Value> indices, Value scratch);

private:
  Value i32(int32_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }
  Value xorOf(Value a, Value b) { return LLVM::XOrOp::create(builder, loc, a, b); }

  LoweringContext &lowering;
  OpBuilder &builder;
  Location loc;
  ValueRange src;
  int64_t size;
  bool isChecked;
};

} // namespace

Value GatherEmitter::boundedIndex(Value index) {
  Type type = index.getType(), i32Type = builder.getI32Type();
  unsigned width = type.getIntOrFloatBitWidth();
  // No check is needed if all values of the index type are less than the size. An unsigned comparison also rejects
  // negative indices.
  if (isChecked && (width >= 63 || size < int64_t(1) << width)) {
    Value end = LLVM::ConstantOp::create(builder, loc, type, size);
    Value fits = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, index, end);
    std::string message = "an index of gather is outside 0.." + std::to_string(size - 1);
    lane::AssertOp::create(builder, loc, fits, builder.getStringAttr(message), Value());
  }
  if (width > 32)
    index = LLVM::TruncOp::create(builder, loc, i32Type, index);
  else if (width < 32)
    index = LLVM::ZExtOp::create(builder, loc, i32Type, index);
  return LLVM::AndOp::create(builder, loc, index, i32(size - 1));
}

// Local ---------------------------------------------------------------------------------------------------------------

SmallVector<Value> GatherEmitter::gatherLocally(const LocalGather &plan, ArrayRef<Value> indices) {
  enum { kRegister, kLane };
  Coordinate fromPlace =
      applyLayout(builder, loc, plan.fromPlace,
                  {{Dim::Lane, lowering.laneId(builder, loc)}, {Dim::Warp, lowering.warpId(builder, loc)}});
  SmallVector<Value> results;
  for (auto [reg, index] : llvm::enumerate(indices)) {
    Coords own = plan.fromPlace.apply({{Dim::Register, int32_t(reg)}});
    Coordinate fromIndex = applyLayout(builder, loc, plan.fromIndex, {{Dim::Dim0, index}});
    Value chosen = xorOf(fromPlace[kRegister], fromIndex[kRegister]);
    Value lane;
    if (!plan.staysInLane) {
      lane = xorOf(fromPlace[kLane], fromIndex[kLane]);
      if (own[Dim::Lane])
        lane = xorOf(lane, i32(own[Dim::Lane]));
    }

    // candidates[i] comes from the register whose index is own[Register] XOR generators[j] for all set bits j of i.
    SmallVector<Value> candidates;
    for (size_t i = 0; i < plan.numCandidates(); ++i) {
      unsigned from = own[Dim::Register];
      for (auto [bit, generator] : llvm::enumerate(plan.generators))
        if (i >> bit & 1)
          from ^= generator;
      Value candidate = src[from];
      candidates.push_back(lane ? lowering.targetLowering.shuffleIndex(builder, loc, candidate, lane) : candidate);
    }
    for (unsigned bit = plan.selectors.size(); bit-- > 0;) {
      Value isSet = LLVM::AndOp::create(builder, loc, chosen, i32(1 << plan.selectors[bit]));
      isSet = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, isSet, i32(0));
      size_t half = candidates.size() / 2;
      for (size_t i = 0; i < half; ++i)
        candidates[i] = LLVM::SelectOp::create(builder, loc, isSet, candidates[i + half], candidates[i]);
      candidates.truncate(half);
    }
    results.push_back(candidates.front());
  }
  return results;
}

// Shared --------------------------------------------------------------------------------------------------------------

SmallVector<Value> GatherEmitter::gatherShared(const SharedGather &plan, ArrayRef<Value> indices, Value scratch) {
  Type element = src.front().getType();
  unsigned bits = isa<LLVM::LLVMPointerType>(element) ? 64 : std::max(8u, element.getIntOrFloatBitWidth());
  SharedTile stores(lowering, builder, loc, scratch, plan.storeOffset, element);
  stores.storeAll(planVectorAccess(plan.storeOffset, lowering.target.maxAccessBits / bits), llvm::to_vector(src));
  lowering.targetLowering.blockBarrier(builder, loc, BarrierScope::Shared);
  SmallVector<Value> results;
  for (auto [reg, index] : llvm::enumerate(indices)) {
    ViewStart start;
    start.offset = plan.axisShift ? LLVM::ShlOp::create(builder, loc, index, i32(plan.axisShift)).getResult() : index;
    start.bits = int32_t(size - 1) << plan.axisShift;
    SharedTile loads(lowering, builder, loc, scratch, plan.loadOffset, element, {}, start);
    results.push_back(loads.load(loads.registerOffset(reg), 1).front());
  }
  return results;
}

namespace {
struct GatherLowering : LoweringPattern<hk::GatherOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::GatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto plan = hk::planGather(op.getSrc().getType(), op.getResult().getType(), op.getAxis());
    if (!plan)
      return op.emitError(
          "a gather cannot read elements that another block of the cluster holds; convert its source to a "
          "layout in which each block holds all elements that it reads");
    Value scratch;
    auto *shared = std::get_if<SharedGather>(&*plan);
    if (shared) {
      scratch = lowering.allocatedAddress(rewriter, op);
      if (!scratch)
        return failure();
    }
    GatherEmitter emitter(lowering, rewriter, op, adaptor.getSrc());
    SmallVector<Value> indices =
        llvm::map_to_vector(adaptor.getIndex(), [&](Value index) { return emitter.boundedIndex(index); });
    rewriter.replaceOpWithMultiple(op, {shared ? emitter.gatherShared(*shared, indices, scratch)
                                               : emitter.gatherLocally(std::get<LocalGather>(*plan), indices)});
    return success();
  }
};
} // namespace

void populateGatherPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<GatherLowering>(lowering);
}

} // namespace hocket
