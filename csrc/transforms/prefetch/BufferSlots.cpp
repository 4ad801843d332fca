//===- BufferSlots.cpp - Turns buffers of a loop into ring buffers -------------------===//
#include "transforms/prefetch/BufferSlots.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "transforms/prefetch/LoopAccesses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace hocket::prefetch {

// Eligible buffers ----------------------------------------------------------------------------------------------------

/// True if `op` is in a loop that is in no function: the clone of the loop before copies in branches were separated
/// (BranchCopies.h).
static bool isDetached(Operation *op) { return !op->getParentOfType<func::FuncOp>(); }

/// True if all uses of `handle` and of its views are in the loop.
static bool isUsedInLoopOnly(Value handle, scf::ForOp loop) {
  return llvm::all_of(handle.getUsers(), [&](Operation *user) {
    if (isDetached(user))
      return true;
    if (!loop.getBodyRegion().isAncestor(user->getParentRegion()))
      return false;
    if (llvm::any_of(user->getResultTypes(), llvm::IsaPred<hk::MemDescType>))
      return isa<hk::MemDescView>(user) && isUsedInLoopOnly(user->getResult(0), loop);
    return isa<MemoryEffectOpInterface>(user) && !user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// True if `a` and `b` are the same value, or results of equal computations, e.g. in different branches.
static bool areEqual(Value a, Value b) {
  if (a == b)
    return true;
  Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  auto areEqualOperands = [](Value left, Value right) { return success(areEqual(left, right)); };
  return one && other && isMemoryEffectFree(one) && one->getNumRegions() == 0 && one->getNumResults() == 1 &&
         OperationEquivalence::isEquivalentTo(one, other, areEqualOperands, nullptr,
                                              OperationEquivalence::IgnoreLocations);
}

/// True if each iteration uses only one slot of the ring buffer `buffer`.
static bool hasOneSlotPerIteration(hk::LocalAllocOp buffer) {
  unsigned slotRank = buffer.getType().getSlotRank();
  if (slotRank != 1)
    return slotRank == 0;
  Value index;
  return llvm::all_of(buffer.getResult().getUsers(), [&](Operation *user) {
    if (isDetached(user))
      return true;
    // `replaceBuffer` will replace this hk.memdesc_index.
    auto slot = dyn_cast<hk::MemDescIndexOp>(user);
    if (!slot || (index && !areEqual(slot.getIndex(), index)))
      return false;
    index = slot.getIndex();
    return true;
  });
}

namespace {
/// A condition, possibly negated.
struct Condition {
  Value value;
  bool isNegated = false;

  explicit Condition(Value condition, bool negated = false) : value(condition), isNegated(negated) {
    while (auto negation = value.getDefiningOp<arith::XOrIOp>()) {
      if (!matchPattern(negation.getRhs(), m_One()))
        return;
      value = negation.getLhs();
      isNegated = !isNegated;
    }
  }
  bool operator==(const Condition &) const = default;
};
} // namespace

/// True if `op` is in a branch that is taken only if `condition` holds.
static bool isUnder(Operation *op, const Condition &condition) {
  for (; op && !isa<func::FuncOp>(op); op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    if (branch && Condition(branch.getCondition(), op->getBlock() != branch.thenBlock()) == condition)
      return true;
  }
  return false;
}

/// Returns an operation of the loop that possibly accesses `buffer` in an iteration in which `write`, the branch that
/// fills the buffer, is not executed; null if there is none.
static Operation *accessWithoutFill(hk::LocalAllocOp buffer, Operation *write, scf::ForOp loop) {
  auto branch = dyn_cast<scf::IfOp>(write);
  if (!branch)
    return nullptr;
  Condition condition(branch.getCondition());
  Operation *found = nullptr;
  loop.getBody()->walk([&](Operation *op) {
    if (op->getNumRegions() == 0 && buffersOf(op).contains(buffer) && !isUnder(op, condition) && !found)
      found = op;
  });
  return found;
}

/// Returns the reason why `buffer` cannot become a ring buffer; nullopt if it can. `fill` is the operation that fills
/// the buffer: `write`, or an operation in the branch `write`.
static std::optional<Refusal> checkBuffer(hk::LocalAllocOp buffer, Operation *fill, Operation *write, scf::ForOp loop) {
  if (buffer.getSrc() || loop->isAncestor(buffer))
    return Refusal{buffer, "it copies to a buffer that already holds data",
                   "allocate the buffer before the loop, without an initial value"};
  if (!hasOneSlotPerIteration(buffer))
    return Refusal{write, "it uses several buffers of the ring in one iteration",
                   "use one buffer in an iteration; the compiler chooses the number of buffers"};
  if (!isUsedInLoopOnly(buffer.getResult(), loop))
    return Refusal{buffer, "the buffer that it copies to is used outside of the loop, too",
                   "allocate a separate buffer for the loop"};
  if (!hk::showsAll(filledTile(fill)))
    return Refusal{write, "it does not fill the buffer with one copy"};
  for (Operation &op : *loop.getBody())
    if (&op != write && op.isBeforeInBlock(write) && buffersOf(&op).contains(buffer))
      return Refusal{&op, "it accesses the buffer before it copies to it", "copy at the start of an iteration"};
  if (Operation *op = accessWithoutFill(buffer, write, loop))
    return Refusal{op, "it accesses the buffer in iterations that do not copy to it",
                   "copy in every iteration, or access the buffer under the condition of the copy"};
  return std::nullopt;
}

std::variant<Buffers, Refusal> findOwnBuffers(const PipelinePlan &plan) {
  Buffers buffers;
  for (Operation *write : plan.writes) {
    SmallVector<Operation *, 1> fills = copiesInBranch(write);
    if (fills.empty())
      fills.push_back(write);
    for (Operation *fill : fills) {
      Value tile = filledTile(fill);
      hk::LocalAllocOp buffer = tile ? hk::bufferOf(tile) : hk::LocalAllocOp();
      if (!buffer)
        return Refusal{write, "the buffer that it copies to is selected at run time"};
      if (llvm::is_contained(buffers, buffer))
        continue;
      if (std::optional<Refusal> why = checkBuffer(buffer, fill, write, plan.loop))
        return *why;
      buffers.push_back(buffer);
    }
  }
  return buffers;
}

// Slots ---------------------------------------------------------------------------------------------------------------

static hk::MemDescType typeWithSlots(hk::LocalAllocOp buffer, int64_t numSlots) {
  hk::MemDescType type = buffer.getType();
  SmallVector<int64_t> shape{numSlots};
  shape.append(type.getTileShape().begin(), type.getTileShape().end());
  return hk::MemDescType::get(shape, type.getElementType(), type.getLayout(), shape, type.getSpace());
}

SmallVector<SpaceBytes, 1> bytesWithSlots(const Buffers &buffers, int64_t numSlots) {
  SmallVector<SpaceBytes, 1> all;
  auto find = [&](hk::LocalAllocOp alloc) {
    return llvm::find_if(all, [&](const SpaceBytes &one) { return one.space == alloc.getType().getSpace(); });
  };
  for (hk::LocalAllocOp buffer : buffers)
    if (hk::MemorySpace space = buffer.getType().getSpace(); find(buffer) == all.end())
      all.push_back({space, 0, space.getCapacity(hk::targetOf(buffer))});
  hk::LocalAllocOp(buffers.front())->getParentOfType<func::FuncOp>().walk([&](hk::LocalAllocOp alloc) {
    bool gainsSlots = llvm::is_contained(buffers, alloc);
    if (SpaceBytes *own = find(alloc); own != all.end())
      own->bytes += (gainsSlots ? typeWithSlots(alloc, numSlots) : alloc.getType()).getAllocBytes();
  });
  return all;
}

/// Returns `slot + 1`, or 0 after the last slot.
static Value nextSlot(OpBuilder &builder, Location loc, Value slot, int64_t numSlots) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  };
  Value next = arith::AddIOp::create(builder, loc, slot, constant(1));
  Value isEnd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, constant(numSlots));
  return arith::SelectOp::create(builder, loc, isEnd, constant(0), next);
}

