//===- ExchangeDivider.cpp - Divides exchanges between warps over the stages of a warp pipeline -===//
#include "transforms/warp_pipeline/ExchangeDivider.h"

#include "analysis/warp_pipeline/PingPongHazards.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/Scratch.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

ExchangeDivider::ExchangeDivider(PipelineDraft &draft) : draft(draft) {
  for (auto [index, stage] : llvm::enumerate(draft.stages)) {
    exclusive.push_back(stage.begin.getExclusive());
    for (Operation *op : stage.body)
      stages[op] = index;
  }
  // WarpPipelinePartition moves the scalar operations of a gap into the stage after the gap.
  for (auto [index, gap] : llvm::enumerate(draft.gaps))
    for (Operation *op : gap.scalars)
      stages[op] = std::min<unsigned>(index, numStages() - 1);
}

std::string ExchangeDivider::labelOf(unsigned stage) const {
  StringRef label = hk::StageBeginOp(draft.stages[stage].begin).getLabel();
  return label.empty() ? "stage " + std::to_string(stage + 1) : "stage \"" + label.str() + "\"";
}

// Uses ----------------------------------------------------------------------------------------------------------------

/// True if `op` can move to the stage that loads the result of the exchange: `op` costs no instructions, or is scalar.
static bool isView(Operation *op) {
  return isa<hk::ExpandDimsOp, hk::BroadcastOp, hk::ReshapeOp, hk::PermuteOp, hk::SplatOp>(op) ||
         (isPureScalar(op) && !op->hasTrait<OpTrait::IsTerminator>());
}

ExchangeDivider::Uses ExchangeDivider::findUses(Operation *op) const {
  Block *block = op->getBlock();
  Uses uses;
  llvm::SmallSetVector<Operation *, 4> views;
  SmallVector<Value> open(op->getResults());
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses()) {
      Operation *at = block->findAncestorOpInBlock(*use.getOwner());
      if (draft.loop && at == block->getTerminator())
        uses.yields.push_back(&use);
      else if (isView(at))
        views.insert(at) ? open.append(at->result_begin(), at->result_end()) : void();
      else if (!uses.first.at || at->isBeforeInBlock(uses.first.at))
        uses.first = {at, use.getOwner()};
    }
  uses.views = views.takeVector();
  llvm::sort(uses.views, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return uses;
}

/// Returns the first use of the loop-carried `variable`.
ExchangeDivider::Use ExchangeDivider::firstUseOf(Value variable) const {
  Block *block = scf::ForOp(draft.loop).getBody();
  Use first;
  for (Operation *user : variable.getUsers())
    if (Operation *at = block->findAncestorOpInBlock(*user); !first.at || at->isBeforeInBlock(first.at))
      first = {at, user};
  return first;
}

/// Returns the stage of an operation of the pipeline's block; the number of stages if the operation follows all stages.
/// Values that the loop yields count as used in the last stage.
unsigned ExchangeDivider::stageOf(Operation *at) const {
  auto found = stages.find(at);
  if (found != stages.end())
    return found->second;
  return draft.loop ? numStages() - 1 : numStages();
}

// Distances -----------------------------------------------------------------------------------------------------------

/// True if slots order an access of stage `from` before an access `distance` stages later.
bool ExchangeDivider::isFarEnough(unsigned from, int64_t distance, Exchange warps) const {
  // All warps synchronize at the end of a straight-line pipeline.
  if (!draft.loop && from + distance >= numStages())
    return true;
  StageHazard hazard{from, distance, warps.lagIn(draft.lags())};
  if (llvm::is_contained(exclusive, true))
    return isSettledByPingPong(exclusive, hazard);
  return hazard.canBeSettled();
}

/// Returns the smallest number of slots of the tile for which enough stages lie between the read of a slot and its next
/// write. The read is `distance` stages after the write in stage `written`.
int64_t ExchangeDivider::countSlots(unsigned written, int64_t distance, Exchange warps) const {
  if (!draft.loop)
    return 1;
  int64_t slots = 1;
  unsigned read = (written + distance) % numStages();
  while (!isFarEnough(read, slots * numStages() - distance, warps))
    ++slots;
  return slots;
}

// Slots ---------------------------------------------------------------------------------------------------------------

