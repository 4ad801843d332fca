//===- Rows.cpp - Collects batches of operations that share a rendezvous -------------------===//
#include "conversion/lane_to_host/matrix/Rows.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

bool isArithmeticOfLane(Operation *op) {
  if (isa<ROCDL::SchedBarrier, ROCDL::SchedGroupBarrier>(op))
    return true;
  return isa<LLVM::LLVMDialect>(op->getDialect()) && isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<LLVM::CallIntrinsicOp, LLVM::CallOp, LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op);
}

/// Returns the operation after `op`, which can be in the next basic block, because checks of accesses split blocks.
static Operation *nextOf(Operation *op) {
  if (Operation *next = op->getNextNode())
    return next;
  Block *block = op->getBlock()->getNextNode();
  return block ? &block->front() : nullptr;
}

Row::Row(ArrayRef<Operation *> operations) : operations(operations) {
  for (Operation *op : operations)
    given.insert_range(op->getResults());
  for (Operation *op = operations.front(); op != operations.back(); op = nextOf(op))
    pass(op);
}

bool Row::dependsOnRow(Operation *op) const {
  return llvm::any_of(op->getOperands(), [&](Value value) { return gives(value); });
}

void Row::pass(Operation *op) {
  if (!dependsOnRow(op) || llvm::is_contained(operations, op))
    return;
  dependents.push_back(op);
  given.insert_range(op->getResults());
}

bool Row::canGoOn(llvm::function_ref<bool(Operation *)> isNext, llvm::function_ref<bool(Operation *)> mayPass) {
  for (Operation *op = operations.back()->getNextNode(); op; op = op->getNextNode()) {
    if (isNext(op))
      return true;
    if (!isArithmeticOfLane(op) && (dependsOnRow(op) || !mayPass(op)))
      return false;
    pass(op);
  }
  return false;
}

void Row::moveDependents(Operation *place) {
  for (Operation *op : dependents)
    op->moveBefore(place);
}

} // namespace hocket
