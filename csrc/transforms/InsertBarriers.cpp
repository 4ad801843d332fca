//===- InsertBarriers.cpp - Inserts barriers for hazards in shared memory ----------===//
//
// The pass walks the program with the set of *pending* accesses, which no barrier has followed. Some warps have
// possibly not executed a pending access. A barrier empties the set. An access that has a hazard with a pending access
// (see MemoryHazards.h) needs a barrier before it. Each barrier is inserted as late as possible, because it then orders
// the largest number of hazards.
//
//     local_store x, %a       pending {W a}
//     local_store y, %b       pending {W a, W b}
//     hk.barrier local        <- R a after W a
//     local_load %a           pending {R a}
//     local_load %b           pending {R a, R b}: the barrier has ordered W b, too
//
// An asynchronous access becomes pending at the wait that completes it, not at the operation that starts it
// (PendingAccesses.h). The pass does not insert waits.
//
// In a cluster, the pass first scans for hazards with accesses of the shared memory of other CTAs, and inserts cluster
// barriers for these hazards. A cluster barrier is also a barrier of each CTA.
//
// Input:   hk with an offset for all shared memory; structured control flow.
// Output:  hk with hk.cluster_barrier and hk.barrier local; no barriers before accesses that another pass has ordered
//          (hk.ordered). A barrier before an operation that signals other warps (SharedBarrierUse) is not `local`: the
//          signal covers earlier accesses of global memory, so the barrier must order these accesses, too.
// Method:  1. Scan, without changing the IR. scf.if: both branches are scanned from the same set, and the sets at their
//             ends are joined. In a branch that single warps take, no barrier is allowed, so the barrier is inserted
//             before the branch. Loops: the accesses pending at the end of the body are added to the set at its start,
//             and the body is scanned again, until the set no longer grows. A last scan begins without accesses that
//             barriers of the previous scan have ordered. Partitions of warps: each is scanned from an empty set,
//             because all warps wait for each other before and after the partitions. Hazards between partitions are the
//             user's responsibility. Accesses of the current iteration are kept separate from accesses of earlier
//             iterations, because slots of a ring buffer can be distinguished only within an iteration
//             (MemoryHazards.h).
//          2. A hazard between an access before a loop and an access in the loop would put a barrier into every
//             iteration. If the body needs fewer barriers without the accesses before the loop, a barrier goes before
//             the loop.
//          3. Insert the barriers.
// Not done: hoisting a barrier out of other branches; making a single warp wait.
// Cost:    a few scans per loop and nesting level over the operations that access shared memory.
//
//===------------------------------------------------------------------------------===//
#include "analysis/memory/MemoryHazards.h"
#include "analysis/memory/PendingAccesses.h"
#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/Passes.h"
#include "transforms/SyncRecord.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "transforms/Passes.h.inc"

namespace {
/// Result of a scan: the operations before which a barrier is needed, and the accesses that are pending at the end.
struct Scan {
  SmallVector<Operation *> barriers;
  PendingAccesses pending;
  void append(Scan &&next) {
    barriers.append(next.barriers);
    pending = std::move(next.pending);
  }
};

class BarrierScanner {
public:
  BarrierScanner(const MemoryHazards &hazards, const PendingAccesses &nothing, HazardScope scope)
      : hazards(hazards), nothing(nothing), scope(scope) {}

  Scan scanBlock(Block &block, PendingAccesses pending) const;
  /// A hazard, given by the numbers of the two accesses that conflict.
  using Pair = std::pair<unsigned, unsigned>;
  std::optional<Pair> reasonFor(Operation *op) const {
    auto found = reasons.find(op);
    return found == reasons.end() ? std::nullopt : std::optional(found->second);
  }

private:
  Scan scanOp(Operation &op, PendingAccesses pending) const;
  Scan scanEffects(Operation &op, const NumberedAccesses &effects, PendingAccesses pending) const;
  Scan scanPartitions(hk::WarpSpecializeOp op, PendingAccesses pending) const;
  Scan scanPartitionsOfCluster(hk::WarpSpecializeOp op, const PendingAccesses &pending) const;
  Scan scanBranches(scf::IfOp op, const PendingAccesses &pending) const;
  Scan scanIf(scf::IfOp op, const PendingAccesses &pending) const;
  Scan scanLoop(LoopLikeOpInterface op, const PendingAccesses &pending) const;
  /// Result of scanning one iteration. `exit` holds the accesses that are pending at the exit of the loop,
  /// `body.pending` the accesses that are pending at the start of the next iteration.
  struct Iteration {
    Scan body;
    PendingAccesses exit;
  };
  Iteration scanIteration(Operation *op, const PendingAccesses &entry) const;
  Iteration scanAllIterations(Operation *op, const PendingAccesses &before) const;

