//===- BankAccesses.cpp - Bank conflicts of a kernel's loops ------------------------===//
#include "analysis/shared/BankAccesses.h"

#include "dialect/hk/ModuleFacts.h"
#include "dialect/hk/SharedOffsets.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

/// The tile in shared memory; null where there is none.
static hk::MemDescType sharedTileOf(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto tile = dyn_cast<hk::MemDescType>(type))
        return tile;
  return {};
}

static bool hasLoopInside(Operation *loop) {
  return loop
      ->walk([&](LoopLikeOpInterface inner) { return inner == loop ? WalkResult::advance() : WalkResult::interrupt(); })
      .wasInterrupted();
}

static BankAccess accessOf(hk::RegisterAccess op, RankedTensorType registers, hk::MemDescType tile,
                           const SharedBanks &banks) {
  BankAccess access;
  access.isStore = op->getNumResults() == 0 || isa<hk::MemDescType>(op->getResult(0).getType());
  auto kind = access.isStore ? SharedAccess::Store : SharedAccess::Load;
  for (const Wavefronts &warp : countWavefronts(hk::sharedPlaceOf(registers, tile), kind, banks))
    if (warp.actual > access.wavefronts.actual)
      access.wavefronts = warp;
  return access;
}

static LoopAccesses readLoop(LoopLikeOpInterface loop, const SharedBanks &banks) {
  LoopAccesses result;
  for (Operation *op = loop; op; op = op->getParentOp())
    result.depth += isa<LoopLikeOpInterface>(op);
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto label = op->getAttrOfType<StringAttr>(hk::HkDialect::kStageLabelAttr)) {
      result.stages.push_back(label.str());
      return;
    }
    auto access = dyn_cast<hk::RegisterAccess>(op);
    RankedTensorType registers = access ? access.getRegisters() : RankedTensorType();
    hk::MemDescType tile = sharedTileOf(op);
    if (!registers || !tile)
      return;
    result.accesses.push_back(accessOf(access, registers, tile, banks));
    result.accesses.back().stage = int(result.stages.size()) - 1;
  });
  const int last = std::max(0, int(result.stages.size()) - 1);
  for (BankAccess &access : result.accesses)
    access.stage = access.stage < 0 ? last : access.stage;
  return result;
}

std::vector<LoopAccesses> loopAccessesOf(ModuleOp module) {
  const SharedBanks &banks = *hk::targetOf(module).sharedPhases;
  std::vector<LoopAccesses> loops;
  module.walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
    if (!hasLoopInside(loop))
      loops.push_back(readLoop(loop, banks));
  });
  return loops;
}

} // namespace hocket
