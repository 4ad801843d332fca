//===- LoopSlice.cpp - Backward slices within a loop --------------------------------===//
#include "transforms/prefetch/LoopSlice.h"

#include "transforms/prefetch/LoopAccesses.h"

using namespace mlir;

namespace hocket::prefetch {

void LoopSlice::add(Operation *op, scf::ForOp loop, llvm::function_ref<bool(Operation *)> isBoundary) {
  if (!ops.insert(op))
    return;
  for (Value value : usedValues(op))
    add(value, loop, isBoundary);
}

void LoopSlice::add(Value value, scf::ForOp loop, llvm::function_ref<bool(Operation *)> isBoundary) {
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == loop.getBody() && !isBoundary(op))
    return add(op, loop, isBoundary);
  auto argument = dyn_cast<BlockArgument>(value);
  bool isVariable = argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  if (isVariable && carried.insert(argument))
    add(loop.getTiedLoopYieldedValue(argument)->get(), loop, isBoundary);
}

llvm::SetVector<Operation *> sliceOfIteration(Operation *op, scf::ForOp loop,
                                              llvm::function_ref<bool(Operation *)> isEnd) {
  llvm::SetVector<Operation *> ops;
  ops.insert(op);
  for (unsigned next = 0; next < ops.size(); ++next) {
    if (isEnd(ops[next]))
      continue;
    for (Value value : usedValues(ops[next]))
      if (Operation *from = value.getDefiningOp(); from && from->getBlock() == loop.getBody())
        ops.insert(from);
  }
  return ops;
}

} // namespace hocket::prefetch
