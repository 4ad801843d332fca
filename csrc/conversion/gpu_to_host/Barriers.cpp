//===- Barriers.cpp - Barriers, and the fences around them -----------------------------===//
//
//   fence(lane, releases)
//   barrier(lane, id, threads, site, 0, 0)    ->   barrier(lane, id, threads, site, releases, acquires)
//   fence(lane, acquires)
//
// Each lane makes every call; what a barrier knows of its fences it can do once for a whole warp.
//
//===------------------------------------------------------------------------------===//
#include "conversion/gpu_to_host/Conversions.h"
#include "conversion/gpu_to_host/Rows.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

void callBarrier(HostFunction &host, Operation *op, Value id, Value threads, uint32_t before, uint32_t after) {
  Value site = host.site(op, {.kind = host_abi::SiteKind::Barrier});
  host.call(host_abi::kBarrier, nullptr, {host.lane(), id, threads, site, host.i32(before), host.i32(after)});
}

/// The fence that `step` leads to from `barrier`, if nothing but arithmetic is in between.
static LLVM::CallOp findFence(LLVM::CallOp barrier, Operation *(Operation::*step)()) {
  for (Operation *op = (barrier.getOperation()->*step)(); op; op = (op->*step)()) {
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      return call.getCallee() == host_abi::kFence ? call : nullptr;
    if (!isArithmeticOfLane(op) && !isa<LLVM::FenceOp>(op))
      return nullptr;
  }
  return nullptr;
}

void joinFencesToBarriers(HostFunction &host) {
  SmallVector<LLVM::CallOp> barriers;
  host.function().walk([&](LLVM::CallOp call) {
    if (call.getCallee() == host_abi::kBarrier)
      barriers.push_back(call);
  });
  for (LLVM::CallOp barrier : barriers) {
    auto join = [&](unsigned place, Operation *(Operation::*step)()) {
      LLVM::CallOp fence = findFence(barrier, step);
      if (!fence || !matchPattern(barrier.getOperand(place), m_Zero()))
        return;
      // Constants are made where they are needed, so the other fence's may come too late.
      Value effects = fence.getOperand(1);
      effects.getDefiningOp()->moveBefore(barrier);
      barrier.setOperand(place, effects);
      fence.erase();
    };
    constexpr unsigned kBefore = 4, kAfter = 5;
    join(kBefore, &Operation::getPrevNode);
    join(kAfter, &Operation::getNextNode);
  }
}

} // namespace hocket
