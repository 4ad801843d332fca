//===- DecideLayouts.cpp - Find a layout for every tensor that has none yet ----------===//
//
// Input:    hk; tensors may be in #hk.auto or #hk.coalesced.
// Output:   hk; every tensor has a layout, but results of operations that this pass knows nothing about.
// Method:   who asks, in this order, and what follows from it (LayoutDecisions.h):
//             1. accesses of global memory through pointers in #hk.coalesced: a layout that suits the access
//             2. hk.set_layout, and operations that have a decided tensor of the same shape
//             3. operands of hk.convert_layout
//             4. accesses that nobody has asked for anything, as in 1
//             5. the rest: row-major
//           Then types change (TakeLayouts.cpp).
// Not done: the best layout of several accesses. The first in the source decides for those that must agree with it.
// Cost:     one walk over a kernel without such tensors; otherwise linear in the uses of tensors.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/Layouts.h"
#include "dialect/hk/ModuleFacts.h"
#include "transforms/Passes.h"
#include "transforms/decide_layouts/CoalescedChoice.h"
#include "transforms/decide_layouts/TakeLayouts.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_DECIDELAYOUTS
#include "transforms/Passes.h.inc"

namespace {

/// Who asks for layouts, each after those before.
class LayoutSearch {
public:
  explicit LayoutSearch(func::FuncOp function) : function(function), decisions(function) {}

  LogicalResult run();

private:
  LogicalResult askAccesses(bool coalescedOnly);
  LogicalResult askNamed();
  LogicalResult askConversions();
  LogicalResult askRest();

  func::FuncOp function;
  LayoutDecisions decisions;
  std::optional<AxisInfoAnalysis> facts;
};

/// The shape of the open tensors that an access is about; empty if there are none.
ArrayRef<int64_t> openShape(hk::GlobalAccess access) {
  auto addresses = dyn_cast<RankedTensorType>(access.getGlobalAddresses().addresses.getType());
  return addresses && hk::isUndecided(addresses.getEncoding()) ? addresses.getShape() : ArrayRef<int64_t>();
}

} // namespace

LogicalResult LayoutSearch::askAccesses(bool coalescedOnly) {
  WalkResult result = function.walk([&](hk::GlobalAccess access) {
    ArrayRef<int64_t> shape = openShape(access);
    if (shape.empty() || decisions.find(access.getOperation()))
      return WalkResult::advance();
    auto type = cast<RankedTensorType>(access.getGlobalAddresses().addresses.getType());
    if (coalescedOnly && !isa<hk::CoalescedAttr>(type.getEncoding()))
      return WalkResult::advance();
    if (!facts)
      facts.emplace(function);
    Attribute layout = chooseCoalesced(access, shape, *facts);
    if (failed(decisions.decide(access.getOperation(), shape, {layout, access, /*isChoice=*/true})))
      return WalkResult::interrupt();
    // Before accesses of what they result in choose for themselves.
    return WalkResult(decisions.decideReductions());
  });
  return failure(result.wasInterrupted());
}

LogicalResult LayoutSearch::askNamed() {
  // What the compiler has chosen stays; where it meets what is named, it is converted.
  auto ask = [&](Value value, Attribute layout, Operation *source) {
    const LayoutDecisions::Decision *had = decisions.find(value);
    if ((had && had->isChoice) || isa<hk::CoalescedAttr>(openType(value).getEncoding()))
      return success();
    return decisions.decide(value, {layout, source, /*isChoice=*/false});
  };
  auto askIfOpen = [&](Value value, FailureOr<Attribute> layout, Operation *source) {
    return openType(value) && succeeded(layout) ? ask(value, *layout, source) : success();
  };
  auto askView = [&](hk::LayoutInferenceOp view) {
    auto layoutOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getEncoding(); };
    Value operand = view->getOperand(0), result = view->getResult(0);
    if (!isa<RankedTensorType>(result.getType()))
      return success();
    if (!openType(operand))
      return askIfOpen(result, view.inferResultLayout(layoutOf(operand), nullptr), view);
    return openType(result) ? success() : askIfOpen(operand, view.inferOperandLayout(layoutOf(result), nullptr), view);
  };
  auto askAll = [&](Operation *op) {
    SmallVector<Value> tensors;
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      llvm::copy_if(values, std::back_inserter(tensors),
                    [](Value value) { return isa<RankedTensorType>(value.getType()); });
    for (Value named : tensors) {
      auto type = cast<RankedTensorType>(named.getType());
      for (Value other : tensors)
        if (auto open = openType(other); open && !openType(named) && open.getShape() == type.getShape())
          if (failed(ask(other, type.getEncoding(), op)))
            return failure();
    }
    return success();
  };
  WalkResult result = function.walk([&](Operation *op) {
    if (auto view = dyn_cast<hk::LayoutInferenceOp>(op))
      return WalkResult(askView(view));
    if (op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() || isa<hk::ConvertLayoutOp>(op))
      return WalkResult::advance();
    return WalkResult(askAll(op));
  });
  return failure(result.wasInterrupted() || failed(decisions.decideReductions()));
}

LogicalResult LayoutSearch::askConversions() {
  WalkResult result = function.walk([&](hk::ConvertLayoutOp convert) {
    if (!openType(convert.getSrc()) || decisions.find(convert.getSrc()))
      return WalkResult::advance();
    Attribute layout = cast<RankedTensorType>(convert.getType()).getEncoding();
    return WalkResult(decisions.decide(convert.getSrc(), {layout, convert, /*isChoice=*/true}));
  });
  return failure(result.wasInterrupted() || failed(decisions.decideReductions()));
}

LogicalResult LayoutSearch::askRest() {
  for (Value value : decisions.openValues()) {
    if (decisions.isCheap(value) || decisions.find(value))
      continue;
    Operation *source = value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp();
    Attribute layout = chooseRowMajor(source, openType(value).getShape());
    if (failed(decisions.decide(value, {layout, source, /*isChoice=*/true})) || failed(decisions.decideReductions()))
      return failure();
  }
  return success();
}

LogicalResult LayoutSearch::run() {
  if (decisions.openValues().empty())
    return success();
  if (failed(askAccesses(/*coalescedOnly=*/true)) || failed(askNamed()) || failed(askConversions()) ||
      failed(askAccesses(/*coalescedOnly=*/false)) || failed(askRest()))
    return failure();
  takeLayouts(function, decisions);
  return success();
}

namespace {
struct DecideLayouts : impl::DecideLayoutsBase<DecideLayouts> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(hk::HkDialect::kKernelAttr) && failed(LayoutSearch(function).run()))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
