//===- DecideLayouts.cpp - Decides the layout of every tensor that has no layout -----===//
//
// Input:    hk; tensors may be in #hk.auto or #hk.coalesced.
// Output:   hk; every tensor has a layout, except results of operations that this pass does not support.
// Method:   imposes layout requirements in this order, and propagates each requirement (LayoutDecisions.h):
//             1. accesses of global memory through pointers in #hk.coalesced: a coalesced layout
//             2. hk.set_layout, and operations with another tensor of the same shape whose layout is decided
//             3. operands of hk.convert_layout
//             4. accesses on which no requirement has been imposed before: a coalesced layout
//             5. all other tensors: a row-major layout
//           Then the types of the tensors are changed (TakeLayouts.cpp).
// Not done: a layout that suits several accesses best. If the tensors of several accesses must have the same layout,
//           the first access in the source determines this layout.
// Cost:     one walk over a kernel without undecided tensors; otherwise linear in the uses of tensors.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "layout/LayoutWarps.h"
#include "transforms/Passes.h"
#include "transforms/decide_layouts/CoalescedChoice.h"
#include "transforms/decide_layouts/TakeLayouts.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_DECIDELAYOUTS
#include "transforms/Passes.h.inc"

namespace {

/// Imposes the layout requirements in the order that the file comment lists.
class LayoutSearch {
public:
  explicit LayoutSearch(func::FuncOp function) : function(function), decisions(function) {}

  LogicalResult run();

private:
  LogicalResult requireForAccesses(bool coalescedOnly);
  LogicalResult requireNamed();
  LogicalResult requireForConversions();
  LogicalResult requireRowMajor();
  LogicalResult requireAllWarps();

  func::FuncOp function;
  LayoutDecisions decisions;
  std::optional<AxisInfoAnalysis> facts;
};

/// Returns the shape of the undecided tensors that an access uses; empty if the access uses none.
ArrayRef<int64_t> undecidedShape(hk::GlobalAccess access) {
  auto addresses = dyn_cast<RankedTensorType>(access.getGlobalAddresses().addresses.getType());
  return addresses && hk::isUndecided(addresses.getEncoding()) ? addresses.getShape() : ArrayRef<int64_t>();
}

} // namespace

LogicalResult LayoutSearch::requireForAccesses(bool coalescedOnly) {
  WalkResult result = function.walk([&](hk::GlobalAccess access) {
    ArrayRef<int64_t> shape = undecidedShape(access);
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
    // The layouts of reductions are decided now, before a later access that uses the result of a reduction chooses a
    // layout for the result.
    return WalkResult(decisions.decideReductions());
  });
  return failure(result.wasInterrupted());
}

LogicalResult LayoutSearch::requireNamed() {
  // If the compiler has already chosen a layout for the tensor, the tensor keeps this layout and is converted where the
  // user requests another layout.
  auto require = [&](Value value, Attribute layout, Operation *source) {
    const LayoutDecisions::Decision *previous = decisions.find(value);
    if ((previous && previous->isChoice) || isa<hk::CoalescedAttr>(undecidedType(value).getEncoding()))
      return success();
    return decisions.decide(value, {layout, source, /*isChoice=*/false});
  };
  auto requireIfUndecided = [&](Value value, FailureOr<Attribute> layout, Operation *source) {
    return undecidedType(value) && succeeded(layout) ? require(value, *layout, source) : success();
  };
  auto requireForView = [&](hk::LayoutInferenceOp view) {
    auto layoutOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getEncoding(); };
    Value operand = view->getOperand(0), result = view->getResult(0);
    if (!isa<RankedTensorType>(result.getType()))
      return success();
    if (!undecidedType(operand))
      return requireIfUndecided(result, view.inferResultLayout(layoutOf(operand), nullptr), view);
    return undecidedType(result)
               ? success()
               : requireIfUndecided(operand, view.inferOperandLayout(layoutOf(result), nullptr), view);
  };
  auto requireForOperation = [&](Operation *op) {
    SmallVector<Value> tensors;
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      llvm::copy_if(values, std::back_inserter(tensors),
                    [](Value value) { return isa<RankedTensorType>(value.getType()); });
    for (Value named : tensors) {
      auto type = cast<RankedTensorType>(named.getType());
      for (Value other : tensors)
        if (auto undecided = undecidedType(other);
            undecided && !undecidedType(named) && undecided.getShape() == type.getShape())
          if (failed(require(other, type.getEncoding(), op)))
            return failure();
    }
    return success();
  };
  WalkResult result = function.walk([&](Operation *op) {
    if (auto view = dyn_cast<hk::LayoutInferenceOp>(op))
      return WalkResult(requireForView(view));
    if (op->getNumRegions() > 0 || op->hasTrait<OpTrait::IsTerminator>() || isa<hk::ConvertLayoutOp>(op))
      return WalkResult::advance();
    return WalkResult(requireForOperation(op));
  });
  return failure(result.wasInterrupted() || failed(decisions.decideReductions()));
}

LogicalResult LayoutSearch::requireForConversions() {
  WalkResult result = function.walk([&](hk::ConvertLayoutOp convert) {
    if (!undecidedType(convert.getSrc()) || decisions.find(convert.getSrc()))
      return WalkResult::advance();
    Attribute layout = cast<RankedTensorType>(convert.getType()).getEncoding();
    return WalkResult(decisions.decide(convert.getSrc(), {layout, convert, /*isChoice=*/true}));
  });
  return failure(result.wasInterrupted() || failed(decisions.decideReductions()));
}

LogicalResult LayoutSearch::requireRowMajor() {
  for (Value value : decisions.undecidedValues()) {
    if (decisions.isCheap(value) || decisions.find(value))
      continue;
    Operation *source = value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp();
    Attribute layout = chooseRowMajor(source, undecidedType(value).getShape());
    if (failed(decisions.decide(value, {layout, source, /*isChoice=*/true})) || failed(decisions.decideReductions()))
      return failure();
  }
  return success();
}

/// Rejects undecided layouts in kernels that have fewer warps than their layouts.
LogicalResult LayoutSearch::requireAllWarps() {
  int numWarps = hk::numWarpsAt(function);
  if (numWarps == layoutWarps(numWarps))
    return success();
  InFlightDiagnostic error = emitError(decisions.undecidedValues().front().getLoc())
                             << "the compiler chooses no layouts if num_warps=" << numWarps;
  error.attachNote() << "hint: give this tensor a layout of " << layoutWarps(numWarps)
                     << " warps, and only use the elements of the first " << numWarps << " warps";
  return error;
}

LogicalResult LayoutSearch::run() {
  if (decisions.undecidedValues().empty())
    return success();
  if (failed(requireAllWarps()))
    return failure();
  if (failed(requireForAccesses(/*coalescedOnly=*/true)) || failed(requireNamed()) || failed(requireForConversions()) ||
      failed(requireForAccesses(/*coalescedOnly=*/false)) || failed(requireRowMajor()))
    return failure();
  takeLayouts(function, decisions);
  return success();
}

namespace {
struct DecideLayouts : impl::DecideLayoutsBase<DecideLayouts> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (hk::kKernelAttr.isOn(function) && failed(LayoutSearch(function).run()))
        return signalPassFailure();
  }
};
} // namespace

} // namespace hocket
