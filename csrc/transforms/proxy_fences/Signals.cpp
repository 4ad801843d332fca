//===- Signals.cpp - Determines which partitions may rely on a signal ------------------===//
#include "transforms/proxy_fences/Signals.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

Operation *partitionOf(Operation *op) {
  if (isa<hk::WorkerOp>(op))
    return op;
  return op->getParentOfType<hk::WorkerOp>();
}

/// Returns the memory ordering of an atomic access; relaxed for other operations.
static hk::MemSemantic semanticOf(Operation *op) {
  if (auto atomic = dyn_cast<hk::AtomicRmwOp>(op))
    return atomic.getSem();
  if (auto atomic = dyn_cast<hk::AtomicCasOp>(op))
    return atomic.getSem();
  return hk::MemSemantic::Relaxed;
}

static bool releases(Operation *op) {
  return llvm::is_contained({hk::MemSemantic::Release, hk::MemSemantic::AcqRel}, semanticOf(op));
}

static bool acquires(Operation *op) {
  return llvm::is_contained({hk::MemSemantic::Acquire, hk::MemSemantic::AcqRel}, semanticOf(op));
}

static bool arrivesAtCluster(Operation *op) {
  if (auto arrival = dyn_cast<hk::ClusterArriveOp>(op))
    return !arrival.getRelaxed();
  auto barrier = dyn_cast<hk::ClusterBarrierOp>(op);
  return barrier && !barrier.getRelaxed();
}

static bool waitsForCluster(Operation *op) {
  auto barrier = dyn_cast<hk::ClusterBarrierOp>(op);
  return isa<hk::ClusterWaitOp>(op) || (barrier && !barrier.getRelaxed());
}

bool Signals::isSignal(Operation *op) {
  auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
  return isa<hk::NamedBarrierUse>(op) || (barrier && barrier.signalsAll()) || releases(op) || arrivesAtCluster(op);
}

bool Signals::isPerWarp(Operation *op) {
  auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
  return isa<hk::NamedBarrierUse>(op) || (barrier && barrier.isPerWarp()) || arrivesAtCluster(op);
}

static bool writesHandle(const MemoryAliases &aliases, Operation *op) {
  return llvm::any_of(aliases.usesOf(op), [](const MemoryUse &use) { return use.writes; });
}

Signals::Signals(func::FuncOp function, const MemoryAliases &aliases)
    : aliases(aliases), isInCluster(hk::numCtasOf(function) > 1) {
  function.walk([&](Operation *op) {
    if (isSignal(op))
      signals.push_back(op);
    auto named = dyn_cast<hk::NamedBarrierUse>(op);
    bool isMbarrierWait = isa<hk::SharedBarrierUse>(op) && !writesHandle(aliases, op);
    if ((named && named.waits()) || isMbarrierWait || acquires(op) || waitsForCluster(op))
      waits.push_back(op);
  });
}

/// True if `wait` possibly waits for `signal`.
bool Signals::opens(Operation *signal, Operation *wait) const {
  if (auto named = dyn_cast<hk::NamedBarrierUse>(signal)) {
    auto other = dyn_cast<hk::NamedBarrierUse>(wait);
    return other && other.getBarrier() == named.getBarrier();
  }
  if (releases(signal))
    return acquires(wait);
  if (arrivesAtCluster(signal))
    return waitsForCluster(wait);
  if (!isa<hk::SharedBarrierUse>(wait))
    return false;
  for (const MemoryUse &arrival : aliases.usesOf(signal))
    for (const MemoryUse &use : aliases.usesOf(wait))
      for (const MemoryRegion &region : arrival.regions)
        for (const MemoryRegion &other : use.regions)
          if (region.mayOverlap(other))
            return true;
  return false;
}

bool Signals::mayReach(Operation *signal, Operation *access, bool inOtherBlocks) const {
  // A partition, and a flag that is true if the partition is in another block.
  using Reached = llvm::PointerIntPair<Operation *, 1, bool>;
  llvm::SetVector<Reached> reached;
  auto follow = [&](Operation *from, bool isElsewhere) {
    bool leavesBlock = releases(from) || (isInCluster && !isa<hk::NamedBarrierUse>(from));
    for (Operation *wait : waits)
      if (opens(from, wait)) {
        Operation *partition = partitionOf(wait);
        if (isElsewhere || partition != partitionOf(signal))
          reached.insert(Reached(partition, isElsewhere));
        if (leavesBlock)
          reached.insert(Reached(partition, true));
      }
  };
  follow(signal, false);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *partition = reached[i].getPointer();
    bool isElsewhere = reached[i].getInt();
    for (Operation *next : signals)
      if (partitionOf(next) == partition)
        follow(next, isElsewhere);
  }
  // After the end of workers, other warps can rely on all stores of the workers.
  auto during = signal->getParentOfType<hk::WarpSpecializeOp>();
  bool isConcurrent = during && access->getParentOfType<hk::WarpSpecializeOp>() == during;
  Operation *where = partitionOf(access);
  return (isConcurrent && where != partitionOf(signal) && reached.contains(Reached(where, false))) ||
         (inOtherBlocks && reached.contains(Reached(where, true)));
}

} // namespace hocket
