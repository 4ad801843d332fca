//===- ConvertLayoutShared.cpp - Converts a layout through scratch memory ----------===//
//
// Implements a SharedMoves plan: each repetition stores to scratch memory, executes a barrier, and loads. Lanes and
// warps that hold copies store the same value to the same address. The first access of the scratch memory is a store
// and the last access is a load, as UsesScratch (dialect/hk/ir/HkOpInterfaces.td) requires.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/ConvertLayout.h"

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"

using namespace mlir;

namespace hocket {

/// Restricts the offset dimension of the layout to the elements of one repetition.
static LinearLayout withoutRepetitions(const LinearLayout &offsets, int64_t elements) {
  const DimBits sizes[] = {{Dim::Offset, uint8_t(log2Exact(elements))}};
  return offsets.ensureNotLargerThan(sizes);
}

SmallVector<Value> emitSharedMoves(LoweringContext &lowering, OpBuilder &builder, Location loc,
                                   const SharedMoves &moves, Value scratch, ValueRange src) {
  Type elementType = src.front().getType();
  int64_t elements = moves.elementsPerRepetition;
  SharedTile stores(lowering, builder, loc, scratch, withoutRepetitions(moves.storeOffset, elements), elementType);
  SharedTile loads(lowering, builder, loc, scratch, withoutRepetitions(moves.loadOffset, elements), elementType);
  auto repetitionOf = [&](const LinearLayout &offsets, int32_t reg) {
    return offsets.apply({{Dim::Register, reg}})[Dim::Offset] / elements;
  };

  SmallVector<Value> result(moves.load.representative.size());
  for (unsigned repetition = 0; repetition < moves.repetitions; ++repetition) {
    if (repetition > 0)
      lowering.targetLowering.blockBarrier(builder, loc, BarrierScope::Shared);
    for (const std::vector<int32_t> &group : moves.store.groups)
      if (repetitionOf(moves.storeOffset, group.front()) == repetition)
        stores.store(stores.registerOffset(group.front()),
                     llvm::map_to_vector(group, [&](int32_t reg) -> Value { return src[reg]; }));
    lowering.targetLowering.blockBarrier(builder, loc, BarrierScope::Shared);
    for (const std::vector<int32_t> &group : moves.load.groups) {
      if (repetitionOf(moves.loadOffset, group.front()) != repetition)
        continue;
      auto loaded = loads.load(loads.registerOffset(group.front()), group.size());
      for (auto [reg, value] : llvm::zip_equal(group, loaded))
        result[reg] = value;
    }
  }
  for (unsigned reg = 0; reg < result.size(); ++reg)
    result[reg] = result[moves.load.representative[reg]];
  return result;
}

} // namespace hocket
