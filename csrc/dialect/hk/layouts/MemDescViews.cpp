//===- MemDescViews.cpp - From a shared memory handle to its buffer ---------------===//
#include "dialect/hk/layouts/MemDescViews.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket::hk {

/// Returns the captured value if `value` is an argument of a worker.
static Value capturedAs(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto worker = argument ? dyn_cast_or_null<WorkerOp>(argument.getOwner()->getParentOp()) : WorkerOp();
  return worker ? worker.getCaptures()[argument.getArgNumber()] : Value();
}

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.getSignificantBits() > 32)
    return std::nullopt;
  return constant.getSExtValue();
}

Value lookThroughRegions(Value value) {
  for (;;) {
    if (Value captured = capturedAs(value)) {
      value = captured;
      continue;
    }
    auto branch = value.getDefiningOp<RegionBranchOpInterface>();
    if (!branch)
      break;
    SmallVector<Value> yielded;
    branch.getPredecessorValues(RegionSuccessor(branch, branch->getResults()), cast<OpResult>(value).getResultNumber(),
                                yielded);
    if (yielded.size() != 1 || branch.hasLoop())
      break;
    value = yielded.front();
  }
  return value;
}

SmallVector<BlockArgument> rotatedWith(BlockArgument variable) {
  auto loop = dyn_cast<scf::ForOp>(variable.getOwner()->getParentOp());
  SmallVector<BlockArgument> rotation;
  Value next = variable;
  do {
    auto argument = dyn_cast<BlockArgument>(next);
    bool isOfLoop = loop && argument && argument.getOwner() == loop.getBody() && argument.getArgNumber() > 0;
    if (!isOfLoop || llvm::is_contained(rotation, argument))
      return {};
    rotation.push_back(argument);
    next = lookThroughRegions(loop.getTiedLoopYieldedValue(argument)->get());
  } while (next != variable);
  return rotation.size() > 1 ? rotation : SmallVector<BlockArgument>();
}

namespace {
/// A buffer, and the chain of views from the buffer to a handle, in this order.
struct ViewChain {
  LocalAllocOp buffer;
  SmallVector<MemDescView, 4> views;
};
} // namespace

/// Follows views from `handle` back to the buffer. The chain has no buffer if control flow selects the handle.
static ViewChain chainOf(Value handle) {
  ViewChain chain;
  handle = lookThroughRegions(handle);
  while (auto view = handle.getDefiningOp<MemDescView>()) {
    chain.views.push_back(view);
    handle = lookThroughRegions(view.getViewSource());
  }
  std::reverse(chain.views.begin(), chain.views.end());
  chain.buffer = handle.getDefiningOp<LocalAllocOp>();
  return chain;
}

LocalAllocOp bufferOf(Value handle) { return chainOf(handle).buffer; }

/// Returns the index that the view selects along dimension 0; null if the view keeps dimension 0.
static Value selectedInFront(const ViewedBox &box) {
  auto isFront = [](const ViewedBox::Selection &selection) { return selection.source == 0; };
  auto found = llvm::find_if(box.selected, isFront);
  return found == box.selected.end() ? Value() : found->index;
}

/// True if each slot has the same number in the view as in the view's source.
static bool keepsSlots(const ViewedPart &part) {
  if (auto *box = std::get_if<ViewedBox>(&part))
    return !box->dims.empty() && box->dims.front() == ViewedBox::Dim{0, 0};
  return std::holds_alternative<ViewedRowMajor>(part);
}

std::optional<RingSlot> slotOf(Value handle) {
  ViewChain chain = chainOf(handle);
  if (!chain.buffer || chain.buffer.getType().getSlotRank() == 0)
    return std::nullopt;
  for (MemDescView view : chain.views) {
    ViewedPart part = view.getViewedPart();
    if (auto *box = std::get_if<ViewedBox>(&part))
      if (Value index = selectedInFront(*box))
        return RingSlot{chain.buffer, index};
    if (!keepsSlots(part))
      return std::nullopt;
  }
  return std::nullopt;
}

/// True if the view contains all elements of its source, or all elements of the slots that it selects.
static bool showsAllOfSource(MemDescView view) {
  ViewedPart part = view.getViewedPart();
  auto *box = std::get_if<ViewedBox>(&part);
  if (!box)
    return std::holds_alternative<ViewedRowMajor>(part);
  auto source = cast<MemDescType>(view.getViewSource().getType()),
       result = cast<MemDescType>(view->getResult(0).getType());
  bool areSlots = llvm::all_of(box->selected, [&](auto selection) { return selection.source < source.getSlotRank(); });
  bool areWhole = llvm::all_of(llvm::zip_equal(box->dims, result.getShape()), [&](auto shown) {
    auto [dim, size] = shown;
    return dim.offset == 0 && size == source.getShape()[dim.source];
  });
  return areSlots && areWhole;
}

bool showsAll(Value handle) {
  ViewChain chain = chainOf(handle);
  return chain.buffer && llvm::all_of(chain.views, showsAllOfSource);
}

} // namespace hocket::hk
