//===- Barriers.cpp - Merges fences and waits into the barriers next to them ---------===//
//
//   wait_for_copies(..., false)                    wait_for_copies(..., true)
//   fence(lane, releases)                     ->
//   barrier(lane, id, threads, site, 0, 0)         barrier(lane, id, threads, site, releases, acquires)
//   fence(lane, acquires)
//
// Each lane executes a separate call of a fence, whereas a barrier can apply its fences once for a whole warp. Lanes of
// a warp that all arrive at a barrier need no separate convergence before a wait for copies.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "dialect/lane/LaneFacts.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

using host_abi::FenceEffects;
using host_abi::SiteNumber;

std::string nameOfBarrier(Operation *op) {
  auto number = lane::kNamedBarrierAttr.getAttr(op);
  return number ? "named barrier " + std::to_string(number.getInt()) : "";
}

void callBarrier(HostFunction &host, Operation *op, CallArgument<uint32_t> id, CallArgument<uint32_t> threads,
                 FenceEffects before, FenceEffects after) {
  SiteNumber site = host.sites.add(op, {.kind = host_abi::SiteKind::Barrier, .message = nameOfBarrier(op)});
  calls::barrier(host, id, threads, site, before, after);
}

/// Returns the operation before `op`, which can be in another basic block, because checks of accesses split blocks.
static Operation *previousOf(Operation *op) {
  if (Operation *previous = op->getPrevNode())
    return previous;
  Block *block = op->getBlock()->getSinglePredecessor();
  auto check = block ? dyn_cast<LLVM::CondBrOp>(block->getTerminator()) : nullptr;
  bool elseFails = check && isa<LLVM::UnreachableOp>(check.getTrueDest()->getTerminator());
  return elseFails ? check->getPrevNode() : nullptr;
}

using Step = llvm::function_ref<Operation *(Operation *)>;

/// Returns the next call after `barrier` in the direction of `step`, skipping fences and operations without memory
/// effects. Returns null if the next call is not a call of `callee`.
template <typename Call>
static LLVM::CallOp findCall(LLVM::CallOp barrier, Step step, const Call &callee) {
  for (Operation *op = step(barrier); op; op = step(op)) {
    if (isa<LLVM::CallOp>(op))
      return callee.match(op);
    if (!isMemoryEffectFree(op) && !isa<LLVM::FenceOp>(op))
      return nullptr;
  }
  return nullptr;
}

static void joinFence(LLVM::CallOp barrier, unsigned place, Step step) {
  LLVM::CallOp fence = findCall(barrier, step, calls::fence);
  if (!fence || !matchPattern(barrier.getOperand(place), m_Zero()))
    return;
  // The constant operand of the fence can be defined after the barrier, because constants are created at their first
  // use.
  Value effects = fence.getOperand(1);
  effects.getDefiningOp()->moveBefore(barrier);
  barrier.setOperand(place, effects);
  fence.erase();
}

void joinToBarriers(HostFunction &host) {
  SmallVector<LLVM::CallOp> barriers;
  host.function().walk([&](LLVM::CallOp call) {
    if (calls::barrier.match(call))
      barriers.push_back(call);
  });
  for (LLVM::CallOp barrier : barriers) {
    constexpr unsigned kBefore = 4, kAfter = 5, kIsAtBarrier = 4;
    joinFence(barrier, kBefore, previousOf);
    joinFence(barrier, kAfter, [](Operation *op) { return op->getNextNode(); });
    if (LLVM::CallOp wait = findCall(barrier, previousOf, calls::waitForCopies)) {
      host.at(wait);
      wait.setOperand(kIsAtBarrier, host.i1(true));
    }
  }
}

} // namespace hocket