/// Returns the index of the ring buffer's slot that the current iteration writes; null if the ring buffer has only one
/// slot.
Value ExchangeDivider::counterOf(int64_t slots) {
  if (slots == 1)
    return {};
  auto [known, isNew] = counters.try_emplace(slots, 0);
  scf::ForOp loop = draft.loop;
  if (!isNew)
    return loop.getRegionIterArg(known->second);
  known->second = loop.getNumRegionIterArgs();
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value first = arith::ConstantIntOp::create(rewriter, loop.getLoc(), 0, 32);
  auto next = [&](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> counter) -> SmallVector<Value> {
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
    Value end = arith::ConstantIntOp::create(builder, loc, slots, 32);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value sum = arith::AddIOp::create(builder, loc, counter.front(), one);
    Value isEnd = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, sum, end);
    return {arith::SelectOp::create(builder, loc, isEnd, zero, sum)};
  };
  draft.loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(rewriter, first, false, next));
  return scf::ForOp(draft.loop).getRegionIterArgs().back();
}

/// Returns the index of the slot before slot `counter`, modulo the number of slots.
Value ExchangeDivider::previousOf(OpBuilder &builder, Location loc, Value counter, int64_t slots) const {
  if (slots == 1)
    return {};
  Value back = arith::AddIOp::create(builder, loc, counter, arith::ConstantIntOp::create(builder, loc, slots - 1, 32));
  return arith::RemSIOp::create(builder, loc, back, arith::ConstantIntOp::create(builder, loc, slots, 32));
}

/// If a warp pipeline ends with `last`, the operation before another pipeline, returns the first operation of the warp
/// pipeline that ends; null otherwise.
static Operation *startOfPipeline(Operation *last) {
  if (isa<hk::StageEndOp>(last)) {
    while (!isa<hk::StageBeginOp>(last))
      last = last->getPrevNode();
    return last;
  }
  auto loop = dyn_cast<scf::ForOp>(last);
  bool hasStages = loop && !loop.getBody()->getOps<hk::StageBeginOp>().empty();
  return hasStages ? last : nullptr;
}

/// Returns a builder that inserts before the pipeline and the pipelines that directly precede it: with an allocation in
/// between, two pipelines could not be joined (WarpPipelineBoundaries.cpp).
OpBuilder ExchangeDivider::beforePipeline() const {
  Operation *first = draft.loop ? scf::ForOp(draft.loop).getOperation() : draft.firstBegin().getOperation();
  for (Operation *op = first->getPrevNode(); op; op = op->getPrevNode()) {
    if (Operation *start = startOfPipeline(op))
      first = op = start;
    else if (!isPureScalar(op))
      break;
  }
  return OpBuilder(first);
}

/// Returns a builder that inserts directly after the marker that begins stage `stage`.
OpBuilder ExchangeDivider::atStart(unsigned stage) const {
  OpBuilder builder(draft.firstBegin().getContext());
  builder.setInsertionPointAfter(draft.stages[stage].begin);
  return builder;
}

// Division ------------------------------------------------------------------------------------------------------------

LogicalResult ExchangeDivider::divide(Operation *op, unsigned stage) {
  Uses uses = findUses(op);
  if (!uses.first.at && uses.yields.empty())
    return success();
  ExchangeHalves halves(op);
  Exchange warps = halves.getWarps();
  if (uses.first.at)
    if (int64_t distance = int64_t(stageOf(uses.first.at)) - stage; !isFarEnough(stage, distance, warps))
      return reportTooEarly(op, stage, warps, uses.first.user, distance);
  if (!uses.first.at && !isFarEnough(stage, int64_t(numStages()) - 1 - stage, warps))
    return readInNextIteration(op, halves, uses, stage);
  readInIteration(op, halves, uses, stage, uses.first.at ? stageOf(uses.first.at) : numStages() - 1);
  return success();
}

/// Emits the loads of the exchange in stage `read`, or after a straight-line pipeline.
void ExchangeDivider::readInIteration(Operation *op, ExchangeHalves &halves, const Uses &uses, unsigned written,
                                      unsigned read) {
  int64_t slots = countSlots(written, int64_t(read) - written, halves.getWarps());
  Value slot = counterOf(slots);
  OpBuilder allocations = beforePipeline();
  halves.store(allocations, slots, slot);
  OpBuilder builder = read < numStages() ? atStart(read) : OpBuilder(uses.first.at);
  // The views are moved to the insertion point, between the loads and `end`.
  Operation *end = &*builder.getInsertionPoint();
  op->replaceAllUsesWith(halves.load(builder, slot, halves.getIndices()));
  for (Operation *view : uses.views)
    if (view->isBeforeInBlock(end)) {
      view->moveBefore(end);
      stages[view] = read;
    }
  op->erase();
}

