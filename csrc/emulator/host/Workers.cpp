//===- Workers.cpp - Maps warps of a block to workers of warp_specialize ----------------------------===//
#include "emulator/host/Workers.h"

#include "dialect/hk/facts/PartitionPlan.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace hocket::emulator {

std::vector<Worker> readWorkers(ModuleOp module) {
  std::vector<Worker> workers;
  auto table = module->getAttrOfType<ArrayAttr>(hk::kWorkersAttr);
  if (!table)
    return workers;
  for (auto entry : table.getAsRange<DictionaryAttr>())
    workers.push_back({entry.getAs<StringAttr>("name").str(), uint32_t(entry.getAs<IntegerAttr>("first_warp").getInt()),
                       uint32_t(entry.getAs<IntegerAttr>("num_warps").getInt())});
  return workers;
}

std::string workerOf(const std::vector<Worker> &workers, uint32_t warp) {
  std::string names;
  for (const Worker &worker : workers)
    if (warp >= worker.firstWarp && warp < worker.firstWarp + worker.numWarps)
      names += (names.empty() ? "`" : " or `") + worker.name + "`";
  return names;
}

} // namespace hocket::emulator
