//===- OperationCosts.cpp - Execution unit and clocks of an operation on tiles -----===//
#include "analysis/auto_stages/OperationCosts.h"

#include "analysis/LoopAccesses.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/facts/GlobalAddresses.h"
#include "dialect/hk/facts/MatrixTime.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

static constexpr int64_t kRegisterBytes = 4, kWidestAccessBytes = 16;

/// Returns the number of bytes that each lane holds of a value of type `type`.
static int64_t bytesOfLane(Type type) {
  int64_t bits = hk::storageBits(getElementTypeOrSelf(type));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    bits *= hk::toLinearLayout(tensor).getInDimSize(Dim::Register);
  return llvm::divideCeil(bits, 8);
}

int64_t registersOf(Type type) { return llvm::divideCeil(bytesOfLane(type), kRegisterBytes); }

bool hasBranches(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return WalkResult(failure(inner->getNumRegions() > 0 && !isa<hk::ElementRegion>(inner)));
      })
      .wasInterrupted();
}

// Units ---------------------------------------------------------------------------------------------------------------

static StageNode matrixCost(hk::MatrixTime op, const CostTable &costs) {
  hk::MatrixWork work = op.getMatrixWork();
  StageNode node{.unit = StageUnit::Matrix, .clocks = work.clocks(), .latency = costs.matrixLatency};
  node.isAsync = isa<hk::AsyncResults>(op.getOperation());
  // A warp issues its next operation while an asynchronous MMA executes. An asynchronous MMA starts when the whole
  // accumulator is available, even if its other operands become available in parts.
  node.issue = node.isAsync ? work.instructions * costs.issue : work.clocks() - work.clocksEach + costs.issue;
  const int64_t taken = std::max<int64_t>(costs.issue, costs.matrixRead);
  node.spare = node.isAsync ? 0 : std::max<int64_t>(0, (work.instructions - 1) * (work.clocksEach - taken));
  node.parts = node.isAsync ? 1 : work.stepsAlongK;
  return node;
}

static StageNode sharedCost(Operation *op, RankedTensorType registers, hk::MemDescType tile, const TargetInfo &target) {
  bool isStore = op->getNumResults() == 0 || isa<hk::MemDescType>(op->getResult(0).getType());
  std::vector<Wavefronts> warps =
      countWavefronts(hk::sharedTileAccessOf(registers, tile), isStore ? SharedAccess::Store : SharedAccess::Load,
                      *target.sharedPhases);
  // Each of the two groups of four warps executes half of the accesses of all eight warps.
  int64_t clocks = sumOf(warps).actual * hk::HkDialect::kWarpsPerGroup / std::max<int64_t>(1, int64_t(warps.size()));
  int64_t accesses = llvm::divideCeil(bytesOfLane(registers), kWidestAccessBytes);
  return {.unit = StageUnit::Shared,
          .clocks = clocks,
          .issue = accesses * target.costs->issue,
          .latency = isStore ? 0 : target.costs->sharedLatency,
          .endsInStage = true};
}

/// True if the code of a load replaces the elements that are masked off, after the load, by an instruction in the stage
/// of the load (ConvertLaneToRocdl.cpp). Loads of NVIDIA GPUs leave registers unchanged if they are masked off, and
/// buffer loads return zeros.
static bool selectsLoaded(Operation *op, const TargetInfo &target) {
  auto load = dyn_cast<hk::LoadOp>(op);
  return load && load.getMask() && load.getOther() && target.selectsMaskedLoads;
}

static StageNode memoryCost(Operation *op, hk::GlobalAccess access, const TargetInfo &target) {
  const CostTable &costs = *target.costs;
  Type accessed = access.getGlobalAddresses().accessed;
  int64_t elements = 1;
  if (auto tile = dyn_cast<RankedTensorType>(accessed))
    elements = tile.getNumElements();
  int64_t bytes = elements * hk::storageBits(getElementTypeOrSelf(accessed)) / 8;
  bool isStore = op->getNumResults() == 0 && !isa<hk::AsyncAccess>(op);
  return {.unit = StageUnit::Memory,
          .clocks = int64_t(llvm::divideCeil(bytes / 2, costs.memoryBytesPerClock)),
          .issue = int64_t(llvm::divideCeil(bytesOfLane(accessed), kWidestAccessBytes)) * costs.issue,
          .latency = isStore ? 0 : costs.memoryLatency,
          .endsInStage = selectsLoaded(op, target)};
}

