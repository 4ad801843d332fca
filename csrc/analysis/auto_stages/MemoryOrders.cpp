//===- MemoryOrders.cpp - Ordering constraints that memory accesses require -------------===//
//
// The ordering constraint between two accesses depends on the first distance in iterations at which the accesses may
// overlap, and on the warps that exchange data. If the earlier access is a copy, the later access must follow a wait
// for the copy. If several waits cover the copy, this wait is the last one that precedes the later access in the loop
// without stages.
//
// An asynchronous MMA accesses shared memory in its own stage, because the stage ends with a wait for the MMA.
//
// Operations on mbarriers, and copies that complete at mbarriers, keep their order in the program relative to each
// other and to all accesses. The order of two stages of one iteration is also the order in which each warp executes
// them, so each warp still waits for the mbarrier of a tile before the warp accesses the tile. An arrival for the next
// phase of an mbarrier must follow the waits of all warps for the previous phase.
//
//===------------------------------------------------------------------------------===//
#include "analysis/auto_stages/LoopGraph.h"

#include "analysis/warp_pipeline/StageHazards.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/layouts/MemDescViews.h"

using namespace mlir;

namespace hocket {

namespace {
class OrderBuilder {
public:
  OrderBuilder(LoopGraph &graph, scf::ForOp loop, const MemoryAliases &aliases);

  std::optional<StageRefusal> build();

private:
  std::optional<StageRefusal> readWaits();
  std::optional<StageRefusal> addPair(unsigned earlier, unsigned later);
  std::optional<StageRefusal> addGlobalPair(unsigned earlier, unsigned later);
  void addProgramOrder(unsigned earlier, unsigned later);
  void addWaitBeforeArrival(unsigned earlier, unsigned later);
  void addSignals();
  std::optional<StageRefusal> addArrival(unsigned copy, unsigned later, int64_t iterations, StageDistance distance);
  void addOrder(unsigned from, unsigned to, int64_t iterations, StageDistance distance);
  /// Returns the node that commits the copy `access`.
  unsigned commitOf(unsigned access);
  Operation *topOf(unsigned access) { return loop.getBody()->findAncestorOpInBlock(*accesses[access]->op); }

  LoopGraph &graph;
  scf::ForOp loop;
  llvm::DenseMap<Operation *, unsigned> nodeOf;
  StageAccesses accesses;
  /// nodes[i] is the node that contains access i.
  SmallVector<unsigned> nodes;
  SmallVector<hk::AsyncCounter, 2> counters;
};
} // namespace

OrderBuilder::OrderBuilder(LoopGraph &graph, scf::ForOp loop, const MemoryAliases &aliases) : graph(graph), loop(loop) {
  for (auto [number, ops] : llvm::enumerate(graph.opsOf))
    for (Operation *op : ops)
      nodeOf[op] = unsigned(number);
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto node = nodeOf.find(&op);
    if (node == nodeOf.end())
      continue;
    op.walk<WalkOrder::PreOrder>([&](Operation *inner) { appendAccesses(accesses, inner, 0, loop, aliases); });
    nodes.resize(accesses.size(), node->second);
  }
}

unsigned OrderBuilder::commitOf(unsigned access) {
  Operation *op = topOf(access);
  while (!isa<hk::AsyncCommit>(op))
    op = op->getNextNode();
  return nodeOf.at(op);
}

/// Sets `commits` and `waits` of the problem: numbers the counters, and the groups of copies that are committed on each
/// counter. Adds ordering constraints that keep each copy between the commit of the previous group and the commit of
/// the copy's own group.
std::optional<StageRefusal> OrderBuilder::readWaits() {
  auto numberOf = [&](hk::AsyncCounter counter) {
    auto found = llvm::find(counters, counter);
    if (found == counters.end()) {
      counters.push_back(counter);
      graph.problem.commits.emplace_back();
      return unsigned(counters.size() - 1);
    }
    return unsigned(found - counters.begin());
  };
  unsigned position = 0;
  SmallVector<unsigned> copies;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isCountedCopy(&op) && !isa<hk::AsyncCommit>(op))
      copies.push_back(nodeOf.at(&op));
    if (auto node = nodeOf.find(&op); node != nodeOf.end() && graph.opsOf[node->second].back() == &op)
      position = std::max(position, node->second + 1);
    if (auto commit = dyn_cast<hk::AsyncCommit>(op); commit && !isa<hk::AsyncResults>(op)) {
      for (hk::AsyncCounter counter : commit.getCommittedCounters()) {
        std::vector<unsigned> &commits = graph.problem.commits[numberOf(counter)];
        const unsigned node = nodeOf.at(&op);
        for (unsigned copy : copies) {
          if (!commits.empty())
            addOrder(commits.back(), copy, 0, StageDistance::SameWarp);
          if (copy != node)
            addOrder(copy, node, 0, StageDistance::SameWarp);
        }
        if (!commits.empty())
          addOrder(commits.back(), node, 0, StageDistance::SameWarp);
        commits.push_back(node);
      }
      copies.clear();
    }
    if (auto wait = dyn_cast<hk::AsyncWait>(op)) {
      unsigned counter = numberOf(wait.getAwaitedCounters().front());
      int64_t committed = int64_t(graph.problem.commits[counter].size());
      graph.problem.waits.push_back({counter, committed - int64_t(wait.getOutstanding()), position, {}});
    }
  }
  for (auto [wait, op] : llvm::zip_equal(graph.problem.waits, graph.waits))
    if (graph.problem.commits[wait.counter].empty())
      return StageRefusal{op, "the loop waits for copies that it does not start"};
  return std::nullopt;
}

