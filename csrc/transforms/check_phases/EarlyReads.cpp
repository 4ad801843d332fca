//===- EarlyReads.cpp - Finds reads of a tile before any wait for the access that fills the tile ---===//
//
// A *start* is an operation whose access fills a tile and completes with a phase of an mbarrier (PhaseAccesses.h). A
// read of the tile is certainly too early in one of three cases:
//
//   1. The warps that execute the start also execute the read, the read certainly reads the same tile, and no operation
//      between the start and the read can order the read after the start.
//   2. All writes of the tile complete on mbarriers, and no operation of the function waits for these mbarriers.
//   3. All writes of the tile complete on mbarriers and are started in other partitions of the same hk.warp_specialize.
//      In the read's partition, no operation before the read can order the read after the writes.
//
// "Between" and "before" refer to program order in the first iteration of each loop around the read. If the read is in
// a branch inside a loop, all operations of the loop count as operations before the read, because a later iteration can
// be the first that executes the read.
//
//===------------------------------------------------------------------------------===//
#include "transforms/check_phases/EarlyReads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

namespace {
class EarlyReads {
public:
  explicit EarlyReads(const PhaseAccesses &accesses) : accesses(accesses) {}

  bool isAfterStart(const PhaseAccesses::Access &read, const PhaseAccesses::Start &start) const;
  bool isBeforeAnyWait(const PhaseAccesses::Access &read, const PhaseAccesses::Start &start) const;

private:
  bool isOrderedIn(Operation *around, Operation *read, const PhaseAccesses::Start &start) const;
  bool isOrderedBetween(Operation *first, Operation *last, Operation *read, const PhaseAccesses::Start &start) const;

  const PhaseAccesses &accesses;
};
} // namespace

static bool runsAtLeastOnce(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  std::optional<APInt> trips = counted ? counted.getStaticTripCount() : std::nullopt;
  return trips && !trips->isZero();
}

/// Returns the outermost loop, `around` or a loop inside `around`, that contains an scf.if around `op`; null if there
/// is none.
static Operation *loopOfCondition(Operation *around, Operation *op) {
  Operation *found = nullptr;
  bool isConditional = false;
  for (op = op->getParentOp(); op != around->getParentOp(); op = op->getParentOp()) {
    isConditional |= isa<scf::IfOp>(op);
    if (isConditional && isa<LoopLikeOpInterface>(op))
      found = op;
  }
  return found;
}

/// True if an operation inside `around` that can be executed before `read` possibly orders `start` before `read`.
/// `read` is inside `around`.
bool EarlyReads::isOrderedIn(Operation *around, Operation *read, const PhaseAccesses::Start &start) const {
  Operation *partition = PhaseAccesses::partitionOf(read);
  bool isOrdered = false;
  around->walk<WalkOrder::PreOrder>([&](Operation *op) {
    isOrdered |= op != around && op != read && accesses.mayOrder(op, start, partition);
    return WalkResult(failure(isOrdered || op == read));
  });
  if (isOrdered)
    return true;
  Operation *loop = loopOfCondition(around, read);
  return loop && loop->walk([&](Operation *op) { return WalkResult(failure(accesses.mayOrder(op, start, partition))); })
                     .wasInterrupted();
}

/// True if one of the operations [first, last) of a basic block possibly orders `start` before `read`.
bool EarlyReads::isOrderedBetween(Operation *first, Operation *last, Operation *read,
                                  const PhaseAccesses::Start &start) const {
  Operation *partition = PhaseAccesses::partitionOf(read);
  auto orders = [&](Operation *op) { return WalkResult(failure(accesses.mayOrder(op, start, partition))); };
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (op->walk(orders).wasInterrupted())
      return true;
  return false;
}

/// Checks case 1 of the cases at the top of this file.
bool EarlyReads::isAfterStart(const PhaseAccesses::Access &read, const PhaseAccesses::Start &start) const {
  if (!start.isCertain || read.op == start.op ||
      PhaseAccesses::partitionOf(read.op) != PhaseAccesses::partitionOf(start.op) ||
      !accesses.certainlyReads(read, start))
    return false;
  for (Operation *op = start.op; !isa<func::FuncOp, hk::WorkerOp, hk::WarpSpecializeOp>(op); op = op->getParentOp()) {
    if (op != start.op && !runsAtLeastOnce(op))
      return false; // `start` is possibly not executed: it is in a branch, or in a loop whose trip count can be 0
    Operation *last = op->getBlock()->findAncestorOpInBlock(*read.op);
    if (last && op->isBeforeInBlock(last))
      return !isOrderedBetween(op->getNextNode(), last, read.op, start) &&
             (last == read.op || !isOrderedIn(last, read.op, start));
    if (op->getNextNode() && isOrderedBetween(op->getNextNode(), nullptr, read.op, start))
      return false;
  }
  return false;
}

/// Checks case 3 of the cases at the top of this file.
bool EarlyReads::isBeforeAnyWait(const PhaseAccesses::Access &read, const PhaseAccesses::Start &start) const {
  auto partitions = read.op->getParentOfType<hk::WarpSpecializeOp>();
  Operation *own = PhaseAccesses::partitionOf(read.op);
  if (!partitions || !partitions->isProperAncestor(start.op) || PhaseAccesses::partitionOf(start.op) == own)
    return false;
  if (own)
    return !isOrderedIn(own, read.op, start);
  return !isOrderedIn(partitions, read.op, start); // considers all operations of the default partition before the read
}

std::optional<EarlyRead> findEarlyRead(const PhaseAccesses &accesses) {
  EarlyReads reads(accesses);
  for (const PhaseAccesses::Access &read : accesses.reads()) {
    for (const PhaseAccesses::Start &start : accesses.starts())
      if (reads.isAfterStart(read, start))
        return EarlyRead{read.op, &start};
    SmallVector<const PhaseAccesses::Start *, 2> writers = accesses.onlyWritersOf(read);
    if (writers.empty())
      continue;
    auto isAwaited = [&](const PhaseAccesses::Start *start) { return accesses.isAwaited(*start); };
    auto isUnordered = [&](const PhaseAccesses::Start *start) { return reads.isBeforeAnyWait(read, *start); };
    if (llvm::none_of(writers, isAwaited) || llvm::all_of(writers, isUnordered))
      return EarlyRead{read.op, writers.front()};
  }
  return std::nullopt;
}

} // namespace hocket
