//===- TakeLayouts.cpp - Applies the layout decisions to the IR ----------------------===//
//
// 1. The types of tensors that are not cheap are changed in place.
// 2. A cheap operand is recomputed in the layout that its use requires, once for each layout. If a use of another
//    tensor requires another layout, the tensor is converted.
// 3. hk.set_layout and operations without uses are erased.
//
//===------------------------------------------------------------------------------===//
#include "transforms/decide_layouts/TakeLayouts.h"

#include "dialect/hk/layouts/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "transforms/decide_layouts/CoalescedChoice.h"

using namespace mlir;

namespace hocket {

namespace {

class LayoutTaker {
public:
  LayoutTaker(func::FuncOp function, const LayoutDecisions &decisions) : function(function), decisions(decisions) {}

  void run();

private:
  Value inLayout(Value value, Attribute layout);
  Value recompute(Value value, Attribute layout);
  void fixOperands(Operation *op);
  void fixReduction(hk::ReduceOp op);

  func::FuncOp function;
  const LayoutDecisions &decisions;
  DenseMap<std::pair<Value, Attribute>, Value> made;
};

RankedTensorType withLayout(RankedTensorType type, Attribute layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

Attribute layoutOf(Value value) { return cast<RankedTensorType>(value.getType()).getEncoding(); }

void retype(Value value, Attribute layout) {
  auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
  value.setType(type);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
}

} // namespace

/// Returns `value` in `layout`: recomputes `value` if it is cheap, otherwise converts it.
Value LayoutTaker::inLayout(Value value, Attribute layout) {
  if (!undecidedType(value) && layoutOf(value) == layout)
    return value;
  Value &result = made[{value, layout}];
  if (result)
    return result;
  Value other;
  if (undecidedType(value)) {
    other = recompute(value, layout);
  } else {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    other = hk::ConvertLayoutOp::create(builder, value.getLoc(),
                                        withLayout(cast<RankedTensorType>(value.getType()), layout), value);
  }
  // `result` is possibly invalid: recomputing `other` can have inserted further entries into `made`.
  made[{value, layout}] = other;
  return other;
}

Value LayoutTaker::recompute(Value value, Attribute layout) {
  Operation *op = value.getDefiningOp();
  if (auto set = dyn_cast<hk::SetLayoutOp>(op))
    return inLayout(set.getSrc(), layout);
  Attribute ofOperands = layout;
  if (auto view = dyn_cast<hk::LayoutInferenceOp>(op))
    ofOperands = *view.inferOperandLayout(layout, nullptr);
  ArrayRef<int64_t> shape = undecidedType(value).getShape();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    RankedTensorType type = undecidedType(operand);
    if (!type)
      operands.push_back(operand);
    else if (isa<hk::LayoutInferenceOp>(op) || type.getShape() == shape)
      operands.push_back(inLayout(operand, ofOperands));
    else // the operand has another shape, so its layout does not depend on the result's layout
      operands.push_back(inLayout(operand, chooseRowMajor(op, type.getShape())));
  }
  OpBuilder builder(op);
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  for (Value result : copy->getResults())
    retype(result, layout);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// Returns the layout that the operand of `split` must have, given the layouts of the results; the present layout if
/// possible.
static Attribute neededAtSplit(hk::SplitOp split) {
  auto view = cast<hk::LayoutInferenceOp>(split.getOperation());
  Attribute result = layoutOf(split->getResult(0)), own = layoutOf(split.getSrc());
  FailureOr<Attribute> follows = view.inferResultLayout(own, nullptr);
  return succeeded(follows) && *follows == result ? own : *view.inferOperandLayout(result, nullptr);
}

/// Returns the layout that `operand` must have in its operation.
static Attribute neededAt(OpOperand &operand, const LayoutDecisions &decisions) {
  Operation *op = operand.getOwner();
  if (undecidedType(operand.get())) {
    if (Attribute needed = decisions.neededBy(operand))
      return needed;
    return chooseRowMajor(op, cast<RankedTensorType>(operand.get().getType()).getShape());
  }
  if (Value name = decisions.carriedAs(operand))
    return layoutOf(name);
  if (auto split = dyn_cast<hk::SplitOp>(op))
    return neededAtSplit(split);
  if (isa<hk::BroadcastOp>(op))
    return layoutOf(op->getResult(0));
  if (!keepsLayout(op) || isa<hk::SetLayoutOp, hk::LayoutInferenceOp>(op))
    return layoutOf(operand.get());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.get().getType()).getShape();
  for (ValueRange values : {ValueRange(op->getResults()), ValueRange(op->getOperands())})
    for (Value value : values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType());
          type && type.getShape() == shape && !undecidedType(value))
        return type.getEncoding();
  return layoutOf(operand.get());
}

void LayoutTaker::fixOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    Attribute needed = neededAt(operand, decisions);
    operand.set(inLayout(operand.get(), needed));
  }
}

/// Converts the results of `op` if their decided layout differs from the layout that follows from the operand's layout.
void LayoutTaker::fixReduction(hk::ReduceOp op) {
  FailureOr<Attribute> layout = op.inferResultLayout(layoutOf(op.getSrcs().front()), nullptr);
  if (failed(layout))
    return;
  for (Value result : op.getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || hk::areEquivalentLayouts(type.getShape(), type.getEncoding(), *layout))
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    result.setType(withLayout(type, *layout));
    auto convert = hk::ConvertLayoutOp::create(builder, op.getLoc(), type, result);
    result.replaceAllUsesExcept(convert, convert);
  }
}

void LayoutTaker::run() {
  SmallVector<Operation *> users, cheap;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() > 0 && decisions.isCheap(op->getResult(0)))
      cheap.push_back(op);
    else
      users.push_back(op);
  });
  // Operations with undecided tensors, collected before the types change.
  llvm::erase_if(users, [&](Operation *op) {
    auto hasNoLayout = [](Value value) { return undecidedType(value) != nullptr; };
    return llvm::none_of(op->getOperands(), hasNoLayout) && llvm::none_of(op->getResults(), hasNoLayout);
  });
  for (Value value : decisions.undecidedValues())
    if (const LayoutDecisions::Decision *decision = decisions.find(value))
      retype(value, decision->layout);

  for (Operation *op : users) {
    if (auto set = dyn_cast<hk::SetLayoutOp>(op)) {
      set.getResult().replaceAllUsesWith(inLayout(set.getSrc(), layoutOf(set.getResult())));
      set.erase();
      continue;
    }
    fixOperands(op);
    if (auto reduce = dyn_cast<hk::ReduceOp>(op))
      fixReduction(reduce);
  }
  for (Operation *op : llvm::reverse(cheap))
    if (op->use_empty())
      op->erase();
}

void takeLayouts(func::FuncOp function, const LayoutDecisions &decisions) { LayoutTaker(function, decisions).run(); }

} // namespace hocket
