//===- FenceScanner.cpp - Finds the proxy fences that a function lacks -------------------------===//
#include "transforms/proxy_fences/FenceScanner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

FenceScanner::FenceScanner(func::FuncOp function)
    : function(function), accesses(function), signals(function, accesses.sharedAliases()) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    positions[op] = unsigned(positions.size());
    if (isa<hk::AsyncProxyAccess>(op))
      asyncAccesses.push_back(op);
  });
}

ArrayRef<FenceScanner::Fence> FenceScanner::findFences() {
  for (;;) {
    scanFunction();
    addPublished();
    auto isPresent = [&](const Fence &fence) { return hasFence(fence.memory, fence.before); };
    llvm::erase_if(wanted, isPresent);
    if (wanted.empty())
      return fences;
    // Selects the fence that is executed first after the store. A fence that precedes the store in the program is
    // ranked last, because only the next iteration executes it after the store.
    auto rank = [&](const Fence &fence) {
      unsigned position = positions.lookup(fence.before);
      return std::pair(position < positions.lookup(fence.store), position);
    };
    auto first = llvm::min_element(wanted, [&](const Fence &a, const Fence &b) { return rank(a) < rank(b); });
    points[unsigned(first->memory)].insert(first->before);
    fences.push_back(*first);
  }
}

void FenceScanner::scanFunction() {
  published.clear();
  wanted.clear();
  for (Block &block : function.getBody()) {
    Stores stores;
    scanBlock(block, stores);
  }
}

/// Adds `more` to `stores`; returns true if that changes `stores`.
bool FenceScanner::join(Stores &stores, const Stores &more) {
  bool isNew = false;
  for (const auto &[store, unfenced] : more) {
    auto [known, isAdded] = stores.try_emplace(store, unfenced);
    if (isAdded) {
      isNew = true;
      continue;
    }
    for (Operation *barrier : unfenced.last)
      isNew |= known->second.last.insert(barrier);
    if (known->second.isFenced && !unfenced.isFenced) {
      known->second.isFenced = false;
      isNew = true;
    }
  }
  return isNew;
}

// Fences --------------------------------------------------------------------------------------------------------------

/// Returns an insertion point for a fence between `store` and `point`: `point`, or the outermost loop around `point`
/// that does not contain `store`.
static Operation *outOfLoops(Operation *store, Operation *point) {
  Operation *at = point;
  while (at) {
    if (Operation *ancestor = at->getBlock()->findAncestorOpInBlock(*store))
      return ancestor->isBeforeInBlock(at) ? at : at->getBlock()->getTerminator();
    at = at->getParentOp();
  }
  return point;
}

void FenceScanner::want(ProxyMemory memory, Operation *point, Operation *store, Operation *access) {
  wanted.push_back({memory, memory == ProxyMemory::Global ? outOfLoops(store, point) : point, store, access});
}

/// Updates `stores` for a fence, which is `op` itself or is inserted before `op`.
void FenceScanner::fence(ProxyMemory memory, Operation *op, Stores &stores) const {
  Operation *partition = partitionOf(op);
  stores.remove_if([&](auto &entry) {
    auto &[store, unfenced] = entry;
    if (ProxyMemory(store.second) != memory || partitionOf(store.first) != partition)
      return false;
    unfenced.last.remove(nullptr);
    unfenced.isFenced = true;
    return unfenced.last.empty();
  });
}

/// True if all warps of the partition, or of the block, wait for each other at `op`.
bool FenceScanner::isBarrier(Operation *op) const {
  auto cluster = dyn_cast<hk::ClusterBarrierOp>(op);
  return isa<hk::BarrierOp, hk::WarpSpecializeOp>(op) || (cluster && !cluster.getRelaxed()) || accesses.usesScratch(op);
}

void FenceScanner::barrier(Operation *op, Stores &stores) const {
  Operation *partition = partitionOf(op);
  stores.remove_if([&](auto &entry) {
    auto &[store, unfenced] = entry;
    if (partitionOf(store.first) != partition)
      return false;
    unfenced.last.clear();
    unfenced.last.insert(op);
    return unfenced.isFenced;
  });
}

/// Updates `stores` for the signal `op`. A signal covers all earlier stores, including the stores since the last
/// barrier.
void FenceScanner::addSignal(Operation *op, Stores &stores) {
  Operation *partition = partitionOf(op);
  for (auto &[store, unfenced] : stores) {
    if (partitionOf(store.first) != partition)
      continue;
    bool isPassedOn = !unfenced.isFenced || !Signals::isPerWarp(op) || unfenced.last.contains(nullptr);
    if (unfenced.last.remove(nullptr))
      unfenced.last.insert(op);
    if (isPassedOn)
      published.push_back({store.first, op, ProxyMemory(store.second), llvm::to_vector<2>(unfenced.last)});
  }
}

// Accesses ------------------------------------------------------------------------------------------------------------

/// True if a fence between `op` and the preceding mbarrier wait makes asynchronous stores of other lanes visible to
/// `op`.
bool FenceScanner::showsRemoteStores(Operation &op) const {
  for (Operation *before = &op; before; before = before->getPrevNode()) {
    if (hasFence(ProxyMemory::Shared, before))
      return true;
    if (before == &op)
      continue;
    if (auto fence = dyn_cast<hk::ProxyFenceOp>(before); fence && !fence.getGlobal())
      return true;
    if (isa<hk::SharedBarrierUse>(before) || before->getNumRegions())
      return false;
  }
  return false;
}

