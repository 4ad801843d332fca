//===- PlaceCommits.cpp - Inserts commits for copies that the program does not commit --------------===//
#include "transforms/minimize_waits/PlaceCommits.h"

#include "analysis/async/AsyncUses.h"
#include "dialect/hk/layouts/MemDescViews.h"

using namespace mlir;

namespace hocket {

namespace {
class CommitPlacer {
public:
  explicit CommitPlacer(const AsyncUses &uses) : uses(uses) {}

  void place(Block &block, unsigned numLoops);

private:
  bool conflictsWithRow(Operation &op, unsigned numLoops) const;
  bool isNextSlot(Operation &copy) const;
  void endRow();

  const AsyncUses &uses;
  SmallVector<Operation *> row;
};
} // namespace

bool CommitPlacer::conflictsWithRow(Operation &op, unsigned numLoops) const {
  GroupsInFlight::When now(numLoops);
  return llvm::any_of(row, [&](Operation *copy) {
    return llvm::any_of(uses.startsOf(copy),
                        [&](unsigned number) { return uses.conflictInMemory(&op, number, now) != Conflict::None; });
  });
}

static hk::LocalAllocOp ringOf(Operation *copy, Value &index) {
  for (Value operand : copy->getOperands())
    if (isa<hk::MemDescType>(operand.getType()))
      if (std::optional<hk::RingSlot> slot = hk::slotOf(operand)) {
        index = slot->index;
        return slot->ring;
      }
  return {};
}

/// True if an earlier copy of the group writes another slot of the ring buffer that `copy` writes.
bool CommitPlacer::isNextSlot(Operation &copy) const {
  Value index, other;
  hk::LocalAllocOp ring = ringOf(&copy, index);
  return ring &&
         llvm::any_of(row, [&](Operation *earlier) { return ringOf(earlier, other) == ring && other != index; });
}

void CommitPlacer::endRow() {
  if (row.empty())
    return;
  OpBuilder builder(row.back()->getContext());
  builder.setInsertionPointAfter(row.back());
  hk::AsyncCommitGroupOp::create(builder, row.back()->getLoc());
  row.clear();
}

void CommitPlacer::place(Block &block, unsigned numLoops) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool startsCopy = llvm::any_of(uses.startsOf(&op),
                                   [&](unsigned number) { return uses.starts()[number].counter == hk::kCopyGroups; });
    if (op.getNumRegions() || op.hasTrait<OpTrait::IsTerminator>() || isa<hk::StageBeginOp, hk::StageEndOp>(op) ||
        (startsCopy && isNextSlot(op)) || (!row.empty() && uses.concerns(&op) && conflictsWithRow(op, numLoops)))
      endRow();
    if (startsCopy)
      row.push_back(&op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        place(inner, numLoops + isa<LoopLikeOpInterface>(op));
  }
  endRow();
}

void placeCommits(func::FuncOp function) {
  AsyncUses uses(function);
  CommitPlacer placer(uses);
  for (Block &block : function.getBody())
    placer.place(block, 0);
}

} // namespace hocket
