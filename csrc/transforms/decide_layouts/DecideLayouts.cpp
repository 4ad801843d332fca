//===- DecideLayouts.cpp - Decides the layout of every tensor without one ------------===//
//
// Input:    hk; tensors may be in #hk.auto or #hk.coalesced.
// Output:   hk; every tensor has a layout, except results of operations that this pass does not support.
// Method:   requirements in this order, each with its consequences (LayoutDecisions.h):
//             1. accesses of global memory through pointers in #hk.coalesced: a layout that suits the access
//             2. hk.set_layout, and operations that have a decided tensor of the same shape
//             3. operands of hk.convert_layout
//             4. accesses without any requirement so far, as in 1
//             5. all other tensors: row-major
//           Then types change (TakeLayouts.cpp).
// Not done: the best layout for several accesses. The first one in the source decides for tensors that must agree.
// Cost:     one walk over a kernel without such tensors; otherwise linear in the uses of tensors.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "transforms/Passes.h"
#include "transforms/decide_layouts/CoalescedChoice.h"
#include "transforms/decide_layouts/TakeLayouts.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_DECIDELAYOUTS
#include "transforms/Passes.h.inc"

namespace {

/// Issues the layout requirements in order.
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

/// Returns the shape of the undecided tensors that an access uses; empty if there are none.
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
    // Decided before accesses of the results choose layouts themselves.
    return WalkResult(decisions.decideReductions());
  });
  return failure(result.wasInterrupted());
}

LogicalResult LayoutSearch::askNamed() {
  // A layout that the compiler has chosen stays; a conversion separates it from a named one.
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