  const MemoryHazards &hazards;
  const PendingAccesses &nothing; ///< a state in which no access is pending or in flight
  const HazardScope scope;
  mutable llvm::DenseMap<Operation *, Pair> reasons;
};
} // namespace

// Step 1 --------------------------------------------------------------------------------------------------------------

Scan BarrierScanner::scanBlock(Block &block, PendingAccesses pending) const {
  Scan scan{{}, std::move(pending)};
  for (Operation &op : block)
    if (op.getNumRegions() || hazards.effectsOf(&op) || isa<hk::AsyncCommit, hk::AsyncWait>(op))
      scan.append(scanOp(op, scan.pending));
  return scan;
}

Scan BarrierScanner::scanOp(Operation &op, PendingAccesses pending) const {
  pending.waitFor(&op);
  if (const NumberedAccesses *effects = hazards.effectsOf(&op)) {
    Scan scan = scanEffects(op, *effects, std::move(pending));
    scan.pending.commitFor(&op);
    return scan;
  }
  pending.commitFor(&op);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return scanIf(branch, pending);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return scanLoop(loop, pending);
  if (auto partitions = dyn_cast<hk::WarpSpecializeOp>(op))
    return scope == HazardScope::Cta ? scanPartitions(partitions, std::move(pending))
                                     : scanPartitionsOfCluster(partitions, pending);
  return {{}, std::move(pending)};
}

Scan BarrierScanner::scanEffects(Operation &op, const NumberedAccesses &effects, PendingAccesses pending) const {
  Scan scan{{}, std::move(pending)};
  auto isHazard = [&](unsigned access) { return hazards.conflicts(access, scan.pending); };
  if (auto access = llvm::find_if(effects.accesses, isHazard); access != effects.accesses.end()) {
    if (std::optional<unsigned> earlier = hazards.lastConflict(*access, scan.pending))
      reasons[&op] = {*earlier, *access};
    scan.barriers.push_back(&op);
    scan.pending.barrier();
  }
  for (unsigned access : effects.accesses)
    if (std::optional<hk::AsyncCounter> counter = hazards.completionOf(access).getCounter())
      scan.pending.start(access, *counter);
    else if (!hazards.completionOf(access).isAsync()) // a thread waits for the phase with which the access completes
      scan.pending.access(access);
  if (effects.hasBarrier)
    scan.pending.barrier();
  for (unsigned access : effects.afterBarrier)
    scan.pending.access(access);
  return scan;
}

Scan BarrierScanner::scanBranches(scf::IfOp op, const PendingAccesses &pending) const {
  Scan scan = scanBlock(*op.thenBlock(), pending);
  PendingAccesses afterThen = scan.pending;
  scan.pending = pending;
  if (op.elseBlock())
    scan.append(scanBlock(*op.elseBlock(), pending));
  scan.pending |= afterThen;
  return scan;
}

Scan BarrierScanner::scanIf(scf::IfOp op, const PendingAccesses &pending) const {
  Scan inside = scanBranches(op, pending);
  if (inside.barriers.empty() || !op.getCondition().getDefiningOp<hk::AnyInWarpOp>())
    return inside;
  // Only some warps reach a barrier in a branch on hk.any_in_warp, so the barrier is inserted before the branch. A
  // barrier before the branch suffices, because the branch contains no writes.
  if (std::optional<Pair> reason = reasonFor(inside.barriers.front()))
    reasons[op] = *reason;
  PendingAccesses settled = pending;
  settled.barrier();
  Scan scan{{op}, settled};
  scan.append(scanBranches(op, settled));
  return scan;
}

/// Scans partitions. Accesses that the default partition has started stay in flight. Accesses in flight that a worker
/// has started are dropped at its end.
Scan BarrierScanner::scanPartitions(hk::WarpSpecializeOp op, PendingAccesses pending) const {
  pending.barrier();
  Scan scan = scanBlock(op.getBody().front(), std::move(pending));
  for (hk::WorkerOp worker : op.getWorkerOps())
    scan.barriers.append(scanBlock(worker.getBody().front(), nothing).barriers);
  scan.pending.barrier();
  return scan;
}