void OrderBuilder::addOrder(unsigned from, unsigned to, int64_t iterations, StageDistance distance) {
  graph.problem.orders.push_back({from, to, iterations, distance});
}

/// Adds the constraint that access `later` must follow the last wait that covers `copy` and precedes `later` in the
/// loop without stages. The copy is started `iterations` iterations before the access.
std::optional<StageRefusal> OrderBuilder::addArrival(unsigned copy, unsigned later, int64_t iterations,
                                                     StageDistance distance) {
  auto counter = llvm::find(counters, *accesses[copy]->getCounter());
  unsigned number = unsigned(counter - counters.begin());
  const std::vector<unsigned> *commits = counter == counters.end() ? nullptr : &graph.problem.commits[number];
  auto group = commits ? llvm::find(*commits, commitOf(copy)) : std::vector<unsigned>::const_iterator();
  for (int64_t before = 0; commits && group != commits->end() && before <= iterations; ++before)
    for (unsigned index = unsigned(graph.waits.size()); index-- > 0;) {
      StageWait &wait = graph.problem.waits[index];
      if (wait.counter != number || (before == 0 && !graph.waits[index]->isBeforeInBlock(topOf(later))))
        continue;
      int64_t numberOfGroup = int64_t(group - commits->begin()) + 1 - (iterations - before) * int64_t(commits->size());
      if (numberOfGroup > wait.covers)
        continue;
      wait.arrivals.push_back({nodes[later], before, distance});
      return std::nullopt;
    }
  return StageRefusal{accesses[later]->op, "no wait covers a copy before this access of the same memory"};
}

std::optional<StageRefusal> OrderBuilder::addGlobalPair(unsigned earlier, unsigned later) {
  const StageAccess &a = *accesses[earlier], &b = *accesses[later];
  if ((!a.writes() && !b.writes()) || !mayOverlap(a, b))
    return std::nullopt;
  if (a.isAsync() || b.isAsync())
    return StageRefusal{b.op, "the loop stores to an array from which it copies"};
  // `one` is a pipeline with a single stage, so AccessHazard::stagesApart is a number of iterations.
  WarpPipeline one;
  one.loop = loop;
  one.stages.resize(1);
  one.waits.assign(1, nullptr);
  if (earlier < later)
    addOrder(nodes[earlier], nodes[later], 0, StageDistance::SameWarp);
  if (std::optional<AccessHazard> hazard = StageHazards::hazardBetween(one, a, b, earlier < later))
    addOrder(nodes[earlier], nodes[later], hazard->stagesApart,
             hazard->exchange == Exchange::BetweenGroups ? StageDistance::BetweenGroups : StageDistance::WithinGroup);
  return std::nullopt;
}

/// True if `a` and `b` may access the same bytes of one buffer.
static bool mayShareBuffer(const StageAccess &a, const StageAccess &b) {
  for (const MemoryRegion &mine : a.regions)
    for (const MemoryRegion &other : b.regions)
      if (mine.getOwner() == other.getOwner() && mine.mayOverlap(other))
        return true;
  return false;
}

/// If access `earlier` waits at an mbarrier where access `later` arrives afterwards, keeps the arrival behind
/// the waits of all warps. Otherwise the mbarrier could complete two phases before a warp waits for the first one.
void OrderBuilder::addWaitBeforeArrival(unsigned earlier, unsigned later) {
  const StageAccess &a = *accesses[earlier], &b = *accesses[later];
  auto waits = [](const StageAccess &access) {
    auto use = dyn_cast<hk::SharedBarrierUse>(access.op);
    return use && use.getAwaitedPhase().has_value();
  };
  if (!a.isBarrierUse || !b.isBarrierUse || !waits(a) || waits(b) || !mayShareBuffer(a, b))
    return;
  const int64_t from = earlier < later ? 0 : 1;
  std::optional<int64_t> iterations =
      areInOneRing(a, b) ? RingIndex::firstOverlap(*a.slot, *b.slot, from) : std::optional(from);
  if (iterations)
    addOrder(nodes[earlier], nodes[later], *iterations, StageDistance::BetweenGroups);
}

