//===- RequireDecidedLayouts.cpp - Refuse tensors whose layout is not decided --------===//
//
// The border between passes that may meet `#hk.auto` and those that need not think of it: after this one every tensor
// has a linear map. What decides layouts stands before it.
//
// Input:   hk; tensors may have layouts that are not decided.
// Output:  the same, or an error at the first operation that makes such a tensor.
// Cost:    one look at the type of every value; the types of a module are few, and each is asked once.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/Layouts.h"
#include "transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_REQUIREDECIDEDLAYOUTS
#include "transforms/Passes.h.inc"

static bool isUndecidedTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && hk::isUndecided(tensor.getEncoding());
}

static LogicalResult refuse(Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  InFlightDiagnostic error = emitError(loc)
                             << "the layout of this tensor, of shape [" << tensor.getShape() << "], is not decided";
  error.attachNote() << "hint: name its layout where it is made, or that of a tensor that it is combined with";
  return error;
}

namespace {
struct RequireDecidedLayouts : impl::RequireDecidedLayoutsBase<RequireDecidedLayouts> {
  void runOnOperation() override {
    llvm::SmallDenseMap<Type, bool> known;
    auto isRefused = [&](Type type) {
      auto [entry, isNew] = known.try_emplace(type, false);
      if (isNew)
        entry->second = isUndecidedTensor(type);
      return entry->second;
    };
    // In the order of the source, so that the error is where the layout was first missed.
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (isRefused(type))
          return WalkResult(refuse(op->getLoc(), type));
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          if (isRefused(argument.getType()))
            return WalkResult(refuse(argument.getLoc(), argument.getType()));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
