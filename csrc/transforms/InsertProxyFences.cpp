//===- InsertProxyFences.cpp - Show stores to what reads through another proxy -----===//
//
// A product of a warpgroup reads shared memory through a proxy of its own (hk::AsyncProxyAccess), which sees what a
// lane has stored only after a fence of that lane. The lane must come to the fence after its stores and before the
// barrier that orders them before the read:
//
//     local_store x, %a       {a: no barrier since}
//     hk.proxy_fence          <- found at the product, put here
//     hk.barrier local        {a: this barrier}
//     warpgroup_mma %a, ..    reads a: its stores lack a fence, which goes before their last barrier
//
// What lanes of any block store asynchronously (hk_nv.async_store) is there for those who have waited at its mbarrier.
// They need the fence after that wait: it goes right before the read.
//
// Input:   hk with barriers (InsertBarriers.cpp) and structured control flow.
// Output:  the same with hk.proxy_fence; none where a kernel's own is enough, none for copies, which are seen anyway.
// Method:  Scan the program with the stores that lack a fence, each with the barriers that may have been the last
// since.
//          A read that meets such a store asks for a fence before each of these, or before itself where no barrier came
//          in between. A fence before a barrier settles all stores that have come so far; scans are repeated, with the
//          fences that were asked for, until there are no new ones.
//          Stores to a buffer that had the memory before ask for none if lanes alone store to the one that is read: the
//          fence for these comes later.
// Not done: telling slots of a ring apart; a kernel's fence after the barrier, which is too late, is not removed.
// Cost:    nothing for functions without such reads; else a few scans over the operations that touch shared memory.
//
//===------------------------------------------------------------------------------===//
#include "analysis/shared/SharedAliases.h"
#include "dialect/hk/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transforms/Passes.h"
#include "transforms/SyncRecord.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_INSERTPROXYFENCES
#include "transforms/Passes.h.inc"

namespace {

using Barriers = llvm::SmallSetVector<Operation *, 2>;
/// What has come since a store that lacks a fence.
struct Passed {
  /// The barriers that may have been the last; null: none.
  Barriers last;
  /// Those that were when an arrival at a barrier passed the store on (the arrival itself, if there was none): reads
  /// that it orders are after them, and not after later ones.
  Barriers announced;
};
using Hidden = llvm::MapVector<Operation *, Passed>;

class FenceScanner {
public:
  explicit FenceScanner(func::FuncOp function);

  void scanBlock(Block &block, Hidden &hidden);
  /// Before these a fence is needed.
  llvm::SetVector<Operation *> fences;
  /// For each the store and the read.
  llvm::DenseMap<Operation *, std::pair<Operation *, Operation *>> reasons;

private:
  void scanOp(Operation &op, Hidden &hidden);
  void scanRegions(Operation &op, Hidden &hidden);
  void read(Operation &op, Hidden &hidden);
  void pass(Operation &op, Hidden &hidden);
  void leavePartitions(Operation &op, Hidden &hidden);
  bool overlap(const SharedUse &read, Operation *store) const;
  /// An asynchronous store of lanes to what `op` reads; null if there is none, or a fence comes between.
  Operation *remoteStoreTo(Operation &op) const;
  /// What another buffer left where `region` is, lanes have stored over, and the fence for that is enough.
  bool hasBeenStoredSince(const SharedRegion &written, const SharedRegion &region) const {
    return written.getOwner() != region.getOwner() && !ownersCopiedTo.contains(region.getOwner());
  }

  SharedAliases aliases;
  llvm::SmallPtrSet<Operation *, 4> ownersCopiedTo;
  SmallVector<Operation *> remoteStores;
};

} // namespace

FenceScanner::FenceScanner(func::FuncOp function) : aliases(function) {
  function.walk([&](Operation *op) {
    for (const SharedUse &use : aliases.usesOf(op))
      for (const SharedRegion &region : use.regions)
        if (use.writes && use.counter)
          ownersCopiedTo.insert(region.getOwner());
    if (isa<hk::AsyncAccess>(op) && isa<hk::SharedBarrierUse>(op))
      remoteStores.push_back(op);
  });
}

/// Adds `more`; says whether that is news.
static bool join(Hidden &hidden, const Hidden &more) {
  bool isNew = false;
  for (const auto &[store, passed] : more) {
    for (Operation *barrier : passed.last)
      isNew |= hidden[store].last.insert(barrier);
    for (Operation *barrier : passed.announced)
      isNew |= hidden[store].announced.insert(barrier);
  }
  return isNew;
}

/// Whether all warps meet in `op`, after a fence before it: they also do where partitions begin and end.
static bool hasBarrier(Operation *op) {
  auto scratch = dyn_cast<hk::UsesScratch>(op);
  auto cluster = dyn_cast<hk::ClusterBarrierOp>(op);
  return (cluster && !cluster.getRelaxed()) ||
         isa<hk::BarrierOp, hk::WarpSpecializeOp, hk::WarpYieldOp, hk::WorkerEndOp>(op) ||
         (scratch && scratch.getScratchBytes() > 0);
}

/// Whether others may go on after `op`, relying on what the warp has done before: an arrival at an mbarrier, or at a
/// named barrier.
static bool announces(Operation *op) {
  auto barrier = dyn_cast<hk::SharedBarrierUse>(op);
  return isa<hk::NamedBarrierUse>(op) || (barrier && barrier.announcesAll());
}

/// Stores of lanes, not copies.
static bool storesAtOnce(const SharedUse &use) { return use.writes && !use.counter; }

bool FenceScanner::overlap(const SharedUse &read, Operation *store) const {
  for (const SharedUse &use : aliases.usesOf(store))
    for (const SharedRegion &written : use.regions)
      for (const SharedRegion &region : read.regions)
        if (storesAtOnce(use) && !hasBeenStoredSince(written, region) && written.mayOverlap(region))
          return true;
  return false;
}

