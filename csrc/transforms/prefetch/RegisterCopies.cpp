//===- RegisterCopies.cpp - Plans the prefetch of copies through registers ----------===//
//
//     read    %x = hk.load %p             2 stages:   read 1 ahead     write 1 ahead    compute
//     write   %y = arith.truncf %x        3 stages:   read 2 ahead     write 1 ahead    compute
//             hk.local_store %y, %tile
//     compute %a = hk.local_load %tile
//             %d = hk.dot_fma %a, ...
//
// A pipeline has at most 3 stages: a fourth stage would only keep another tile in registers.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "transforms/prefetch/PlanSteps.h"

using namespace mlir;

namespace hocket::prefetch {

namespace {
class RegisterPlanner {
public:
  RegisterPlanner(scf::ForOp loop, const BodyAccesses &body) : loop(loop), body(body) {}
  std::variant<PipelinePlan, Refusal> plan(int64_t numStages);

private:
  void findCopies();
  std::optional<Refusal> checkLoads() const;
  std::optional<Refusal> checkStores() const;
  std::optional<Refusal> checkOrder() const;
  Accesses at(Operation *op) const { return body.lookup(op); }

  scf::ForOp loop;
  const BodyAccesses &body;
  llvm::SetVector<Operation *> reads;
  Roots writes, others;
};
} // namespace

/// Finds the stores of values that the same iteration loads, the loads of these values, and all other operations with
/// effects.
void RegisterPlanner::findCopies() {
  for (auto &[op, accesses] : body) {
    if (!accesses.onlyWritesBuffer())
      continue;
    bool readsBuffer = false;
    llvm::SetVector<Operation *> loads;
    for (Operation *from : sliceOfIteration(op, loop, [&](Operation *from) { return at(from).onlyReadsGlobal(); })) {
      readsBuffer |= at(from).readsBuffer;
      if (at(from).onlyReadsGlobal())
        loads.insert(from);
    }
    if (readsBuffer || loads.empty())
      continue;
    writes.push_back(op);
    reads.insert(loads.begin(), loads.end());
  }
  // Loads that compute addresses of other loads are prefetched, too.
  for (unsigned next = 0; next < reads.size(); ++next) {
    LoopSlice slice;
    slice.add(reads[next], loop, [](Operation *) { return false; });
    for (Operation *op : slice.ops)
      if (at(op).onlyReadsGlobal())
        reads.insert(op);
  }
  for (auto &[op, accesses] : body)
    if (hasPlace(op, accesses) && !reads.contains(op) && !llvm::is_contained(writes, op))
      others.push_back(op);
}

std::optional<Refusal> RegisterPlanner::checkLoads() const {
  for (Operation *op : makeStage(loop, 0, reads.getArrayRef(), {}).ops)
    if (at(op).readsBuffer || at(op).allocates)
      return Refusal{op, "the address of its load, or its condition, depends on a read of shared memory"};
  return std::nullopt;
}

std::optional<Refusal> RegisterPlanner::checkStores() const {
  for (Operation *op : makeStage(loop, 0, writes, reads).ops) {
    if (llvm::is_contained(writes, op) || at(op).isNothing())
      continue;
    if (at(op).allocates)
      return Refusal{op, "it allocates the buffer that it copies to", "allocate it before the loop"};
    if (at(op).onlyReadsGlobal())
      return Refusal{op, "it stores data that an earlier iteration has loaded, so it already prefetches"};
    return Refusal{op, "the data that it stores depends on values that it computes"};
  }
  return std::nullopt;
}

/// Checks that stores can be hoisted before the computation of their iteration. The stores must not conflict with
/// preceding accesses of the original loop.
std::optional<Refusal> RegisterPlanner::checkOrder() const {
  bool readsCopies = false;
  for (Operation *other : others)
    for (Operation *write : writes) {
      bool shareBuffer = mayShareBuffer(other, write);
      readsCopies |= shareBuffer && at(other).readsBuffer;
      if (shareBuffer && other->isBeforeInBlock(write))
        return Refusal{write, "it accesses the buffer before it copies to it",
                       hk::kSeriesAttr.isOn(loop)
                           ? "leave loop_unroll_factor out: it copies to the buffer several times in an iteration"
                           : "copy at the start of an iteration, and to each buffer once"};
    }
  if (!readsCopies)
    return Refusal{nullptr, "it does not read the data that it copies to shared memory"};
  return std::nullopt;
}

/// True if the loop already stores values to shared memory that an earlier iteration has loaded.
static bool prefetchesAlready(scf::ForOp loop, const BodyAccesses &body) {
  return llvm::any_of(body, [&](auto &entry) {
    bool loads = false;
    LoopSlice slice;
    auto isLoad = [&](Operation *op) {
      bool isIt = body.lookup(op).onlyReadsGlobal();
      loads |= isIt;
      return isIt;
    };
    if (entry.second.onlyWritesBuffer())
      slice.add(entry.first, loop, isLoad);
    return loads && llvm::none_of(slice.ops, [&](Operation *op) { return body.lookup(op).readsBuffer; });
  });
}

/// Returns the reason why no copies were found, e.g. because the copies are in a nested loop or a branch.
static Refusal noCopies(const BodyAccesses &body) {
  for (auto &[op, accesses] : body) {
    bool hasCopy = accesses.readsGlobal && accesses.writesBuffer;
    // A branch can contain a loop, too: a nested loop that has been pipelined is inside an scf.if.
    bool hasLoop = op->walk([](scf::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (isa<scf::IfOp>(op) && accesses.onlyWritesBuffer()) // created by separateBranchCopies
      return Refusal{op, "the condition of its copy depends on a read of shared memory", {}, true};
    if (hasCopy && hasLoop)
      return Refusal{op, "only its inner loop copies to shared memory", "give num_stages only to the inner loop", true,
                     true};
    if (hasCopy && isa<scf::IfOp>(op))
      return Refusal{op, "it copies to shared memory in one branch of an `if` only",
                     "copy in every iteration, with a mask for elements that must not be loaded", true};
    if (accesses.allocates && op->getNumOperands() > 0)
      return Refusal{op, "it allocates the buffer that it may copy to", "allocate it before the loop, and store to it",
                     true};
  }
  return Refusal{.reason = "it copies nothing from global to shared memory", .copiesNothing = true};
}

std::variant<PipelinePlan, Refusal> RegisterPlanner::plan(int64_t numStages) {
  findCopies();
  if (writes.empty()) {
    if (prefetchesAlready(loop, body))
      return Refusal{nullptr, "it stores data that an earlier iteration has loaded, so it already prefetches"};
    return noCopies(body);
  }
  if (std::optional<Refusal> why = checkLoads())
    return *why;
  if (std::optional<Refusal> why = checkStores())
    return *why;
  if (std::optional<Refusal> why = checkOrder())
    return *why;

  bool hasThree = numStages >= 3;
  PipelineStage read = makeStage(loop, hasThree ? 2 : 1, reads.getArrayRef(), {});
  PipelineStage write = makeStage(loop, 1, writes, reads);
  write.isKeptApart = true;
  PipelineStage compute = makeStage(loop, 0, others, reads);
  addResults(compute, loop, reads);
  PipelinePlan plan{.loop = loop, .reads = reads, .writes = writes};
  if (!hasThree)
    plan.stages.push_back(read);
  plan.stages.push_back(std::move(compute));
  plan.stages.push_back(std::move(write));
  if (hasThree)
    plan.stages.push_back(std::move(read));
  return plan;
}

std::variant<PipelinePlan, Refusal> planRegisterCopies(scf::ForOp loop, const BodyAccesses &body, int64_t numStages) {
  return RegisterPlanner(loop, body).plan(numStages);
}

} // namespace hocket::prefetch
