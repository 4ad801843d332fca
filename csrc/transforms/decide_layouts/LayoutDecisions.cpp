//===- LayoutDecisions.cpp - Layout decisions for tensors without a layout -----------===//
#include "transforms/decide_layouts/LayoutDecisions.h"

#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/layouts/Layouts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

RankedTensorType undecidedType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && hk::isUndecided(type.getEncoding()) ? type : RankedTensorType();
}

LayoutDecisions::LayoutDecisions(func::FuncOp function) { collect(function); }

void LayoutDecisions::collect(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function)
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          if (undecidedType(argument))
            undecided.push_back(argument);
    bool isCheapOp = computesFromNumbers(op);
    for (Value result : op->getResults()) {
      if (!undecidedType(result))
        continue;
      undecided.push_back(result);
      if (isCheapOp)
        cheap.insert(result);
    }
  });
  if (!undecided.empty())
    function->walk([&](Operation *op) { tieRegions(op); });
}

bool LayoutDecisions::computesFromNumbers(Operation *op) const {
  // Divisions, which must not be hoisted, are included, because recomputed operations remain at their original
  // position.
  if (!isMemoryEffectFree(op) || op->getNumRegions() > 0 || isa<hk::ConvertLayoutOp>(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return !isa<RankedTensorType>(operand.getType()) || isCheap(operand); });
}

// Loops and branches ------------------------------------------------------------------------------------------------

void LayoutDecisions::tie(OpOperand &from, Value to) {
  if (!undecidedType(from.get()))
    return;
  carried[&from] = to;
  ties[from.get()].push_back(to);
  ties[to].push_back(from.get());
}

void LayoutDecisions::tieRegions(Operation *op) {
  auto tieAll = [&](MutableArrayRef<OpOperand> operands, ValueRange values) {
    for (auto [operand, value] : llvm::zip_equal(operands, values))
      tie(operand, value);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    tieAll(loop.getInitArgsMutable(), loop.getRegionIterArgs());
    if (!loop.getInitArgs().empty())
      tieAll(loop.getBody()->getTerminator()->getOpOperands(), loop.getRegionIterArgs());
    for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
      if (undecidedType(result)) {
        ties[argument].push_back(result);
        ties[result].push_back(argument);
      }
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    tieAll(loop.getInitsMutable(), loop.getBeforeArguments());
    tieAll(loop.getYieldOp()->getOpOperands(), loop.getBeforeArguments());
    tieAll(loop.getConditionOp().getArgsMutable(), loop.getAfterArguments());
    for (auto [argument, result] : llvm::zip_equal(loop.getAfterArguments(), loop.getResults()))
      if (undecidedType(result)) {
        ties[argument].push_back(result);
        ties[result].push_back(argument);
      }
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults() > 0) {
    tieAll(branch.thenYield()->getOpOperands(), branch.getResults());
    tieAll(branch.elseYield()->getOpOperands(), branch.getResults());
    return;
  }
  // Workers cannot capture tensors, so only the results of an hk.warp_specialize must have the layouts of yielded
  // values.
  if (auto partitions = dyn_cast<hk::WarpSpecializeOp>(op); partitions && partitions->getNumResults() > 0)
    tieAll(partitions.getBody().front().getTerminator()->getOpOperands(), partitions.getResults());
}

// Propagation ---------------------------------------------------------------------------------------------------------

bool keepsLayout(Operation *op) {
  if (isa<hk::ConvertLayoutOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  // An hk.set_layout whose result has a decided layout imposes this layout, and no requirement propagates through it.
  if (auto set = dyn_cast<hk::SetLayoutOp>(op))
    return undecidedType(set.getSrc()) && undecidedType(set.getResult());
  return op->getNumRegions() == 0 || isa<hk::CombineRegion, hk::ElementRegion>(op);
}

/// Returns the layout that a requirement of `layout` for the result of `view` imposes on the operands; null if the
/// requirement does not propagate to the operands.
static Attribute operandLayoutOf(hk::LayoutInferenceOp view, Attribute layout) {
  FailureOr<Attribute> operand = view.inferOperandLayout(layout, nullptr);
  if (failed(operand))
    return {};
  if (!isa<hk::ReduceOp>(view.getOperation()))
    return *operand;
  // A requirement on the result of a reduction propagates to the operand only if the layout is a slice along the axis.
  // For other layouts of the result, each lane would hold all elements of the operand along the axis, which users
  // rarely want.
  auto slice = dyn_cast<hk::SliceAttr>(layout);
  return slice && slice.getParent() == *operand ? *operand : Attribute();
}

bool LayoutDecisions::isConvertedAt(Operation *op, const Decision &decision) const {
  if (!isa<hk::SplitOp>(op))
    return false;
  const Decision *previous = find(op->getOperand(0));
  return previous && (previous->isChoice || decision.isChoice);
}

void LayoutDecisions::spreadThrough(Operation *op, Value from, const Decision &decision,
                                    Requirements &requirements) const {
  auto require = [&](Value value, Attribute layout) {
    if (value != from && undecidedType(value))
      requirements.push_back({value, {layout, decision.source, decision.isChoice}});
  };
  bool isOperand = llvm::is_contained(op->getOperands(), from);
  if (auto view = dyn_cast<hk::LayoutInferenceOp>(op)) {
    Attribute ofOperands = isOperand ? decision.layout : operandLayoutOf(view, decision.layout);
    FailureOr<Attribute> ofResults =
        isOperand ? view.inferResultLayout(decision.layout, nullptr) : FailureOr<Attribute>(decision.layout);
    // The layouts of the results of reductions are decided last, by decideReductions.
    if (succeeded(ofResults) && !(isOperand && isa<hk::ReduceOp>(op)))
      for (Value result : op->getResults())
        require(result, *ofResults);
    if (ofOperands && !isConvertedAt(op, decision))
      for (Value operand : op->getOperands())
        require(operand, ofOperands);
    return;
  }
  if (!keepsLayout(op))
    return;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(from.getType()).getShape();
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (auto type = undecidedType(value); type && type.getShape() == shape)
        require(value, decision.layout);
}

LogicalResult LayoutDecisions::run(Requirements requirements) {
  while (!requirements.empty()) {
    auto [value, decision] = requirements.pop_back_val();
    if (isCheap(value)) {
      // The requirement propagates only to cheap operands: other uses of `value` impose their own requirements.
      if (required.insert({value, decision.layout}).second) {
        Requirements all;
        spreadThrough(value.getDefiningOp(), value, decision, all);
        llvm::copy_if(all, std::back_inserter(requirements),
                      [&](const Requirement &require) { return isCheap(require.value); });
      }
      continue;
    }
    auto [entry, isNew] = decided.try_emplace(value, decision);
    if (!isNew) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
      if (!hk::areEquivalentLayouts(shape, entry->second.layout, decision.layout))
        return reportConflict(entry->second, decision);
      continue;
    }
    for (Value tied : ties.lookup(value))
      requirements.push_back({tied, decision});
    if (Operation *op = value.getDefiningOp())
      spreadThrough(op, value, decision, requirements);
    for (Operation *user : value.getUsers())
      spreadThrough(user, value, decision, requirements);
  }
  return success();
}

