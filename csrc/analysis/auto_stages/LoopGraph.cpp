//===- LoopGraph.cpp - The nodes, ordering constraints and waits of a loop's body ----------------===//
#include "analysis/auto_stages/LoopGraph.h"

#include "analysis/auto_stages/OperationCosts.h"
#include "analysis/warp_pipeline/WarpPipelines.h"
#include "dialect/hk/facts/AsyncResults.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

namespace {
/// A draft node: a candidate for a node of the StageProblem, which may still be merged into another draft node.
struct Draft {
  SmallVector<Operation *, 2> ops;
  StageNode cost;
  /// True if the operations may be merged into a later node: they have no effects and no branches. Arithmetic is not
  /// issued beside MMAs across a branch.
  bool isPure = false;
  bool isMerged = false;
  /// The exchange between warps whose results the node computes; null for other nodes.
  Operation *exchange = nullptr;
};

class GraphBuilder {
public:
  GraphBuilder(scf::ForOp loop, LoopGraph &graph, const DivisibleExchanges &exchanges)
      : loop(loop), graph(graph), exchanges(exchanges) {}

  std::optional<StageRefusal> build();

private:
  std::optional<StageRefusal> readBody();
  bool isInvariant(Operation *op);
  void addDraft(ArrayRef<Operation *> ops);
  void addSchedBarrier(hk::SchedBarrierOp barrier);
  void merge();
  void mergeUpTo(int64_t clocks);
  void number();
  void addUses();
  void countRegisters();

  /// Index of the draft node that computes a value, and number of loop iterations between this computation and the use
  /// of the value.
  using Producer = std::pair<unsigned, int64_t>;
  /// Maps producers to the number of registers of the values that are used.
  using Producers = llvm::MapVector<Producer, int64_t>;
  void findProducers(Value value, int64_t iterations, int64_t registers, Producers &found,
                     llvm::DenseSet<std::pair<Value, int64_t>> &visited);
  Producers producersOf(const Draft &draft);

  scf::ForOp loop;
  LoopGraph &graph;
  const DivisibleExchanges &exchanges;
  SmallVector<Draft, 0> drafts;
  /// Maps each operation of the loop's body (not of nested regions) to the index of its draft node. Free operations
  /// (isFree) have no draft node.
  llvm::DenseMap<Operation *, unsigned> draftOf;
  /// The operations of the body that compute the same values in each iteration.
  llvm::SmallPtrSet<Operation *, 8> invariant;
  /// numbered[i] is the index of the draft node that becomes node i of the StageProblem.
  std::vector<unsigned> numbered;
};
} // namespace

/// True if `op` is a branch that a warp takes if a vote of its lanes requires it. Kernels use such branches for work that
/// is rarely needed, e.g. for a row max that has risen by much.
static bool isRareBranch(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && branch.getCondition().getDefiningOp<hk::AnyInWarpOp>();
}

static StageNode costWithRegions(Operation *op) {
  StageNode cost = costOf(op);
  if (isa<hk::ElementRegion>(op) || isRareBranch(op))
    return cost;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        if (!isFree(&inner))
          addCost(cost, costWithRegions(&inner));
  return cost;
}

void GraphBuilder::addDraft(ArrayRef<Operation *> ops) {
  Draft draft{SmallVector<Operation *, 2>(ops), costWithRegions(ops.front()),
              isMemoryEffectFree(ops.front()) && !hasBranches(ops.front()) && !exchanges.contains(ops.front())};
  for (Operation *op : ops.drop_front())
    addCost(draft.cost, costWithRegions(op));
  draft.exchange = exchanges.contains(ops.front()) ? ops.front() : nullptr;
  for (Operation *op : ops)
    draftOf[op] = drafts.size();
  drafts.push_back(std::move(draft));
}

/// Adds `barrier` to the last draft node that computes an operand of the barrier. A barrier without operands is added
/// to the last draft node.
void GraphBuilder::addSchedBarrier(hk::SchedBarrierOp barrier) {
  Producers producers;
  llvm::DenseSet<std::pair<Value, int64_t>> visited;
  for (Value value : barrier.getComputed())
    findProducers(value, 0, INT32_MAX, producers, visited);
  unsigned last = 0;
  for (auto [producer, iterations] : llvm::make_first_range(producers))
    last = std::max(last, iterations == 0 ? producer : 0);
  if (barrier.getComputed().empty() && !drafts.empty())
    last = unsigned(drafts.size()) - 1;
  if (drafts.empty())
    return addDraft(barrier.getOperation());
  drafts[last].ops.push_back(barrier);
  drafts[last].isPure = false;
  draftOf[barrier] = last;
}

/// True if `op` commits a group of copies for which a wait between stages waits.
static bool commitsCopies(Operation *op) { return isa<hk::AsyncCommit>(op) && !isa<hk::AsyncResults>(op); }

