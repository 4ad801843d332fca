//===- PartitionPlan.cpp - Assignment of warps and registers to partitions ---------------------===//
#include "dialect/hk/facts/PartitionPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace hocket::hk {

/// Maximum number of a lane's registers that instructions can address, even if the lane owns more.
static constexpr int kMostUsableRegisters = 248;

WorkerWarps assignWorkerWarps(int launchWarps, llvm::ArrayRef<WorkerNeeds> workers) {
  WorkerWarps workerWarps = {.firstWarps = llvm::SmallVector<int>(workers.size()), .blockWarps = launchWarps};
  auto largestFirst = llvm::to_vector(llvm::seq<size_t>(0, workers.size()));
  llvm::sort(largestFirst, [&](size_t a, size_t b) {
    return std::pair(-workers[a].numWarps, a) < std::pair(-workers[b].numWarps, b);
  });
  llvm::SmallVector<bool> isTaken(launchWarps, true);
  for (size_t worker : largestFirst) {
    int numWarps = workers[worker].numWarps, step = std::min(numWarps, kWarpsPerWarpgroup), first = 0;
    auto isFree = [&](int warp) { return warp >= int(isTaken.size()) || !isTaken[warp]; };
    while (!llvm::all_of(llvm::seq(first, first + numWarps), isFree))
      first += step;
    workerWarps.firstWarps[worker] = first;
    workerWarps.blockWarps = std::max(workerWarps.blockWarps, first + numWarps);
    isTaken.resize(std::max<size_t>(isTaken.size(), first + numWarps));
    std::fill_n(isTaken.begin() + first, numWarps, true);
  }
  bool hasBudgets = llvm::any_of(workers, [](const WorkerNeeds &worker) { return worker.numRegisters > 0; });
  if (hasBudgets)
    workerWarps.blockWarps = int(llvm::alignTo(workerWarps.blockWarps, kWarpsPerWarpgroup));
  return workerWarps;
}

RegisterBudgets planRegisters(int launchWarps, llvm::ArrayRef<WorkerNeeds> workers, const WorkerWarps &workerWarps,
                              int blockWarps, int warpSize, int blockRegisters, int atMost) {
  auto inUnits = [](int registers) { return int(llvm::alignDown(registers, kRegisterUnit)); };
  RegisterBudgets budgets;
  budgets.atEntry = inUnits(std::min({blockRegisters / (blockWarps * warpSize), atMost, kMostUsableRegisters}));
  budgets.ofGroups.assign((blockWarps - launchWarps) / kWarpsPerWarpgroup, 0);
  for (auto [worker, first] : llvm::zip_equal(workers, workerWarps.firstWarps))
    for (int warp = first; warp < first + worker.numWarps; warp += kWarpsPerWarpgroup) {
      int &group = budgets.ofGroups[(warp - launchWarps) / kWarpsPerWarpgroup];
      group = std::max(group, worker.numRegisters);
    }
  int left = budgets.atEntry * blockWarps;
  for (int &group : budgets.ofGroups) {
    if (group == 0)
      group = budgets.atEntry;
    left -= group * kWarpsPerWarpgroup;
  }
  budgets.ofLaunch = inUnits(std::min(std::max(left, 0) / launchWarps, kMostUsableRegisters));
  return budgets;
}

} // namespace hocket::hk
