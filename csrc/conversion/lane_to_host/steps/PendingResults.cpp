//===- PendingResults.cpp - Tracks results for which an operation must wait -------------===//
#include "conversion/lane_to_host/steps/PendingResults.h"

#include "conversion/lane_to_host/ops/VectorArithmetic.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace hocket {

PendingResults::PendingResults(LLVM::LLVMFuncOp kernel, llvm::function_ref<bool(Operation *)> isLate) {
  SmallVector<Value> worklist;
  kernel.walk([&](Operation *op) {
    if (op->getNumResults() == 0 || !isLate(op))
      return;
    numbers[op] = uint32_t(operations.size());
    for (Value result : op->getResults()) {
      results[result] = {uint32_t(operations.size())};
      worklist.push_back(result);
    }
    operations.push_back(op);
  });
  while (!worklist.empty())
    handOn(worklist.pop_back_val(), worklist);
}

/// Propagates the numbers of `value` to the values that moves and branches define from `value`. Adds values with new
/// numbers to `worklist`.
void PendingResults::handOn(Value value, SmallVectorImpl<Value> &worklist) {
  ResultNumbers handed = results[value];
  auto addTo = [&](Value other) {
    ResultNumbers &known = results[other];
    ResultNumbers joined;
    std::set_union(known.begin(), known.end(), handed.begin(), handed.end(), std::back_inserter(joined));
    if (joined.size() == known.size())
      return;
    known = std::move(joined);
    worklist.push_back(other);
  };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (movesOnly(user))
      addTo(user->getResult(0));
    if (auto branch = dyn_cast<BranchOpInterface>(user))
      if (auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
        addTo(*argument);
  }
}

int32_t PendingResults::numberOf(Operation *op) const {
  auto found = numbers.find(op);
  return found == numbers.end() ? -1 : int32_t(found->second);
}

ArrayRef<uint32_t> PendingResults::of(Value value) const {
  auto found = results.find(value);
  return found == results.end() ? ArrayRef<uint32_t>() : ArrayRef<uint32_t>(found->second);
}

} // namespace hocket