/// Returns the cost of a copy between global memory and `tile` that a single thread issues.
static StageNode bulkCost(hk::MemDescType tile, const CostTable &costs) {
  int64_t bytes = hk::storageBits(tile.getElementType()) / 8;
  for (int64_t size : tile.getShape())
    bytes *= size;
  return {.unit = StageUnit::Memory,
          .clocks = int64_t(llvm::divideCeil(bytes / 2, costs.memoryBytesPerClock)),
          .issue = costs.issue,
          .latency = costs.memoryLatency};
}

/// Returns the clocks of the instructions that compute one register of the result of `op`.
static int64_t vectorClocks(Operation *op, const CostTable &costs) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SinOp, math::CosOp, math::TanhOp, math::RsqrtOp,
            math::SqrtOp>([&](auto) { return costs.transcendental; })
      .Case<arith::DivFOp, arith::RemFOp, math::PowFOp, math::ErfOp>([&](auto) { return costs.division; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>([&](auto) { return 2 * costs.division; })
      .Default([&](Operation *) { return costs.vector; });
}

/// True if the body of the loop that contains `op` contains MMAs.
static bool isBesideMma(Operation *op) {
  while (isa_and_nonnull<hk::ElementRegion>(op->getParentOp()))
    op = op->getParentOp();
  return llvm::any_of(*op->getBlock(), [](Operation &other) { return isa<hk::MatrixTime>(other); });
}

/// True if one instruction computes two elements of the result of `op`: conversions to 16 bits and, on AMD, packed
/// float32 arithmetic. Packed float32 instructions cannot execute beside MFMAs, so the back end divides them in loops
/// with MFMAs (ScalarizeF32BesideMfma.h).
static bool computesPairs(Operation *op, const CostTable &costs) {
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return hk::storageBits(getElementTypeOrSelf(truncate.getType())) == 16;
  return costs.packedWait > 0 && !isBesideMma(op) &&
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// Returns the number of instructions that combine the elements that a lane holds, and then those of several lanes.
static int64_t instructionsOf(hk::ReduceOp op, int64_t each, const CostTable &costs) {
  const ReducePlan plan = hk::planReduce(cast<RankedTensorType>(op.getSrcs().front().getType()), op.getAxis());
  int64_t combined = 0;
  for (const std::vector<unsigned> &group : plan.groups)
    combined += int64_t(group.size()) - 1;
  // One instruction computes two sums, or the maximum of three values.
  Operation &combine = op.getCombine().front().front();
  if (computesPairs(&combine, costs) || (costs.packedWait > 0 && isa<arith::MaxNumFOp, arith::MaximumFOp>(combine)))
    combined = llvm::divideCeil(combined, 2);
  const int64_t exchanged = int64_t(plan.laneSteps.size() * plan.groups.size());
  return combined * each + exchanged * (each + costs.vector);
}

/// Returns the clocks for which a warp waits while `op` exchanges values between lanes. On AMD GPUs, the exchanges are
/// accesses of LDS, and each step of the reduction uses the result of the previous step. Swaps of lanes are arithmetic.
/// Beside MMAs, the exchanges cost no clocks: with them, the stages of attention for gfx942 (head size 64) with the best
/// estimate would take 3456 clocks by the schedule model of the machine code, and take 2640 clocks without them.
static int64_t latencyOfExchanges(hk::ReduceOp op, const TargetInfo &target) {
  if (!target.exchangesThroughShared || isBesideMma(op))
    return 0;
  const ReducePlan plan = hk::planReduce(cast<RankedTensorType>(op.getSrcs().front().getType()), op.getAxis());
  return target.costs->sharedLatency * llvm::count_if(plan.laneSteps, [&](const ReduceLaneStep &step) {
           return !(step.laneXor & target.laneSwapMasks);
         });
}

/// Returns the number of instructions that move elements between the registers and lanes of a warp.
static int64_t instructionsOf(hk::ConvertLayoutOp op, const TargetInfo &target) {
  std::optional<ConvertLayoutPlan> plan = hk::planConvertLayout(op.getSrc().getType(), op.getType(), target);
  if (plan && std::holds_alternative<RegisterMoves>(*plan))
    return 0;
  auto *moves = plan ? std::get_if<ShuffleMoves>(&*plan) : nullptr;
  return moves ? moves->cost() : registersOf(op.getType());
}

static StageNode vectorCost(Operation *op, const TargetInfo &target) {
  const CostTable &costs = *target.costs;
  int64_t registers = 0;
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (isa<RankedTensorType>(type))
        registers = std::max(registers, registersOf(type));
  int64_t each = vectorClocks(op, costs);
  if (auto convert = dyn_cast<hk::ConvertLayoutOp>(op)) {
    registers = instructionsOf(convert, target);
  } else if (!isa<hk::ElementRegion>(op) && op->getNumRegions() > 0) {
    registers = 0; // a branch: the operations in its regions count separately
  } else if (op->getNumRegions() > 0) {
    // The region of an operation computes one element of the result; the region of a MapOp computes `pack` elements.
    // Operations in branches of the region do not count, because lanes may skip the branches.
    each = 0;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        each += inner.getNumResults() > 0 && inner.getNumRegions() == 0 ? vectorClocks(&inner, costs) : 0;
    if (auto map = dyn_cast<hk::MapOp>(op))
      registers = llvm::divideCeil(registers, map.getPack());
    if (auto reduce = dyn_cast<hk::ReduceOp>(op)) {
      each = instructionsOf(reduce, each, costs);
      registers = 1;
    }
  } else if (computesPairs(op, costs)) {
    registers = llvm::divideCeil(registers, 2);
  }
  if (auto dot = dyn_cast<hk::DotFmaOp>(op))
    registers = registersOf(dot.getAcc().getType()) * dot.getA().getType().getShape().back();
  const int64_t clocks = registers * each;
  const bool branches = hasBranches(op);
  auto reduce = dyn_cast<hk::ReduceOp>(op);
  const int64_t latency = reduce ? latencyOfExchanges(reduce, target) : 0;
  return {.unit = StageUnit::Vector,
          .clocks = clocks,
          .issue = clocks + (branches ? costs.branch : 0),
          .latency = latency,
          .endsInStage = latency > 0,
          .hasBranches = branches};
}

// Operations ----------------------------------------------------------------------------------------------------------

bool isFree(Operation *op) {
  if (!isMemoryEffectFree(op) || isa<hk::MatrixTime>(op))
    return false;
  if (isa<hk::SplatOp, hk::ExpandDimsOp, hk::BroadcastOp, hk::ReshapeOp, hk::PermuteOp, hk::SetLayoutOp, hk::JoinOp,
          hk::SplitOp, hk::MemDescView>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return true;
  auto usesTensor = [](Operation *inner) {
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    return llvm::any_of(inner->getOperandTypes(), isTensor) || llvm::any_of(inner->getResultTypes(), isTensor);
  };
  return !op->walk([&](Operation *inner) { return WalkResult(failure(usesTensor(inner))); }).wasInterrupted();
}

StageNode costOf(Operation *op) {
  const TargetInfo &target = hk::targetOf(op);
  if (auto matrix = dyn_cast<hk::MatrixTime>(op))
    return matrixCost(matrix, *target.costs);
  auto access = dyn_cast<hk::RegisterAccess>(op);
  RankedTensorType registers = access ? access.getRegisters() : RankedTensorType();
  if (hk::MemDescType tile = sharedTileOf(op); registers && tile)
    return sharedCost(op, registers, tile, target);
  if (auto global = dyn_cast<hk::GlobalAccess>(op))
    return memoryCost(op, global, target);
  if (auto barrier = dyn_cast<hk::SharedBarrierUse>(op))
    return {.isArrival = barrier.signalsAll()};
  if (isa<hk::AsyncAccess>(op))
    return bulkCost(sharedTileOf(op), *target.costs);
  return isFree(op) || isa<hk::AsyncCommit, hk::SchedBarrierOp>(op) ? StageNode{} : vectorCost(op, target);
}

void addCost(StageNode &whole, const StageNode &part) {
  // The merged node occupies a single unit: the unit of the node with more clocks. The operations on the other unit
  // contribute only their issue time.
  bool isMain = part.clocks > whole.clocks;
  const StageNode main = isMain ? part : whole;
  whole.issue = main.unit == StageUnit::Matrix || main.unit == StageUnit::Vector
                    ? std::max(main.issue, whole.issue + part.issue)
                    : whole.issue + part.issue;
  whole.spare = main.spare;
  whole.clocks = whole.unit == part.unit ? whole.clocks + part.clocks : main.clocks;
  whole.unit = main.unit;
  whole.parts = main.parts;
  whole.latency = std::max(whole.latency, part.latency);
  whole.endsInStage |= part.endsInStage;
  whole.isAsync |= part.isAsync;
  whole.hasBranches |= part.hasBranches;
  whole.isArrival |= part.isArrival;
}

} // namespace hocket
