//===- JoinGroups.cpp - Joins wgmmas that are needed at the same time into one group ----------------===//
#include "transforms/minimize_waits/JoinGroups.h"

using namespace mlir;

namespace hocket {

/// Minimum number of operations between two operations that need a wait, for which each of the two operations gets its
/// own wait. An activation function has fewer operations than this number, a softmax has more.
static constexpr int kWorthAWait = 8;

namespace {
class GroupJoiner {
public:
  GroupJoiner(const AsyncUses &uses, ArrayRef<WaitNeed> needs, ArrayRef<hk::AsyncCounter> counters)
      : uses(uses), needs(needs), counters(counters) {}

  void join(Block &block);

private:
  bool isToJoin(hk::AsyncResults start) const { return llvm::is_contained(counters, start.getCounterOfResults()); }
  bool isNeeding(Operation &op) const {
    return llvm::any_of(
        needs, [&](const WaitNeed &need) { return need.op == &op && llvm::is_contained(counters, need.counter); });
  }
  Operation *firstNeed(Operation *start) const;
  bool areNeededTogether(Operation *first, Operation *second) const;

  const AsyncUses &uses;
  ArrayRef<WaitNeed> needs;
  ArrayRef<hk::AsyncCounter> counters;
};
} // namespace

/// Returns the first operation in the loop around `start` that needs a wait for the access that `start` starts.
Operation *GroupJoiner::firstNeed(Operation *start) const {
  Operation *loop = start->getParentOfType<LoopLikeOpInterface>();
  for (const WaitNeed &need : needs)
    if (uses.starts()[need.number].op == start && (!loop || loop->isProperAncestor(need.op)))
      return need.op;
  return nullptr;
}

bool GroupJoiner::areNeededTogether(Operation *first, Operation *second) const {
  Operation *one = firstNeed(first), *other = firstNeed(second);
  if (!one || !other)
    return one == other;
  if (one->getBlock() != other->getBlock())
    return false;
  if (other->isBeforeInBlock(one))
    std::swap(one, other);
  int between = 0;
  for (; one != other; one = one->getNextNode())
    between += one->getNumRegions() ? kWorthAWait : 1;
  return between < kWorthAWait;
}

void GroupJoiner::join(Block &block) {
  hk::AsyncResults last;
  for (Operation &op : block) {
    if (op.getNumRegions() || isNeeding(op))
      last = {};
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        join(inner);
    auto start = dyn_cast<hk::AsyncResults>(op);
    if (!start || !isToJoin(start))
      continue;
    if (last && last.getCounterOfResults() == start.getCounterOfResults() && areNeededTogether(last, start))
      last.leaveGroupOpen();
    last = start;
  }
}

void joinGroups(Region &function, const AsyncUses &uses, ArrayRef<WaitNeed> needs,
                ArrayRef<hk::AsyncCounter> counters) {
  GroupJoiner joiner(uses, needs, counters);
  for (Block &block : function)
    joiner.join(block);
}

} // namespace hocket
