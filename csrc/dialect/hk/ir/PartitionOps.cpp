//===- PartitionOps.cpp - Operations of PartitionOps.td: verification, control flow, constants -===//
#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace hocket::hk {

// hk.warp_specialize --------------------------------------------------------------------------------------------------

LogicalResult WarpSpecializeOp::verify() {
  auto yield = getBody().front().empty() ? WarpYieldOp() : dyn_cast<WarpYieldOp>(getBody().front().back());
  if (!yield)
    return emitOpError() << "has a body that does not end with hk.warp_yield";
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError() << "has results of (" << getResultTypes() << "), but its body yields ("
                         << yield.getOperandTypes() << ")";
  Block &workers = getWorkers().front();
  if (workers.empty() || !llvm::all_of(workers, llvm::IsaPred<WorkerOp>))
    return emitOpError() << "needs at least one worker, and only workers, in its second region";
  if ((*this)->getParentOfType<WarpSpecializeOp>())
    return emitOpError() << "is in a partition of another one";
  return success();
}

SmallVector<WorkerOp, 4> WarpSpecializeOp::getWorkerOps() {
  return llvm::to_vector<4>(getWorkers().getOps<WorkerOp>());
}

/// Control flow never enters the region that holds the workers, because workers run on other warps.
void WarpSpecializeOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getBody());
  else
    successors.emplace_back(*this, getResults());
}

/// No warp leaves the operation before all warps have reached its end, so no other operation is concurrent with its
/// regions.
std::pair<Operation *, Operation *> WarpSpecializeOp::getConcurrentOps() { return {*this, *this}; }

/// Returns the size in bytes of the scratch memory that passes values to the workers. The first slot of this memory (8
/// bytes) holds the number of the worker to run; each register of a captured value takes one more slot.
int64_t WarpSpecializeOp::getHandOverBytes() {
  int64_t slots = 1;
  for (WorkerOp worker : getWorkerOps())
    for (Type type : worker.getCaptures().getTypes()) {
      auto handle = dyn_cast<MemDescType>(type);
      slots += handle ? 1 + handle.getRank() : 1;
    }
  return slots * kHandOverSlotBytes;
}

// hk.worker -----------------------------------------------------------------------------------------------------------

LogicalResult WorkerOp::verify() {
  if (int numWarps = getNumWarps(); numWarps < 1 || numWarps > 8 || !llvm::isPowerOf2_32(numWarps))
    return emitOpError() << "runs on 1, 2, 4 or 8 warps, not " << numWarps;
  if (std::optional<uint32_t> registers = getNumRegs();
      registers && (*registers % kRegisterUnit || *registers < kFewestRegisters || *registers > kMostRegisters))
    return emitOpError() << "has a number of registers that is not a multiple of 8 from 24 to 256: " << *registers;
  if (getBody().getArgumentTypes() != getCaptures().getTypes())
    return emitOpError() << "captures (" << getCaptures().getTypes() << "), but its arguments are ("
                         << getBody().getArgumentTypes() << ")";
  if (llvm::any_of(getCaptures().getTypes(), llvm::IsaPred<RankedTensorType>))
    return emitOpError() << "captures a tensor, which is in the registers of other warps";
  return success();
}

int WorkerOp::getNumWarpsIn(Region &) { return getNumWarps(); }

OperandRange WorkerOp::getEntrySuccessorOperands(RegionSuccessor) { return getCaptures(); }

void WorkerOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getBody(), getBody().getArguments());
  else
    successors.emplace_back(*this, (*this)->getResults());
}

/// Rematerializes captured constants inside the worker, and drops unused captures.
LogicalResult WorkerOp::canonicalize(WorkerOp op, PatternRewriter &rewriter) {
  llvm::BitVector dropped(op.getCaptures().size());
  rewriter.setInsertionPointToStart(&op.getBody().front());
  for (auto [index, captured, argument] : llvm::enumerate(op.getCaptures(), op.getBody().getArguments())) {
    bool isConstant = matchPattern(captured, m_Constant());
    if (isConstant && !argument.use_empty())
      rewriter.replaceAllUsesWith(argument, rewriter.clone(*captured.getDefiningOp())->getResult(0));
    dropped[index] = isConstant || argument.use_empty();
  }
  if (dropped.none())
    return rewriter.notifyMatchFailure(op, "has no constant and no unused captures");
  rewriter.modifyOpInPlace(op, [&] {
    op.getBody().front().eraseArguments(dropped);
    op->eraseOperands(dropped);
  });
  return success();
}

} // namespace hocket::hk
