//===- WarpUniformity.cpp - Scalars that may differ between the warps of a block ---===//
#include "analysis/warp_pipeline/WarpUniformity.h"

#include "analysis/global/ValueSources.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

/// Calls `visit` with the pointer of each access of global memory by `op` that has an effect of type `Effect`.
template <typename Effect, typename F>
static void forEachGlobalAccess(Operation *op, F &&visit) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (isa<Effect>(effect.getEffect()) && isa<hk::GlobalMemory>(effect.getResource()) && effect.getValue())
      visit(effect.getValue());
}

WarpUniformity::WarpUniformity(Operation *function) {
  function->walk([&](Operation *op) {
    if (isa<hk::LoadOp>(op)) // a volatile load has a write effect, but writes no memory
      return;
    forEachGlobalAccess<MemoryEffects::Write>(op, [&](Value pointer) {
      for (Value origin : originsOf(pointer))
        written.insert(origin);
    });
  });
}

WarpDifference WarpUniformity::differenceMadeBy(Operation *op) const {
  if (auto load = dyn_cast<hk::LoadOp>(op); load && load.getIsVolatile())
    return {op, "a volatile load, which each warp executes separately"};
  if (auto combine = dyn_cast<hk::CombineRegion>(op);
      combine && !combine.combinesInOneOrder() && !combine.isOneCommutativeOperation())
    return {op, "a reduction by a function that lanes apply in different orders"};
  if (isa<hk::AtomicAccess>(op)) // an atomic is executed once for all warps
    return {};
  bool readsWhatIsWritten = false;
  forEachGlobalAccess<MemoryEffects::Read>(op, [&](Value pointer) {
    for (Value origin : originsOf(pointer))
      readsWhatIsWritten |= origin ? written.contains(origin) || written.contains(Value()) : !written.empty();
  });
  if (readsWhatIsWritten)
    return {op, "a load from an array that the kernel writes, which each warp executes separately"};
  return {};
}

WarpDifference WarpUniformity::differenceIn(Value value) const {
  ValueWorklist worklist;
  worklist.insert(value);
  for (size_t i = 0; i < worklist.size(); ++i) {
    if (Operation *op = worklist[i].getDefiningOp())
      if (WarpDifference difference = differenceMadeBy(op))
        return difference;
    if (auto argument = dyn_cast<BlockArgument>(worklist[i]))
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
        for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
          worklist.insert(bound);
    addSources(worklist, worklist[i]);
  }
  return {};
}

} // namespace hocket