/// True if `op` has no effects and computes the same values in each iteration. LLVM moves such operations before the
/// loop.
bool GraphBuilder::isInvariant(Operation *op) {
  auto isKnown = [&](Value value) -> bool {
    Operation *producer = value.getDefiningOp();
    return loop.isDefinedOutsideOfLoop(value) || (producer && invariant.contains(producer)) ||
           op->isAncestor(value.getParentRegion()->getParentOp());
  };
  auto usesOnlyKnown = [&](Operation *inner) {
    return WalkResult(success(llvm::all_of(inner->getOperands(), isKnown)));
  };
  return isMemoryEffectFree(op) && !exchanges.contains(op) && !op->walk(usesOnlyKnown).wasInterrupted();
}

/// Creates one draft node for each operation that is neither free, nor invariant, nor a wait. Creates a single draft node for a commit
/// and the last copy before the commit. Collects the waits in `graph.waits`.
std::optional<StageRefusal> GraphBuilder::readBody() {
  SmallVector<Operation *> group;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isInvariant(&op)) {
      invariant.insert(&op);
    } else if (isPipelineWait(&op)) {
      graph.waits.push_back(&op);
    } else if (isCountedCopy(&op) && !isa<hk::AsyncCommit>(op)) {
      group.push_back(&op);
    } else if (commitsCopies(&op)) {
      Operation *last = group.empty() ? nullptr : group.pop_back_val();
      for (Operation *copy : std::exchange(group, {}))
        addDraft(copy);
      addDraft(last ? ArrayRef<Operation *>{last, &op} : ArrayRef<Operation *>(&op));
    } else if (auto barrier = dyn_cast<hk::SchedBarrierOp>(op)) {
      addSchedBarrier(barrier);
    } else if (!isFree(&op)) {
      addDraft(&op);
    }
  }
  if (!group.empty())
    return StageRefusal{group.front(), "a copy is not committed in the iteration that starts it"};
  return std::nullopt;
}

// Values --------------------------------------------------------------------------------------------------------------

/// Adds to `found` the draft nodes that compute `value`, directly or through free operations and loop-carried
/// variables. At most `registers` registers of `value` are used.
void GraphBuilder::findProducers(Value value, int64_t iterations, int64_t registers, Producers &found,
                                 llvm::DenseSet<std::pair<Value, int64_t>> &visited) {
  // The parts of a tensor may be used separately, so a tensor is visited once for each use.
  if (isa<RankedTensorType>(value.getType()))
    registers = std::min(registers, registersOf(value.getType()));
  else if (!visited.insert({value, iterations}).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar() || iterations > 0)
      return;
    return findProducers(loop.getTiedLoopYieldedValue(argument)->get(), iterations + 1, registers, found, visited);
  }
  Operation *op = loop.getBody()->findAncestorOpInBlock(*value.getDefiningOp());
  if (!op)
    return;
  if (auto draft = draftOf.find(op); draft != draftOf.end()) {
    found[{draft->second, iterations}] += registers;
    return;
  }
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      findProducers(operand, iterations, registers, found, visited);
  });
}

GraphBuilder::Producers GraphBuilder::producersOf(const Draft &draft) {
  Producers found;
  llvm::DenseSet<std::pair<Value, int64_t>> visited;
  for (Operation *op : draft.ops)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        findProducers(operand, 0, INT32_MAX, found, visited);
    });
  return found;
}

// Nodes ---------------------------------------------------------------------------------------------------------------

/// Merges each draft node without effects and with at most `clocks` clocks into the only draft node that uses its
/// results.
void GraphBuilder::mergeUpTo(int64_t clocks) {
  SmallVector<llvm::SmallSetVector<unsigned, 4>> usersOf(drafts.size());
  for (auto [number, draft] : llvm::enumerate(drafts)) {
    if (draft.isMerged)
      continue;
    for (auto [producer, registers] : producersOf(draft))
      if (producer.second == 0 && producer.first != number)
        usersOf[producer.first].insert(unsigned(number));
  }
  for (unsigned number = unsigned(drafts.size()); number-- > 0;) {
    Draft &draft = drafts[number];
    if (draft.isMerged || !draft.isPure || draft.cost.clocks > clocks)
      continue;
    llvm::SmallSetVector<unsigned, 4> users;
    for (unsigned user : usersOf[number])
      users.insert(draftOf[drafts[user].ops.front()]);
    if (users.size() != 1)
      continue;
    Draft &user = drafts[users.front()];
    for (Operation *op : draft.ops)
      draftOf[op] = users.front();
    user.ops.insert(user.ops.begin(), draft.ops.begin(), draft.ops.end());
    addCost(user.cost, draft.cost);
    draft.isMerged = true;
  }
}

void GraphBuilder::merge() {
  UnitClocks total{};
  for (const Draft &draft : drafts)
    total[size_t(draft.cost.unit)] += draft.cost.clocks;
  const int64_t busiest = *llvm::max_element(total);
  auto count = [&] { return llvm::count_if(drafts, [](const Draft &draft) { return !draft.isMerged; }); };
  // Draft nodes that cost at most 1/32 of the busiest unit's clocks are merged, because assigning them to stages
  // separately gains little.
  constexpr int64_t kSmallestPart = 32;
  for (int64_t clocks = busiest / kSmallestPart;; clocks *= 2) {
    mergeUpTo(clocks);
    if (count() <= kMaxStageNodes || clocks > busiest || clocks == 0)
      return;
  }
}