std::optional<StageRefusal> OrderBuilder::addPair(unsigned earlier, unsigned later) {
  const StageAccess &a = *accesses[earlier], &b = *accesses[later];
  if (StageHazards::mustPrecede(a, b)) {
    addOrder(nodes[earlier], nodes[later], earlier < later ? 0 : 1, StageDistance::BetweenGroups);
    return std::nullopt;
  }
  addWaitBeforeArrival(earlier, later);
  if (a.isGlobal() != b.isGlobal() || StageHazards::areUpToKernel(a, b))
    return std::nullopt;
  if (a.isGlobal())
    return addGlobalPair(earlier, later);
  if ((!a.writes() && !b.writes()) || !mayShareBuffer(a, b))
    return std::nullopt;
  int64_t from = earlier < later ? 0 : 1;
  std::optional<int64_t> iterations =
      areInOneRing(a, b) ? RingIndex::firstOverlap(*a.slot, *b.slot, from) : std::optional(from);
  if (!iterations)
    return std::nullopt;
  Exchange exchange = findExchange(a, b, iterations);
  StageDistance distance =
      exchange == Exchange::BetweenGroups ? StageDistance::BetweenGroups : StageDistance::WithinGroup;
  if (a.isAsync() && !a.isAsyncMma())
    return addArrival(earlier, later, *iterations, distance);
  if (exchange == Exchange::WithinWarp && (*iterations > 0 || isLanePrivate(a, b, iterations)))
    distance = StageDistance::SameWarp;
  addOrder(nodes[earlier], nodes[later], *iterations, distance);
  return std::nullopt;
}

/// Keeps the two accesses in the order of the program if one of them is an operation on an mbarrier, or completes at an
/// mbarrier.
void OrderBuilder::addProgramOrder(unsigned earlier, unsigned later) {
  auto usesBarrier = [](const StageAccess &access) { return access.isBarrierUse || access.completesAtBarrier(); };
  if (nodes[earlier] != nodes[later] && (usesBarrier(*accesses[earlier]) || usesBarrier(*accesses[later])))
    addOrder(nodes[earlier], nodes[later], 0, StageDistance::SameWarp);
}

/// Adds the signals of the problem: for each copy that completes at a slot of an array of mbarriers, the first wait for
/// this slot.
void OrderBuilder::addSignals() {
  for (unsigned copy = 0; copy < accesses.size(); ++copy) {
    if (!accesses[copy]->completesAtBarrier())
      continue;
    std::optional<hk::RingSlot> signaled = hk::slotOf(accesses[copy]->completion.getPhase()->barrier);
    for (unsigned wait = 0; signaled && wait < accesses.size(); ++wait) {
      auto use = dyn_cast<hk::SharedBarrierUse>(accesses[wait]->op);
      std::optional<hk::BarrierPhase> phase = use ? use.getAwaitedPhase() : std::nullopt;
      std::optional<hk::RingSlot> awaited = phase ? hk::slotOf(phase->barrier) : std::nullopt;
      if (!awaited || awaited->ring != signaled->ring)
        continue;
      if (std::optional<int64_t> iterations = RingIndex::firstOverlap(
              RingIndex::of(signaled->index, loop), RingIndex::of(awaited->index, loop), copy < wait ? 0 : 1))
        graph.problem.signals.push_back({nodes[copy], nodes[wait], *iterations});
    }
  }
}

std::optional<StageRefusal> OrderBuilder::build() {
  if (std::optional<StageRefusal> refusal = readWaits())
    return refusal;
  for (unsigned earlier = 0; earlier < accesses.size(); ++earlier)
    for (unsigned later = 0; later < accesses.size(); ++later)
      if (std::optional<StageRefusal> refusal = addPair(earlier, later))
        return refusal;
  for (unsigned earlier = 0; earlier < accesses.size(); ++earlier)
    for (unsigned later = earlier + 1; later < accesses.size(); ++later)
      addProgramOrder(earlier, later);
  addSignals();
  for (const StageOrder &order : graph.problem.orders)
    if (order.iterations == 0 && (order.from > order.to || (order.from == order.to && order.needed(1) > 0)))
      return StageRefusal{graph.opsOf[order.to].front(), "two accesses of the same memory cannot be in one stage"};
  return std::nullopt;
}

std::optional<StageRefusal> addMemoryOrders(LoopGraph &graph, scf::ForOp loop, const MemoryAliases &aliases) {
  return OrderBuilder(graph, loop, aliases).build();
}

} // namespace hocket
