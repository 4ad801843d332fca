//===- LoopAccesses.cpp - Memory accesses of a kernel's loops -----------------------===//
#include "analysis/LoopAccesses.h"

#include "analysis/axis/AxisInfo.h"
#include "analysis/global/GlobalRange.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

hk::MemDescType sharedTileOf(Operation *op) {
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
  for (const Wavefronts &warp : countWavefronts(hk::sharedTileAccessOf(registers, tile), kind, banks))
    if (warp.actual > access.wavefronts.actual)
      access.wavefronts = warp;
  return access;
}

/// Returns the total size in bytes of the cache lines that a tile covers, if each row of the tile begins at the first
/// byte of a cache line. The contiguity of the addresses (AxisInfo) determines the length of a row.
static int64_t lineBytesOfRows(const hk::GlobalAddresses &global, int64_t elements, int64_t elementBytes, int64_t line,
                               const AxisInfoAnalysis &axes) {
  auto tile = dyn_cast<RankedTensorType>(global.accessed);
  int64_t neighbors = 1;
  for (auto [dim, facts] : llvm::enumerate(axes.get(global.addresses).dims))
    if (tile && int64_t(dim) < tile.getRank())
      neighbors = std::max(neighbors, std::min(facts.contiguity, tile.getDimSize(dim)));
  return llvm::divideCeil(neighbors * elementBytes, line) * line * (elements / neighbors);
}

static LineAccess linesOf(hk::GlobalAccess op, int64_t line, const AxisInfoAnalysis &axes) {
  using Kind = LineAccess::Kind;
  hk::GlobalAddresses global = op.getGlobalAddresses();
  auto tile = dyn_cast<RankedTensorType>(global.accessed);
  const int64_t elements = tile ? tile.getNumElements() : 1;
  const int64_t elementBytes = hk::storageBits(getElementTypeOrSelf(global.accessed)) / 8;
  LineAccess access;
  access.kind = sharedTileOf(op) ? Kind::Copy : op->getNumResults() == 0 ? Kind::Store : Kind::Load;
  access.tileBytes = elements * elementBytes;
  if (std::optional<int64_t> lines = GlobalRange::of(global, {}).linesOf(line))
    access.lineBytes = *lines * line;
  else
    access.lineBytes = lineBytesOfRows(global, elements, elementBytes, line, axes);
  return access;
}

namespace {
/// Collects the memory accesses of the loops of one function.
struct LoopReader {
  const SharedBanks &banks;
  int64_t lineBytes;
  AxisInfoAnalysis axes;

  LoopAccesses read(LoopLikeOpInterface loop) const;

private:
  void readAccess(Operation *op, int stage, LoopAccesses &result) const;
};
} // namespace

void LoopReader::readAccess(Operation *op, int stage, LoopAccesses &result) const {
  if (auto global = dyn_cast<hk::GlobalAccess>(op)) {
    result.lines.push_back(linesOf(global, lineBytes, axes));
    result.lines.back().stage = stage;
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
    auto barrier = dyn_cast<hk::SchedBarrierOp>(op);
    if (std::optional<StringRef> label = barrier ? barrier.getStage() : std::nullopt)
      result.stages.push_back(label->str());
    else
      readAccess(op, int(result.stages.size()) - 1, result);
  });
  const int last = std::max(0, int(result.stages.size()) - 1);
  for (BankAccess &access : result.accesses)
    access.stage = access.stage < 0 ? last : access.stage;
  for (LineAccess &access : result.lines)
    access.stage = access.stage < 0 ? last : access.stage;
  return result;
}

std::vector<LoopAccesses> loopAccessesOf(ModuleOp module) {
  const TargetInfo &target = hk::targetOf(module);
  const int64_t lineBytes = std::max(1, target.costs->lineBytes);
  std::vector<LoopAccesses> loops;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    LoopReader reader{*target.sharedPhases, lineBytes, AxisInfoAnalysis(function)};
    function->walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
      if (!hasLoopInside(loop))
        loops.push_back(reader.read(loop));
    });
  }
  return loops;
}

} // namespace hocket
