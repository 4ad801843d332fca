//===- Atomics.cpp - hk.atomic_rmw and hk.atomic_cas -----------------------------------------===//
//
// Every element is combined once, by the first of the lanes that hold it, with one lane.atomic_rmw (or _cas) under the
// predicate "mask and first". If the old values are used, they then travel to the other holders:
//
//   copies on lanes of the warp     a shuffle from the lane whose free bits are 0
//   copies on other warps           through scratch memory (hk.offset), one element after the other; with a barrier
//
// An atomic on a scalar stands for the whole block (a lock, the counter of finished blocks): if it releases, what all
// warps did before it must be visible, so a barrier precedes it. One on a tensor orders each lane's accesses only.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_llvm/LoweringContext.h"
#include "conversion/hk_to_llvm/Patterns.h"
#include "conversion/hk_to_llvm/RegisterIndices.h"
#include "dialect/hk/HkDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "layout/VectorAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {
namespace {

/// Row-major element index as a function of register, lane and warp.
LinearLayout elementIndex(const LinearLayout &layout) {
  SmallVector<Dim> order;
  for (DimBits out : layout.getOutDims())
    order.push_back(out.dim);
  std::reverse(order.begin(), order.end());
  return layout.transposeOuts(std::span<const Dim>(order.data(), order.size())).flattenOuts(Dim::Offset);
}

class Atomic {
public:
  Atomic(LoweringContext &lowering, ConversionPatternRewriter &rewriter, Operation *op, Type type,
         hk::MemSemantic semantic)
      : lowering(lowering), rewriter(rewriter), op(op), loc(op->getLoc()), semantic(semantic),
        isTensor(isa<RankedTensorType>(type)), layout(lowering.layoutOf(type)),
        plan(planVectorAccess(elementIndex(layout), 1)), element(lowering.typeConverter.elementType(type)) {
    free = layout.getFreeVariableMasks();
  }

  /// Whether the results can reach all who need them; emits an error if not.
  LogicalResult check() const {
    if (!needsScratch() || op->hasAttr(hk::HkDialect::kOffsetAttr))
      return success();
    return emitError(loc) << "the result of '" << op->getName()
                          << "' is used by several warps but was given no shared memory to pass through; run "
                             "hocket-allocate-shared before";
  }

  /// Calls `emit` for each element this lane may act on; returns the old values in all registers.
  SmallVector<Value> run(ValueRange masks, function_ref<Value(int32_t reg, Value pred)> emit) {
    bool releases = semantic == hk::MemSemantic::Release || semantic == hk::MemSemantic::AcqRel;
    if (!isTensor && releases && lowering.numWarps > 1)
      lowering.targetLowering.blockBarrier(rewriter, loc, BarrierScope::SharedAndGlobal);
    Value isFirst = emitIsFirstCopy(lowering, rewriter, loc, layout);
    SmallVector<Value> results(plan.representative.size());
    for (const std::vector<int32_t> &group : plan.groups) {
      int32_t reg = group.front();
      Value pred = isFirst;
      if (!masks.empty())
        pred = isFirst ? LLVM::AndOp::create(rewriter, loc, isFirst, masks[reg]).getResult() : masks[reg];
      results[reg] = emit(reg, pred);
    }
    if (!op->use_empty() && isFirst) {
      if (needsScratch())
        passThroughScratch(results, isFirst);
      else
        shuffleFromFirst(results);
    }
    for (auto [reg, result] : llvm::enumerate(results))
      result = results[plan.representative[reg]];
    return results;
  }

private:
  bool needsScratch() const {
    bool isReplicated = free[Dim::Warp] != 0 || layout.getInDimSize(Dim::Warp) < lowering.numWarps;
    return isReplicated && !op->use_empty();
  }

  void shuffleFromFirst(SmallVectorImpl<Value> &results) {
    int32_t mask = free[Dim::Lane] | (lowering.warpSize() - layout.getInDimSize(Dim::Lane));
    Value keep = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), (lowering.warpSize() - 1) & ~mask);
    Value lane = LLVM::AndOp::create(rewriter, loc, lowering.laneId(rewriter, loc), keep);
    for (const std::vector<int32_t> &group : plan.groups)
      results[group.front()] = lowering.targetLowering.shuffleIndex(rewriter, loc, results[group.front()], lane);
  }

  void passThroughScratch(SmallVectorImpl<Value> &results, Value isFirst) {
    Value scratch = lowering.allocatedAddress(rewriter, op);
    LaneOrigin origin = emitOrigin(lowering, rewriter, loc, elementIndex(layout));
    SmallVector<Value> slots;
    for (const std::vector<int32_t> &group : plan.groups) {
      Value index = xorConstant(rewriter, loc, origin.base[0], origin.baseBits[0], origin.constants[group.front()][0]);
      slots.push_back(LLVM::GEPOp::create(rewriter, loc, scratch.getType(), element, scratch, index));
    }
    // Lanes that are not first write nothing; a branch keeps the store plain.
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *store = rewriter.createBlock(after);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, isFirst, store, after);
    rewriter.setInsertionPointToEnd(store);
    for (auto [group, slot] : llvm::zip(plan.groups, slots))
      LLVM::StoreOp::create(rewriter, loc, results[group.front()], slot);
    LLVM::BrOp::create(rewriter, loc, ValueRange(), after);
    rewriter.setInsertionPointToStart(after);
    lowering.targetLowering.blockBarrier(rewriter, loc, BarrierScope::Shared);
    for (auto [group, slot] : llvm::zip(plan.groups, slots))
      results[group.front()] = LLVM::LoadOp::create(rewriter, loc, element, slot);
  }

  LoweringContext &lowering;
  ConversionPatternRewriter &rewriter;
  Operation *op;
  Location loc;
  hk::MemSemantic semantic;
  bool isTensor;
  LinearLayout layout;
  VectorAccess plan;
  Type element;
  Coords free;
};

struct AtomicRmwLowering : LoweringPattern<hk::AtomicRmwOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AtomicRmwOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Atomic atomic(lowering, rewriter, op, op.getType(), op.getSem());
    if (failed(atomic.check()))
      return failure();
    ValueRange pointers = adaptor.getPtr(), values = adaptor.getValue();
    SmallVector<Value> results = atomic.run(adaptor.getMask(), [&](int32_t reg, Value pred) -> Value {
      return lane::AtomicRmwOp::create(rewriter, op.getLoc(), values[reg].getType(), op.getOp(), pointers[reg],
                                       values[reg], pred, op.getSem(), op.getScope());
    });
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct AtomicCasLowering : LoweringPattern<hk::AtomicCasOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult matchAndRewrite(hk::AtomicCasOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Atomic atomic(lowering, rewriter, op, op.getType(), op.getSem());
    if (failed(atomic.check()))
      return failure();
    ValueRange pointers = adaptor.getPtr(), compares = adaptor.getCompare(), values = adaptor.getValue();
    SmallVector<Value> results = atomic.run({}, [&](int32_t reg, Value pred) -> Value {
      return lane::AtomicCasOp::create(rewriter, op.getLoc(), values[reg].getType(), pointers[reg], compares[reg],
                                       values[reg], pred, op.getSem(), op.getScope());
    });
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void populateAtomicPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<AtomicRmwLowering, AtomicCasLowering>(lowering);
}

} // namespace hocket
