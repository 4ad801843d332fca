//===- ConvertLayoutCluster.cpp - Converts a layout across the blocks of a cluster -----------===//
//
//   llvm.store to the block's own scratch; cluster barrier; llvm.load of !llvm.ptr<7>; cluster barrier
//
// The first cluster barrier orders the stores before the loads. After the second barrier, no CTA reads the memory of
// another CTA, so that the memory can be overwritten and CTAs can end.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/ConvertLayout.h"

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"

using namespace mlir;

namespace hocket {

SmallVector<Value> emitClusterMoves(LoweringContext &lowering, OpBuilder &builder, Location loc,
                                    const ClusterMoves &moves, Value scratch, ValueRange src) {
  const TargetLowering &target = lowering.targetLowering;
  auto barrier = [&] {
    target.clusterArrive(builder, loc, /*isRelaxed=*/false);
    target.clusterWait(builder, loc);
  };
  Type elementType = src.front().getType();
  SharedTile stores(lowering, builder, loc, scratch, moves.storeOffset, elementType);
  stores.storeAll(moves.store, llvm::to_vector(src));
  barrier();
  SharedTile loads(lowering, builder, loc, scratch, moves.loadOffset, elementType, moves.partBits);
  SmallVector<Value> result = loads.loadAll(moves.load);
  barrier();
  return result;
}

} // namespace hocket