/// Numbers the nodes that remain after merging, in the order of their last operations.
void GraphBuilder::number() {
  for (unsigned draft = 0; draft < drafts.size(); ++draft)
    if (!drafts[draft].isMerged)
      numbered.push_back(draft);
  for (unsigned draft : numbered) {
    llvm::sort(drafts[draft].ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    graph.problem.nodes.push_back(drafts[draft].cost);
    graph.opsOf.push_back(drafts[draft].ops);
  }
}

void GraphBuilder::addUses() {
  std::vector<unsigned> numberOf(drafts.size());
  for (auto [number, draft] : llvm::enumerate(numbered))
    numberOf[draft] = unsigned(number);
  for (auto [number, draft] : llvm::enumerate(numbered))
    for (auto [producer, registers] : producersOf(drafts[draft])) {
      if (producer.second == 0 && producer.first == draft)
        continue;
      const unsigned from = numberOf[producer.first];
      graph.problem.uses.push_back({from, unsigned(number), producer.second, registers});
      if (auto exchange = exchanges.find(drafts[producer.first].exchange); exchange != exchanges.end())
        graph.problem.orders.push_back(
            {from, unsigned(number), producer.second,
             exchange->second == Exchange::BetweenGroups ? StageDistance::BetweenGroups : StageDistance::WithinGroup});
    }
}

/// Counts the registers of two kinds of tensors: results that other nodes use, and float tensors from before the loop.
/// Integer tensors from before the loop are not counted: they are offsets of accesses, and an access of 16 bytes needs
/// only one offset.
void GraphBuilder::countRegisters() {
  StageProblem &problem = graph.problem;
  for (auto [number, ops] : llvm::enumerate(graph.opsOf)) {
    llvm::SmallPtrSet<Operation *, 4> own(ops.begin(), ops.end());
    // Free operations, such as views of a tensor, need no registers of their own.
    std::function<bool(Operation *)> isOwn = [&](Operation *user) {
      Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
      if (own.contains(op))
        return true;
      return !draftOf.contains(op) && !op->hasTrait<OpTrait::IsTerminator>() && llvm::all_of(op->getUsers(), isOwn);
    };
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (isa<RankedTensorType>(result.getType()) && !llvm::all_of(result.getUsers(), isOwn))
          problem.nodes[number].registers += registersOf(result.getType());
  }
  llvm::SmallPtrSet<Value, 16> before;
  loop.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && isa<FloatType>(getElementTypeOrSelf(operand)) &&
          loop.isDefinedOutsideOfLoop(operand) && !matchPattern(operand, m_Constant()) &&
          !operand.getDefiningOp<hk::SplatOp>())
        before.insert(operand);
  });
  const TargetInfo &target = hk::targetOf(loop);
  // Registers per lane that are reserved for addresses, warp-uniform scalars, and intermediate results.
  constexpr int64_t kReserved = 32;
  problem.registerLimit = target.unit.registers / (kWarpsOfPipeline / target.unit.simds) - kReserved;
  for (Value value : before)
    problem.registerLimit -= registersOf(value.getType());
}

std::optional<StageRefusal> GraphBuilder::build() {
  if (std::optional<StageRefusal> refusal = readBody())
    return refusal;
  merge();
  number();
  if (graph.opsOf.size() < 2)
    return StageRefusal{nullptr, "the loop has fewer than two operations on tiles"};
  if (graph.opsOf.size() > kMaxStageNodes)
    return StageRefusal{nullptr, "the loop has " + std::to_string(graph.opsOf.size()) + " operations, but at most " +
                                     std::to_string(kMaxStageNodes) + " can be divided into stages"};
  addUses();
  countRegisters();
  const CostTable &costs = *hk::targetOf(loop).costs;
  // Number of instructions of a slot in addition to the barrier: changes of the warp priority, waits, and scalar
  // arithmetic. With this number, stages of MMAs take as long as by the schedule model of the machine code
  // (python/hocket/isa/schedule.py): five instructions and a barrier take as long as the last MFMA of a stage.
  constexpr int kInstructionsOfSlot = 5;
  constexpr int kInstructionsOfLoop = 4;
  graph.problem.loopClocks = costs.branch > 0 ? costs.branch + kInstructionsOfLoop * costs.issue : 0;
  graph.problem.moveClocks = costs.vector;
  graph.problem.slotClocks = costs.barrier + kInstructionsOfSlot * costs.issue;
  return std::nullopt;
}

std::variant<LoopGraph, StageRefusal> graphOf(scf::ForOp loop, const MemoryAliases &aliases,
                                              const DivisibleExchanges &exchanges) {
  LoopGraph graph;
  if (std::optional<StageRefusal> refusal = findIneligible(loop, exchanges))
    return *refusal;
  if (std::optional<StageRefusal> refusal = GraphBuilder(loop, graph, exchanges).build())
    return *refusal;
  if (std::optional<StageRefusal> refusal = addMemoryOrders(graph, loop, aliases))
    return *refusal;
  return graph;
}

} // namespace hocket