Operation *FenceScanner::remoteStoreTo(Operation &op) const {
  auto isOf = [&](Operation *store) {
    for (const SharedUse &use : aliases.usesOf(store))
      for (const SharedUse &read : aliases.usesOf(&op))
        for (const SharedRegion &written : use.regions)
          for (const SharedRegion &region : read.regions)
            if (use.writes && use.counter && !read.writes && written.mayOverlap(region))
              return true;
    return false;
  };
  auto store = llvm::find_if(remoteStores, isOf);
  if (store == remoteStores.end())
    return nullptr;
  for (Operation *before = op.getPrevNode(); before; before = before->getPrevNode()) {
    if (isa<hk::ProxyFenceOp>(before) || fences.contains(before))
      return nullptr;
    if (isa<hk::SharedBarrierUse>(before) || before->getNumRegions())
      break;
  }
  return *store;
}

/// From here on the fences show the stores, on every path.
void FenceScanner::read(Operation &op, Hidden &hidden) {
  for (const SharedUse &use : aliases.usesOf(&op))
    hidden.remove_if([&, this](const auto &entry) {
      const auto &[store, passed] = entry;
      if (use.writes || !overlap(use, store))
        return false;
      for (Operation *barrier : passed.announced.empty() ? passed.last : passed.announced) {
        Operation *place = barrier ? barrier : &op;
        fences.insert(place);
        reasons.try_emplace(place, store, &op);
      }
      return true;
    });
}

void FenceScanner::scanOp(Operation &op, Hidden &hidden) {
  if (isa<hk::AsyncProxyAccess>(op)) {
    if (Operation *store = remoteStoreTo(op)) {
      fences.insert(&op);
      reasons.try_emplace(&op, store, &op);
    }
    if (fences.contains(&op))
      hidden.clear();
    read(op, hidden);
    return;
  }
  if (isa<hk::ProxyFenceOp>(op)) {
    // What a barrier has passed on already, it is too late for.
    hidden.remove_if([](auto &entry) {
      entry.second.last.remove(nullptr);
      return entry.second.last.empty() && entry.second.announced.empty();
    });
    return;
  }
  // Where partitions end, is looked at when all that runs beside them is known.
  if (isa<hk::WarpYieldOp, hk::WorkerEndOp>(op))
    return;
  if (hasBarrier(&op) || announces(&op))
    pass(op, hidden);
  if (llvm::any_of(aliases.usesOf(&op), storesAtOnce))
    hidden[&op].last.insert(nullptr);
  if (op.getNumRegions() && !isa<hk::ElementRegion>(op))
    scanRegions(op, hidden);
  if (isa<hk::WarpSpecializeOp>(op))
    leavePartitions(op, hidden);
}

/// A barrier, or an arrival at one of several partitions.
void FenceScanner::pass(Operation &op, Hidden &hidden) {
  if (fences.contains(&op))
    hidden.clear();
  for (auto &[store, passed] : hidden) {
    if (hasBarrier(&op))
      passed.last.clear();
    if (passed.last.empty() || passed.last.remove(nullptr))
      passed.last.insert(&op);
    if (announces(&op))
      passed.announced.insert_range(passed.last);
  }
}

/// All warps wait for each other, each where its partition ends.
void FenceScanner::leavePartitions(Operation &op, Hidden &hidden) {
  Hidden left;
  op.walk([&](Operation *end) {
    if (!isa<hk::WarpYieldOp, hk::WorkerEndOp>(end))
      return;
    Hidden after = hidden;
    pass(*end, after);
    join(left, after);
  });
  hidden = std::move(left);
}

/// The regions in any order, any number of times, or none.
void FenceScanner::scanRegions(Operation &op, Hidden &hidden) {
  bool isNew = true;
  while (std::exchange(isNew, false))
    for (Region &region : op.getRegions())
      for (Block &block : region) {
        Hidden after = hidden;
        scanBlock(block, after);
        isNew |= join(hidden, after);
      }
}

void FenceScanner::scanBlock(Block &block, Hidden &hidden) {
  for (Operation &op : block)
    scanOp(op, hidden);
}

/// Whether anything reads past ordinary stores.
static bool insertFences(func::FuncOp function) {
  WalkResult reads = function.walk([](Operation *op) { return WalkResult(failure(isa<hk::AsyncProxyAccess>(op))); });
  if (!reads.wasInterrupted())
    return false;
  function.walk([](hk::ProxyFenceOp fence) {
    recordSync(fence,
               {.what = "proxy fence", .at = fence.getLoc(), .isWritten = true, .why = "it stands in the kernel"});
  });
  FenceScanner scanner(function);
  size_t before;
  do {
    before = scanner.fences.size();
    for (Block &block : function.getBody()) {
      Hidden hidden;
      scanner.scanBlock(block, hidden);
    }
  } while (scanner.fences.size() > before);
  for (Operation *op : scanner.fences) {
    OpBuilder builder(op);
    hk::ProxyFenceOp::create(builder, op->getLoc());
    auto [store, read] = scanner.reasons.at(op);
    recordSync(op, {.what = "proxy fence",
                    .at = op->getLoc(),
                    .earlier = store,
                    .later = read,
                    .why = "the " + wordsFor(read) + " reads past ordinary stores: without it, it could see what was " +
                           "there before the " + wordsFor(store)});
  }
  return true;
}

namespace {
struct InsertProxyFencesPass : impl::InsertProxyFencesBase<InsertProxyFencesPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())) || failed(requireKnownOrigins(getOperation())) ||
        failed(requirePlaced(getOperation())))
      return signalPassFailure();
    bool isChanged = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      isChanged |= insertFences(function);
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
