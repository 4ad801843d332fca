//===- MemoryLiveness.cpp - Live intervals of buffers and scratch memory ----------===//
#include "analysis/memory/MemoryLiveness.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Predicated.h"
#include "dialect/hk/facts/Scratch.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

namespace {
/// Maps an operation to the interval [begin, end) of the numbers of the operation and all nested operations.
using Numbering = llvm::DenseMap<Operation *, Interval>;
} // namespace

static void number(Operation *op, Numbering &numbers, int64_t &next) {
  int64_t begin = next++;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      number(&inner, numbers, next);
  numbers[op] = {begin, next};
}

/// Returns the number at which the live interval of the buffer that `alloc` allocates ends, if `user` is the only user
/// of the buffer.
static int64_t endOfUse(Operation *alloc, Operation *user, const Numbering &numbers) {
  int64_t end = numbers.at(user).end;
  for (Operation *parent = user->getParentOp(); !parent->isProperAncestor(alloc); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      end = std::max(end, numbers.at(parent).end);
  return end;
}

/// Returns the operation number at which the access that `start` has started on `counter` is certainly complete: the
/// end of the first wait for all groups that is always executed after `start`. Returns the end of the function if there
/// is no such wait.
static int64_t endOfAccess(Operation *start, hk::AsyncCounter counter, const Numbering &numbers) {
  for (Operation *op = start; op; op = op->getParentOp()) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (hk::outstandingOn(next, counter) == 0u)
        return numbers.at(next).end;
    // Only waits of the same worker can complete the accesses of a worker.
    if (isa<hk::WarpPartition>(op))
      op = op->getParentOfType<FunctionOpInterface>();
    if (isa<FunctionOpInterface>(op))
      return numbers.at(op).end;
  }
  llvm_unreachable("an access is in a function");
}

namespace {
/// The memory to which one handle refers, and all handles of this memory or of parts of it.
struct SameMemory {
  const MemoryAliases &aliases;
  llvm::SmallPtrSet<Value, 4> views;
  /// The region to which the handle refers; nullopt if this region is not known exactly.
  std::optional<MemoryRegion> region = std::nullopt;

  SameMemory(const MemoryAliases &aliases, Value handle) : aliases(aliases) {
    SmallVector<Value> pending{handle};
    while (!pending.empty()) {
      Value view = pending.pop_back_val();
      if (!views.insert(view).second)
        continue;
      for (Operation *user : view.getUsers())
        if (isa<hk::MemDescView>(user))
          pending.push_back(user->getResult(0));
    }
    ArrayRef<MemoryRegion> regions = aliases.lookup(handle);
    if (regions.size() == 1 && regions.front().isExact())
      region = regions.front();
  }

  bool isReadThrough(const MemoryUse &use) const {
    bool isSameRegion = region && use.regions.size() == 1 && use.regions.front() == *region;
    return !use.writes && (views.contains(use.handle) || isSameRegion);
  }
  /// True if each execution of `op` certainly reads at least a part of the memory. A wait at a barrier has a memory
  /// operand, but does not read this memory.
  bool isCertainlyReadBy(Operation *op) const {
    auto predicated = dyn_cast<hk::Predicated>(op);
    if (isa<hk::SharedBarrierUse>(op) || (predicated && predicated.getPredicate()))
      return false;
    if (llvm::any_of(aliases.usesOf(op), [&](const MemoryUse &use) { return isReadThrough(use); }))
      return true;
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
    return trips && !trips->isZero() &&
           llvm::any_of(*loop.getBody(), [&](Operation &inner) { return isCertainlyReadBy(&inner); });
  }
};
} // namespace

/// True if, after `start`, the partition of warps that executes `start` certainly reads the bytes that `start` has
/// written through `handle`.
static bool isReadAfter(Operation *start, Value handle, const MemoryAliases &aliases) {
  SameMemory memory(aliases, handle);
  for (Operation *op = start; !isa<FunctionOpInterface, hk::ConcurrentRegion>(op); op = op->getParentOp())
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (memory.isCertainlyReadBy(next))
        return true;
  return false;
}

/// Extends the live interval of a buffer that `op` allocates or uses to all operations that other warps may execute
/// during `op`.
static void coverConcurrentOps(Interval &live, Operation *op, const Numbering &numbers) {
  for (auto region = op->getParentOfType<hk::ConcurrentRegion>(); region;
       region = region->getParentOfType<hk::ConcurrentRegion>()) {
    auto [first, last] = region.getConcurrentOps();
    live.begin = std::min(live.begin, numbers.at(first).begin);
    live.end = std::max(live.end, numbers.at(last).end);
  }
}

MemoryLiveness::MemoryLiveness(Operation *function) {
  Numbering numbers;
  int64_t next = 0;
  number(function, numbers, next);

  llvm::DenseMap<Operation *, unsigned> pieceOf;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto alloc = dyn_cast<hk::LocalAllocOp>(op);
    int64_t bytes = alloc ? alloc.getType().getAllocBytes() : hk::getScratchBytes(op);
    if (!bytes)
      return;
    pieceOf[op] = pieces.size();
    int64_t begin = numbers.at(op).begin;
    pieces.push_back({op, bytes, {begin, begin + 1}});
    coverConcurrentOps(pieces.back().live, op, numbers);
  });

  MemoryAliases aliases(function);
  bool isAlone = hk::numCtasOf(function) == 1;
  SmallVector<std::pair<Operation *, Operation *>> usedAsLong; // (buffer, mbarrier)
  for (Value handle : aliases.handles())
    for (const MemoryRegion &region : aliases.lookup(handle))
      for (Operation *user : handle.getUsers()) {
        Operation *alloc = region.getOwner();
        Interval &live = pieces[pieceOf.at(alloc)].live;
        live.end = std::max(live.end, endOfUse(alloc, user, numbers));
        coverConcurrentOps(live, user, numbers);
        auto async = dyn_cast<hk::AsyncAccess>(user);
        hk::Completion completion = async ? async.getCompletionOf(handle) : hk::Completion();
        if (std::optional<hk::AsyncCounter> counter = completion.getCounter())
          live.end = std::max(live.end, endOfAccess(user, *counter, numbers));
        if (std::optional<hk::BarrierPhase> phase = completion.getPhase()) {
          if (isAlone && isReadAfter(user, handle, aliases))
            continue;
          for (const MemoryRegion &barrier : aliases.lookup(phase->barrier))
            usedAsLong.push_back({alloc, barrier.getOwner()});
        }
        if (user->hasTrait<OpTrait::IsTerminator>() && isa<LoopLikeOpInterface>(user->getParentOp()) &&
            user->getParentOp()->isProperAncestor(alloc) && !isa<scf::ConditionOp>(user))
          carriesOwnBuffer = user;
      }
  for (auto [alloc, barrier] : usedAsLong) {
    Interval &live = pieces[pieceOf.at(alloc)].live;
    live.end = std::max(live.end, pieces[pieceOf.at(barrier)].live.end);
  }
}

} // namespace hocket