LogicalResult LayoutDecisions::decide(Value value, const Decision &decision) { return run({{value, decision}}); }

LogicalResult LayoutDecisions::decide(Operation *op, ArrayRef<int64_t> shape, const Decision &decision) {
  decidedOps.try_emplace(op, decision);
  Requirements requirements;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (auto type = undecidedType(value); type && type.getShape() == shape)
        requirements.push_back({value, decision});
  return run(std::move(requirements));
}

LogicalResult LayoutDecisions::decideReductions() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Value value : undecided) {
      auto view = value.getDefiningOp<hk::LayoutInferenceOp>();
      if (!view || !isa<hk::ReduceOp>(view.getOperation()) || find(value))
        continue;
      const Decision *operand = find(view->getOperand(0));
      FailureOr<Attribute> layout =
          operand ? view.inferResultLayout(operand->layout, nullptr) : FailureOr<Attribute>(failure());
      if (failed(layout))
        continue;
      if (failed(decide(value, {*layout, operand->source, operand->isChoice})))
        return failure();
      changed = true;
    }
  }
  return success();
}

// Queries -------------------------------------------------------------------------------------------------------------

const LayoutDecisions::Decision *LayoutDecisions::find(Value value) const {
  auto found = decided.find(value);
  return found == decided.end() ? nullptr : &found->second;
}

const LayoutDecisions::Decision *LayoutDecisions::find(Operation *op) const {
  for (ValueRange values : {ValueRange(op->getResults()), ValueRange(op->getOperands())})
    for (Value value : values)
      if (const Decision *decision = find(value))
        return decision;
  auto found = decidedOps.find(op);
  return found == decidedOps.end() ? nullptr : &found->second;
}

Attribute LayoutDecisions::neededBy(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  if (Value name = carriedAs(operand)) {
    const Decision *decision = find(name);
    return decision ? decision->layout : Attribute();
  }
  if (auto set = dyn_cast<hk::SetLayoutOp>(op); set && !undecidedType(set.getResult()))
    return cast<RankedTensorType>(set.getType()).getEncoding();
  if (auto convert = dyn_cast<hk::ConvertLayoutOp>(op))
    return cast<RankedTensorType>(convert.getType()).getEncoding();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.get().getType()).getShape();
  for (Value other : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(other.getType()); type && type.getShape() == shape) {
      if (!undecidedType(other))
        return type.getEncoding();
      if (const Decision *decision = find(other))
        return decision->layout;
    }
  auto view = dyn_cast<hk::LayoutInferenceOp>(op);
  for (Value result : op->getResults())
    if (const Decision *decision = find(result)) {
      if (view)
        return operandLayoutOf(view, decision->layout);
      if (cast<RankedTensorType>(result.getType()).getShape() == shape)
        return decision->layout;
    }
  auto found = decidedOps.find(op);
  return found == decidedOps.end() || view ? Attribute() : found->second.layout;
}

/// Returns the line and the layout of a decision, such as "line 12: BlockedLayout([1], [32], [4], [0])".
static std::string describe(const LayoutDecisions::Decision &decision, Attribute required) {
  std::string text = "line " + std::to_string(hk::diagnosticAt(decision.source->getLoc()).line) + ": ";
  llvm::raw_string_ostream os(text);
  auto set = dyn_cast<hk::SetLayoutOp>(decision.source);
  if (StringAttr name = set ? set.getNameAttr() : StringAttr())
    os << name.getValue();
  else
    os << required;
  return text;
}

LogicalResult LayoutDecisions::reportConflict(const Decision &previous, const Decision &needed) const {
  InFlightDiagnostic error = needed.source->emitError("conflicting layouts for one tensor");
  error.attachNote() << describe(previous, previous.layout);
  error.attachNote() << describe(needed, needed.layout);
  error.attachNote() << "hint: convert one of the two, as in gl.convert_layout(x, layout), or use one layout";
  return error;
}

} // namespace hocket