/// Scans partitions for hazards between CTAs. Other CTAs can still be executing code before the partitions. A barrier
/// for a hazard with an access before the partitions is inserted before all partitions.
Scan BarrierScanner::scanPartitionsOfCluster(hk::WarpSpecializeOp op, const PendingAccesses &pending) const {
  auto scanAll = [&](const PendingAccesses &entry) {
    Scan scan = scanBlock(op.getBody().front(), entry);
    for (hk::WorkerOp worker : op.getWorkerOps()) {
      Scan other = scanBlock(worker.getBody().front(), entry);
      scan.barriers.append(other.barriers);
      scan.pending |= other.pending;
    }
    return scan;
  };
  Scan here = scanAll(pending);
  PendingAccesses settled = pending;
  settled.barrier();
  std::optional<Pair> reason = here.barriers.empty() ? std::nullopt : reasonFor(here.barriers.front());
  Scan alone = scanAll(settled);
  if (alone.barriers.size() == here.barriers.size())
    return here;
  if (reason)
    reasons[op] = *reason;
  Scan scan{{op}, settled};
  scan.append(std::move(alone));
  return scan;
}

BarrierScanner::Iteration BarrierScanner::scanIteration(Operation *op, const PendingAccesses &entry) const {
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Scan body = scanBlock(*loop.getBeforeBody(), entry);
    PendingAccesses exit = body.pending;
    body.append(scanBlock(*loop.getAfterBody(), exit));
    body.pending.startIteration();
    exit.startIteration();
    return {std::move(body), std::move(exit)};
  }
  // An scf.for can end after any iteration, or before the first one.
  Scan body = scanBlock(*cast<scf::ForOp>(op).getBody(), entry);
  body.pending.startIteration();
  PendingAccesses exit = entry;
  exit |= body.pending;
  return {std::move(body), std::move(exit)};
}

BarrierScanner::Iteration BarrierScanner::scanAllIterations(Operation *op, const PendingAccesses &before) const {
  PendingAccesses entry = before;
  entry.startIteration();
  Iteration iteration = scanIteration(op, entry);
  while (!iteration.body.pending.isWithin(entry)) {
    entry |= iteration.body.pending;
    iteration = scanIteration(op, entry);
  }
  // Unlike `exactEntry`, `entry` can contain accesses of earlier scans that barriers of the last scan order.
  PendingAccesses exactEntry = before;
  exactEntry.startIteration();
  exactEntry |= iteration.body.pending;
  Iteration exact = scanIteration(op, exactEntry);
  return exact.body.pending.isWithin(exactEntry) ? exact : iteration;
}

// Step 2 --------------------------------------------------------------------------------------------------------------

Scan BarrierScanner::scanLoop(LoopLikeOpInterface op, const PendingAccesses &pending) const {
  Iteration here = scanAllIterations(op, pending);
  llvm::DenseMap<Operation *, Pair> reasonsHere = reasons;
  PendingAccesses settled = pending;
  settled.barrier();
  Iteration alone = scanAllIterations(op, settled);
  Scan scan{{}, pending};
  if (alone.body.barriers.size() < here.body.barriers.size()) {
    scan.barriers.push_back(op);
    for (Operation *inside : here.body.barriers)
      if (auto reason = reasonsHere.find(inside);
          reason != reasonsHere.end() && !llvm::is_contained(alone.body.barriers, inside))
        reasons[op] = reason->second;
    here = std::move(alone);
  }
  scan.barriers.append(here.body.barriers);
  scan.pending = std::move(here.exit);
  return scan;
}

// Step 3 --------------------------------------------------------------------------------------------------------------