void FenceScanner::access(Operation &op, Stores &stores) {
  if (Operation *store = accesses.remoteStoreTo(&op); store && !showsRemoteStores(op)) {
    want(ProxyMemory::Shared, &op, store, &op);
    fence(ProxyMemory::Shared, &op, stores);
  }
  for (ProxyMemory memory : kProxyMemories) {
    llvm::SmallPtrSet<Operation *, 4> found;
    for (auto &[store, unfenced] : stores) {
      if (ProxyMemory(store.second) != memory || !accesses.mayOverlap(&op, store.first, memory))
        continue;
      for (Operation *barrier : unfenced.last) {
        found.insert(barrier);
        want(memory, barrier ? barrier : &op, store.first, &op);
      }
    }
    // A fence makes all preceding stores visible, not only the stores for which it is inserted.
    if (!found.empty())
      stores.remove_if([&](const auto &entry) {
        const auto &[store, unfenced] = entry;
        return ProxyMemory(store.second) == memory &&
               llvm::all_of(unfenced.last, [&](Operation *barrier) { return found.contains(barrier); }) &&
               (memory == ProxyMemory::Shared || accesses.mayOverlap(&op, store.first, memory));
      });
  }
}

/// Requests a fence before the first signal that covers a store, if an async access in another partition possibly
/// relies on this signal.
void FenceScanner::addPublished() {
  llvm::DenseSet<Store> done;
  for (const Published &it : published) {
    Store store = {it.store, unsigned(it.memory)};
    auto relies = [&](Operation *access) {
      return accesses.mayOverlap(access, it.store, it.memory) &&
             signals.mayReach(it.signal, access, accesses.reachesOtherBlocks(access, it.memory));
    };
    auto access = done.contains(store) ? asyncAccesses.end() : llvm::find_if(asyncAccesses, relies);
    if (access == asyncAccesses.end())
      continue;
    done.insert(store);
    for (Operation *point : it.points)
      want(it.memory, point, it.store, *access);
  }
}

// Control flow --------------------------------------------------------------------------------------------------------

void FenceScanner::scanOp(Operation &op, Stores &stores) {
  for (ProxyMemory memory : kProxyMemories)
    if (hasFence(memory, &op))
      fence(memory, &op, stores);
  if (auto written = dyn_cast<hk::ProxyFenceOp>(op))
    return fence(written.getGlobal() ? ProxyMemory::Global : ProxyMemory::Shared, &op, stores);
  if (isa<hk::AsyncProxyAccess>(op))
    return access(op, stores);
  if (isBarrier(&op))
    barrier(&op, stores);
  if (Signals::isSignal(&op))
    addSignal(&op, stores);
  for (ProxyMemory memory : kProxyMemories)
    if (accesses.stores(&op, memory)) {
      Unfenced &unfenced = stores[{&op, unsigned(memory)}];
      unfenced.last.insert(nullptr);
      unfenced.isFenced = false;
    }
  if (!op.getNumRegions() || isa<hk::ElementRegion>(op))
    return;
  if (auto partitions = dyn_cast<hk::WarpSpecializeOp>(op))
    return scanPartitions(partitions, stores);
  isa<scf::IfOp>(op) ? scanBranches(op, stores) : scanLoop(op, stores);
}

void FenceScanner::scanBranches(Operation &op, Stores &stores) {
  Stores after;
  for (Region &region : op.getRegions()) {
    Stores taken = stores;
    if (!region.empty())
      scanBlock(region.front(), taken);
    join(after, taken);
  }
  stores = std::move(after);
}

void FenceScanner::scanLoop(Operation &op, Stores &stores) {
  Stores exit;
  do {
    Stores body = stores;
    exit = stores;
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        scanBlock(block, body);
        // An scf.while ends after its condition region, which runs at least once.
        if (isa<scf::WhileOp>(op) && &block == cast<scf::WhileOp>(op).getBeforeBody())
          exit = body;
      }
    if (!join(stores, body))
      break;
  } while (true);
  stores = std::move(exit);
}

/// Scans the partitions of `op`. All warps wait for each other before the partitions begin and after they have ended.
void FenceScanner::scanPartitions(hk::WarpSpecializeOp op, Stores &stores) {
  const Stores before = stores;
  Block &own = op.getBody().front();
  scanBlock(own, stores);
  barrier(own.getTerminator(), stores);
  for (hk::WorkerOp worker : op.getWorkerOps()) {
    Stores inside = before;
    Block &block = worker.getBody().front();
    scanBlock(block, inside);
    barrier(block.getTerminator(), inside);
    inside.remove_if([&](const auto &entry) { return partitionOf(entry.first.first) != worker.getOperation(); });
    stores.remove_if([&](const auto &entry) { return partitionOf(entry.first.first) == worker.getOperation(); });
    join(stores, inside);
  }
}

void FenceScanner::scanBlock(Block &block, Stores &stores) {
  for (Operation &op : block)
    scanOp(op, stores);
}

} // namespace hocket