/// Returns the first of `views` that has an operand from the loop's body that is computed by neither `op` nor one of
/// `views`; null if there is no such view.
static Operation *findDependentView(scf::ForOp loop, Operation *op, ArrayRef<Operation *> views) {
  auto isDependent = [&](Value operand) {
    Operation *definition = operand.getDefiningOp();
    bool isInLoop = loop.getBodyRegion().isAncestor(operand.getParentRegion());
    return isInLoop && definition != op && !llvm::is_contained(views, definition);
  };
  for (Operation *view : views)
    if (view->getNumRegions() > 0 || llvm::any_of(view->getOperands(), isDependent))
      return view;
  return nullptr;
}

/// Moves the operations that depend on `value`, and precede `end` in its block, directly before `end`. The moved
/// operations are scalar operations of the gap before the stage that loads the result.
static void moveUsersTo(Value value, Operation *end) {
  llvm::SmallSetVector<Operation *, 4> early;
  SmallVector<Value> open{value};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers())
      if (Operation *at = end->getBlock()->findAncestorOpInBlock(*user); at->isBeforeInBlock(end) && early.insert(at))
        open.append(at->result_begin(), at->result_end());
  SmallVector<Operation *> inOrder = early.takeVector();
  llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : inOrder)
    op->moveBefore(end);
}

/// If the loop computes the indices of a gather in each iteration, carries the indices to the next iteration. Returns
/// the index of the new loop-carried variable.
std::optional<unsigned> ExchangeDivider::carryIndices(const ExchangeHalves &halves) {
  scf::ForOp loop = draft.loop;
  Value indices = halves.getIndices();
  if (!indices || !loop.getBodyRegion().isAncestor(indices.getParentRegion()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(indices.getType());
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value first = arith::ConstantOp::create(rewriter, indices.getLoc(), cast<TypedAttr>(rewriter.getZeroAttr(type)));
  auto carry = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{indices}; };
  draft.loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(rewriter, first, false, carry));
  return scf::ForOp(draft.loop).getNumRegionIterArgs() - 1;
}

/// Emits the loads of the exchange in the next iteration and, if values are used after the loop, also after the loop.
/// The loop-carried variables keep their initial values, which are the results of the iteration before the first one.
LogicalResult ExchangeDivider::readInNextIteration(Operation *op, ExchangeHalves &halves, const Uses &uses,
                                                   unsigned written) {
  Exchange warps = halves.getWarps();
  if (Operation *view = findDependentView(draft.loop, op, uses.views))
    return reportTooEarly(op, written, warps, view, int64_t(stageOf(view)) - written);
  // `first` is the first use in the next iteration. `carried` holds the yielded values, each with the index of its
  // loop-carried variable.
  Use first;
  SmallVector<std::pair<unsigned, Value>> carried;
  for (OpOperand *yield : uses.yields) {
    carried.push_back({yield->getOperandNumber(), yield->get()});
    Use use = firstUseOf(scf::ForOp(draft.loop).getRegionIterArg(yield->getOperandNumber()));
    if (use.at && (!first.at || use.at->isBeforeInBlock(first.at)))
      first = use;
  }
  // If only code after the loop reads the tile, each warp overwrites its own values in order, and one slot is enough.
  int64_t slots = 1;
  if (first.at) {
    int64_t distance = numStages() + stageOf(first.at) - int64_t(written);
    if (!isFarEnough(written, distance, warps))
      return reportTooEarly(op, written, warps, first.user, distance);
    slots = countSlots(written, distance, warps);
  }
  std::optional<unsigned> carriedIndices = carryIndices(halves);
  Value slot = counterOf(slots);
  scf::ForOp loop = draft.loop;
  OpBuilder allocations = beforePipeline();
  halves.store(allocations, slots, slot);

  // Loads the exchanged values from the slot before slot `counter`. If `isInitial` is true, selects the initial values
  // of the variables instead.
  auto load = [&](OpBuilder &builder, Value counter, Value isInitial, ValueRange initial) {
    Location loc = op->getLoc();
    IRMapping mapping;
    Value indices = carriedIndices ? initial[*carriedIndices] : halves.getIndices();
    mapping.map(op->getResults(), halves.load(builder, previousOf(builder, loc, counter, slots), indices));
    for (Operation *view : uses.views)
      builder.clone(*view, mapping);
    Operation *end = &*builder.getInsertionPoint();
    for (auto [index, value] : carried) {
      Value variable = initial[index];
      auto select = arith::SelectOp::create(builder, loc, isInitial, variable, mapping.lookup(Value(value)));
      variable.replaceAllUsesExcept(select, select);
      moveUsersTo(select, end);
    }
  };
  if (first.at) {
    OpBuilder builder = atStart(stageOf(first.at));
    Value isFirst = arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::eq, loop.getInductionVar(),
                                          loop.getLowerBound());
    load(builder, slot, isFirst, loop.getRegionIterArgs());
  }
  if (llvm::any_of(carried, [&](auto one) { return !loop.getResult(one.first).use_empty(); })) {
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(loop);
    auto isAtEnd = loop.getUnsignedCmp() ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
    Value isEmpty = arith::CmpIOp::create(builder, op->getLoc(), isAtEnd, loop.getLowerBound(), loop.getUpperBound());
    load(builder, slots > 1 ? Value(loop.getResult(counters[slots])) : Value(), isEmpty, loop.getResults());
  }
  for (auto [index, value] : carried)
    loop.getBody()->getTerminator()->setOperand(index, loop.getRegionIterArg(index));
  for (Operation *view : llvm::reverse(uses.views))
    view->erase();
  op->erase();
  return success();
}

