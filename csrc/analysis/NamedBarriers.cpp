//===- NamedBarriers.cpp - Numbers of a block's named barriers ----------------------------------===//
#include "analysis/NamedBarriers.h"
#include "dialect/hk/facts/ModuleFacts.h"

using namespace mlir;

namespace hocket {

NamedBarriers::NamedBarriers(Operation *function) : total(hk::targetOf(function).namedBarriers) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto partitions = dyn_cast<hk::WarpSpecializeOp>(op))
      workers = std::max(workers, static_cast<int>(partitions.getWorkerOps().size()));
    if (auto use = dyn_cast<hk::NamedBarrierUse>(op))
      uses[use.getBarrier()].push_back(use);
  });
}

std::string NamedBarriers::describe() const {
  std::string ofWorkers =
      workers == 1 ? "its worker uses one" : "its " + std::to_string(workers) + " workers use one each";
  std::string text = "a block has " + std::to_string(total) + ", and " + ofWorkers + ", besides two for all warps";
  return uses.empty() ? text : text + " and " + std::to_string(uses.size()) + " that the kernel allocates";
}

} // namespace hocket
