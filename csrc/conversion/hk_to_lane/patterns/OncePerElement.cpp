//===- OncePerElement.cpp - Executes atomics once for each element -------------------===//
#include "conversion/hk_to_lane/patterns/OncePerElement.h"

#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/GlobalAccess.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk/facts/Scratch.h"
#include "layout/DependentCopies.h"
#include "layout/LayoutWarps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {

LinearLayout elementIndex(const LinearLayout &layout) {
  SmallVector<Dim> order;
  for (DimBits out : layout.getOutDims())
    order.push_back(out.dim);
  std::reverse(order.begin(), order.end());
  return layout.transposeOuts(std::span<const Dim>(order.data(), order.size())).flattenOuts(Dim::Offset);
}

OncePerElement::OncePerElement(LoweringContext &lowering, ConversionPatternRewriter &rewriter, Operation *op, Type type,
                               VectorAccess plan, int32_t actingBlocks)
    : lowering(lowering), rewriter(rewriter), op(op), loc(op->getLoc()), isTensor(isa<RankedTensorType>(type)),
      layout(lowering.layoutOf(type)), plan(std::move(plan)), element(lowering.typeConverter.elementType(type)),
      actingBlocks(actingBlocks) {
  free = layout.getFreeVariableMasks();
  for (const std::vector<int32_t> &group : this->plan.groups)
    llvm::append_range(acting, group);
}

LogicalResult OncePerElement::check() const {
  if (!op->use_empty() && (copiesInBlocks(lowering, layout) & ~actingBlocks))
    return emitError(loc) << "the result of an atomic operation on "
                          << (isTensor ? "elements that several blocks of a cluster hold" : "a scalar")
                          << " cannot reach the other blocks of the cluster yet; give it a layout that distributes the "
                             "elements over the blocks (cga_layout), or do not use the result";
  if (!needsScratch() || hk::offsetOf(op))
    return success();
  return emitError(loc) << "the result of '" << op->getName()
                        << "' is used by several warps but was given no shared memory to pass through; run "
                           "hocket-allocate-memory first";
}

SmallVector<Value> OncePerElement::run(ValueRange masks, hk::MemSemantic semantic, Emit emit) {
  bool releases = semantic == hk::MemSemantic::Release || semantic == hk::MemSemantic::AcqRel;
  bool acquires = semantic == hk::MemSemantic::Acquire || semantic == hk::MemSemantic::AcqRel;
  // One lane executes a scalar atomic for all lanes. With release semantics, earlier accesses of the other lanes must
  // precede the atomic, so a barrier is emitted.
  if (!isTensor && releases && lowering.numWarps > 1)
    lowering.targetLowering.blockBarrier(rewriter, loc, BarrierScope::SharedAndGlobal);
  else if (!isTensor && releases)
    lowering.targetLowering.warpBarrier(rewriter, loc);
  Value isFirst = emitIsFirstCopy(lowering, rewriter, loc, layout, actingBlocks);
  SmallVector<Value> results(plan.representative.size());
  for (const std::vector<int32_t> &group : plan.groups)
    emit(group, conjunction(rewriter, loc, isFirst, masks.empty() ? Value() : masks[group.front()]), results);
  if (!op->use_empty() && isFirst) {
    if (needsScratch())
      passThroughScratch(results, isFirst);
    else
      shuffleFromFirst(results);
  }
  // With acquire semantics, later accesses of the other lanes must follow the atomic. A shuffle of the result does not
  // order memory accesses, so a barrier of the warp is emitted. With several warps, the exchange of the result contains
  // a barrier.
  if (!isTensor && acquires && lowering.numWarps == 1)
    lowering.targetLowering.warpBarrier(rewriter, loc);
  for (auto [reg, result] : llvm::enumerate(results))
    result = results[plan.representative[reg]];
  return results;
}

bool OncePerElement::needsScratch() const {
  bool isReplicated = free[Dim::Warp] != 0 || layout.getInDimSize(Dim::Warp) < layoutWarps(lowering.numWarps);
  // A shuffle can send a result to a lane only if the index of that lane determines the register and lane that hold the
  // result.
  return (isReplicated || hasDependentCopies(layout)) && !op->use_empty();
}

void OncePerElement::shuffleFromFirst(MutableArrayRef<Value> results) {
  int32_t mask = free[Dim::Lane] | (lowering.warpSize() - layout.getInDimSize(Dim::Lane));
  Value keep = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), (lowering.warpSize() - 1) & ~mask);
  Value lane = LLVM::AndOp::create(rewriter, loc, lowering.laneId(rewriter, loc), keep);
  for (int32_t reg : acting)
    results[reg] = lowering.targetLowering.shuffleIndex(rewriter, loc, results[reg], lane);
}

void OncePerElement::passThroughScratch(MutableArrayRef<Value> results, Value isFirst) {
  Value scratch = lowering.allocatedAddress(rewriter, op);
  LaneOrigin origin = emitOrigin(lowering, rewriter, loc, elementIndex(layout));
  SmallVector<Value> slots;
  for (int32_t reg : acting) {
    Value index = xorConstant(rewriter, loc, origin.base[0], origin.baseBits[0], origin.constants[reg][0]);
    slots.push_back(LLVM::GEPOp::create(rewriter, loc, scratch.getType(), element, scratch, index));
  }
  // Only the first lane stores, in a branch, so that the store needs no predicate.
  emitIf(rewriter, loc, isFirst, [&] {
    for (auto [reg, slot] : llvm::zip(acting, slots))
      LLVM::StoreOp::create(rewriter, loc, results[reg], slot);
  });
  lowering.targetLowering.blockBarrier(rewriter, loc, BarrierScope::Shared);
  for (auto [reg, slot] : llvm::zip(acting, slots))
    results[reg] = LLVM::LoadOp::create(rewriter, loc, element, slot);
}

} // namespace hocket