// Errors --------------------------------------------------------------------------------------------------------------

/// Returns text such as "1 stage" or "2 exclusive stages".
static std::string count(int64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

LogicalResult ExchangeDivider::reportTooEarly(Operation *op, unsigned written, Exchange warps, Operation *user,
                                              int64_t distance) const {
  bool isPingPong = llvm::is_contained(exclusive, true);
  StageHazard hazard{written, distance, warps.lagIn(draft.lags())};
  int64_t needed = isPingPong ? neededExclusiveStages(hazard) : hazard.neededDistance();
  int64_t found = isPingPong ? countExclusiveStages(exclusive, hazard) : distance;
  const char *unit = isPingPong ? "exclusive stage" : "stage";
  Diagnostic at = hk::diagnosticAt(op->getLoc());
  std::string line = at.line > 0 ? " (line " + std::to_string(at.line) + ")" : "";
  std::string between = "within each group of warps", upTo = draft.numGroups() == 2 ? "" : "up to ";
  if (hazard.lag > 0)
    between = (draft.numGroups() == 2 ? "between the two groups of warps" : "between groups of warps") +
              (isPingPong ? "" : ", which run " + upTo + count(hazard.lag, "stage") + " apart");
  InFlightDiagnostic error = user->emitError();
  error << "this uses the result of a " << hk::nounOf(op)
        << " too early: warps exchange its values at a barrier between two stages";
  error.attachNote() << "distance: " << count(found, unit) << " from the " << hk::nounOf(op) << line
                     << " to this use; the values pass " << between << ", so " << needed
                     << (needed == 1 ? " is" : " are") << " needed";
  error.attachNote() << "hint: " << hintFor(op, written, distance, needed);
  return failure();
}

/// Returns the hint for a result of stage `written` that is used too early, `distance` stages later. The hint is a
/// change after which the result is used at least `needed` stages later.
std::string ExchangeDivider::hintFor(Operation *op, unsigned written, int64_t distance, int64_t needed) const {
  std::string hint, more = "add " + count(needed - distance, "stage") + " between the two";
  if (llvm::is_contained(exclusive, true))
    hint = "leave `exclusive` out, or use the result in a later stage";
  else if (written + needed < numStages())
    hint = "use it in " + labelOf(written + needed) + " or later";
  else if (draft.loop && written + needed < 2 * numStages())
    hint = std::string(written + distance < numStages() ? "keep it in a variable that " : "use it in ") +
           labelOf(written + needed - numStages()) + " of the next iteration" +
           (written + distance < numStages() ? " uses" : " or later") + "; or " + more;
  else
    hint = more;
  if (auto reduce = dyn_cast<hk::ReduceOp>(op); reduce && isa<RankedTensorType>(reduce.getResult(0).getType()))
    hint += "; or choose a layout that has one warp along axis " + std::to_string(reduce.getAxis());
  return hint;
}

} // namespace hocket