/// Replaces `buffer` in the loop by slot number `slot` of a ring buffer.
static void replaceBuffer(IRRewriter &rewriter, hk::LocalAllocOp buffer, scf::ForOp loop, Value slot,
                          int64_t numSlots) {
  rewriter.setInsertionPoint(buffer);
  hk::MemDescType type = buffer.getType();
  auto ring = hk::LocalAllocOp::create(rewriter, buffer.getLoc(), typeWithSlots(buffer, numSlots), Value());
  ring.setNameAttr(buffer.getNameAttr());
  rewriter.setInsertionPointToStart(loop.getBody());
  auto tileType = hk::MemDescType::get(type.getTileShape(), type.getElementType(), type.getLayout(),
                                       type.getTileShape(), type.getSpace());
  Value tile = hk::MemDescIndexOp::create(rewriter, buffer.getLoc(), tileType, ring.getResult(), slot);
  if (type.getSlotRank() == 0)
    return rewriter.replaceOp(buffer, tile);
  for (Operation *user : llvm::make_early_inc_range(buffer.getResult().getUsers()))
    rewriter.replaceOp(user, tile);
  rewriter.eraseOp(buffer);
}

scf::ForOp giveSlots(scf::ForOp loop, const Buffers &buffers, int64_t numSlots) {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  Value first = arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(0));
  bool isUnsigned = loop.getUnsignedCmp();
  auto addNext = [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> added) {
    return SmallVector<Value>{nextSlot(builder, loc, added.front(), numSlots)};
  };
  auto grown = cast<scf::ForOp>(
      *loop.replaceWithAdditionalYields(rewriter, first, /*replaceInitOperandUsesInLoop=*/false, addNext));
  grown.setUnsignedCmp(isUnsigned);
  for (hk::LocalAllocOp buffer : buffers)
    replaceBuffer(rewriter, buffer, grown, grown.getRegionIterArgs().back(), numSlots);
  return grown;
}

} // namespace hocket::prefetch
