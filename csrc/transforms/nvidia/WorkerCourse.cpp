//===- WorkerCourse.cpp - Finds the static order in which workers are launched ----------===//
#include "transforms/nvidia/WorkerCourse.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace hocket {

/// True if `block` is in a cycle of the control flow graph.
static bool isInCycle(Block *block) {
  llvm::SmallPtrSet<Block *, 16> seen;
  SmallVector<Block *> toVisit(block->getSuccessors());
  while (!toVisit.empty()) {
    Block *reached = toVisit.pop_back_val();
    if (reached == block)
      return true;
    if (seen.insert(reached).second)
      llvm::append_range(toVisit, reached->getSuccessors());
  }
  return false;
}

std::optional<SmallVector<Operation *>> findCourse(LLVM::LLVMFuncOp kernel, ArrayRef<Operation *> events) {
  SmallVector<LLVM::ReturnOp> returns;
  kernel.walk([&](LLVM::ReturnOp end) { returns.push_back(end); });
  if (returns.size() != 1)
    return std::nullopt;
  DominanceInfo dominance(kernel);
  for (Operation *event : events)
    if (!dominance.dominates(event->getBlock(), returns.front()->getBlock()) || isInCycle(event->getBlock()))
      return std::nullopt;
  SmallVector<Operation *> course(events);
  llvm::sort(course, [&](Operation *a, Operation *b) { return dominance.properlyDominates(a, b); });
  return course;
}

} // namespace hocket
