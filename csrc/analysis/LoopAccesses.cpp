//===- LoopAccesses.cpp - How a kernel's loops access memory ------------------------===//
#include "analysis/LoopAccesses.h"

#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/ModuleFacts.h"
#include "dialect/hk/SharedOffsets.h"
#include "dialect/hk/TilePlans.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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

static RowAccess rowsOf(hk::GlobalAccess op, const AxisInfoAnalysis &axes) {
  hk::GlobalAddresses place = op.getGlobalAddresses();
  RowAccess access;
  access.isStore = op->getNumResults() == 0 && !sharedTileOf(op); // else it is a load, or a copy to shared memory
  const int64_t elementBytes = hk::storageBits(getElementTypeOrSelf(place.accessed)) / 8;
  auto tile = dyn_cast<RankedTensorType>(place.accessed);
  int64_t neighbours = 1;
  for (auto [dim, facts] : llvm::enumerate(axes.get(place.addresses).dims))
    if (tile && int64_t(dim) < tile.getRank())
      neighbours = std::max(neighbours, std::min(facts.contiguity, tile.getDimSize(dim)));
  access.rowBytes = neighbours * elementBytes;
  access.tileBytes = (tile ? tile.getNumElements() : 1) * elementBytes;
  return access;
}

namespace {
/// Reads the loops of one function.
struct LoopReader {
  const SharedBanks &banks;
  AxisInfoAnalysis axes;

  LoopAccesses read(LoopLikeOpInterface loop) const;

private:
  void readAccess(Operation *op, int stage, LoopAccesses &result) const;
};
} // namespace

void LoopReader::readAccess(Operation *op, int stage, LoopAccesses &result) const {
  if (auto global = dyn_cast<hk::GlobalAccess>(op)) {
    result.rows.push_back(rowsOf(global, axes));
    result.rows.back().stage = stage;
  }
  auto access = dyn_cast<hk::RegisterAccess>(op);
  RankedTensorType registers = access ? access.getRegisters() : RankedTensorType();
  hk::MemDescType tile = sharedTileOf(op);
  if (!registers || !tile)
    return;
  result.accesses.push_back(accessOf(access, registers, tile, banks));
  result.accesses.back().stage = stage;
}

LoopAccesses LoopReader::read(LoopLikeOpInterface loop) const {
  LoopAccesses result;
  for (Operation *op = loop; op; op = op->getParentOp())
    result.depth += isa<LoopLikeOpInterface>(op);
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto label = op->getAttrOfType<StringAttr>(hk::HkDialect::kStageLabelAttr))
      result.stages.push_back(label.str());
    else
      readAccess(op, int(result.stages.size()) - 1, result);
  });
  const int last = std::max(0, int(result.stages.size()) - 1);
  for (BankAccess &access : result.accesses)
    access.stage = access.stage < 0 ? last : access.stage;
  for (RowAccess &access : result.rows)
    access.stage = access.stage < 0 ? last : access.stage;
  return result;
}

std::vector<LoopAccesses> loopAccessesOf(ModuleOp module) {
  const SharedBanks &banks = *hk::targetOf(module).sharedPhases;
  std::vector<LoopAccesses> loops;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    LoopReader reader{banks, AxisInfoAnalysis(function)};
    function->walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
      if (!hasLoopInside(loop))
        loops.push_back(reader.read(loop));
    });
  }
  return loops;
}

} // namespace hocket