/// Checks the preconditions of the scan.
static LogicalResult checkInput(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("hocket-insert-barriers needs structured control flow");
  WalkResult result = function.walk([](Operation *op) {
    if (auto alloc = dyn_cast<hk::LocalAllocOp>(op); alloc && !alloc.getOffset())
      return op->emitError("has no offset; run hocket-allocate-memory before hocket-insert-barriers"),
             WalkResult::interrupt();
    if (op->getNumRegions() &&
        !isa<func::FuncOp, scf::IfOp, scf::ForOp, scf::WhileOp, hk::WarpSpecializeOp, hk::WorkerOp, hk::ElementRegion>(
            op))
      return op->emitError("hocket-insert-barriers does not support the control flow of this operation"),
             WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static void recordWritten(func::FuncOp function) {
  function.walk([](hk::BarrierOp barrier) {
    recordSync(barrier, {.what = "barrier",
                         .at = barrier.getLoc(),
                         .isWritten = true,
                         .why = "it is written in the kernel, or lies between the stages of a warp pipeline"});
  });
}

static void recordInserted(Operation *op, const std::string &what, const MemoryHazards &hazards,
                           std::optional<BarrierScanner::Pair> reason) {
  SyncRecord record{.what = what, .at = op->getLoc()};
  if (reason) {
    record.earlier = hazards.opOf(reason->first);
    record.later = hazards.opOf(reason->second);
    record.why = "without it, a warp could reach the " + wordsFor(record.later) + " before others have completed the " +
                 wordsFor(record.earlier);
  }
  recordSync(op, record);
}

static void recordInsertedInCluster(Operation *op, const MemoryHazards &hazards,
                                    std::optional<BarrierScanner::Pair> reason) {
  SyncRecord record{.what = "barrier of the cluster", .at = op->getLoc()};
  if (reason && reason->first != MemoryHazards::kStart) {
    record.earlier = hazards.opOf(reason->first);
    record.later = hazards.opOf(reason->second);
    record.why = "without it, a CTA could reach the " + wordsFor(record.later) + " before others have completed the " +
                 wordsFor(record.earlier);
  } else {
    record.why = reason ? "without it, a CTA could access the shared memory of another one that has not started"
                        : "without it, a CTA could end while another one accesses its shared memory";
  }
  recordSync(op, record);
}

/// Inserts barriers between accesses of shared memory by different CTAs of a cluster.
static LogicalResult insertClusterBarriers(func::FuncOp function) {
  MemoryHazards hazards(function, HazardScope::Cluster);
  if (!hazards.reachOtherCtas())
    return success();
  if (hazards.storeToOtherCtas())
    hk::kStoresToOtherCtasAttr.set(function->getParentOfType<ModuleOp>());
  PendingAccesses nothing(hazards.numAccesses(), countersOf(function)), start = nothing;
  start.access(MemoryHazards::kStart);
  BarrierScanner scanner(hazards, nothing, HazardScope::Cluster);
  Block &body = function.getBody().front();
  Scan scan = scanner.scanBlock(body, start);
  llvm::BitVector atEnd = scan.pending.ofIteration();
  atEnd |= scan.pending.beforeIteration();
  if (llvm::any_of(atEnd.set_bits(), [&](unsigned access) { return hazards.isRemote(access); }))
    scan.barriers.push_back(body.getTerminator());
  for (Operation *op : scan.barriers) {
    if (op->getParentOfType<hk::WarpSpecializeOp>())
      return op->emitError(
                   "the compiler inserts no cluster barriers in a partition of warp_specialize, but this access to the "
                   "shared memory of another CTA needs one (cga_layout)")
                 .attachNote()
             << "hint: call gl.barrier(cluster=True) between the accesses, before the first one and after the last one "
                "of "
                "the partition, or give the tensor the cga_layout of the shared memory";
    OpBuilder builder(op);
    hk::ClusterBarrierOp::create(builder, op->getLoc(), /*relaxed=*/false);
    recordInsertedInCluster(op, hazards, scanner.reasonFor(op));
  }
  return success();
}

/// Inserts barriers of `space` between accesses of its memory. A barrier before a signal also orders global memory.
static void insertBarriersIn(func::FuncOp function, hk::MemorySpace space) {
  MemoryHazards hazards = MemoryHazards::inSpace(function, space);
  if (hazards.numAccesses() == 0)
    return;
  bool isShared = isa<hk::SharedSpaceAttr>(space);
  PendingAccesses nothing(hazards.numAccesses(), countersOf(function));
  BarrierScanner scanner(hazards, nothing, HazardScope::Cta);
  Scan scan = scanner.scanBlock(function.getBody().front(), nothing);
  for (Operation *op : scan.barriers) {
    OpBuilder builder(op);
    auto use = dyn_cast<hk::SharedBarrierUse>(op);
    bool ordersGlobal = isShared && use && use.signalsAll() && !use.isPerWarp();
    space.createBarrier(builder, op->getLoc(), ordersGlobal);
    std::string what = ordersGlobal ? "barrier, also for global memory"
                       : isShared   ? "barrier"
                                    : "barrier for " + space.getName().str();
    recordInserted(op, what, hazards, scanner.reasonFor(op));
  }
}

/// Returns the memory spaces that `function` uses, shared memory first.
static SmallVector<hk::MemorySpace> spacesOf(func::FuncOp function) {
  SmallVector<hk::MemorySpace> spaces{hk::SharedSpaceAttr::get(function.getContext())};
  function.walk([&](hk::LocalAllocOp alloc) {
    if (hk::MemorySpace space = alloc.getType().getSpace(); !llvm::is_contained(spaces, space))
      spaces.push_back(space);
  });
  return spaces;
}

static LogicalResult insertBarriers(func::FuncOp function) {
  if (function.isExternal())
    return success();
  if (failed(checkInput(function)))
    return failure();
  recordWritten(function);
  if (hk::numCtasOf(function) > 1 && failed(insertClusterBarriers(function)))
    return failure();
  for (hk::MemorySpace space : spacesOf(function))
    insertBarriersIn(function, space);
  return success();
}

namespace {
struct InsertBarriersPass : impl::InsertBarriersBase<InsertBarriersPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())) || failed(requireKnownOrigins(getOperation())) ||
        failed(requirePlaced(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(insertBarriers(function)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
