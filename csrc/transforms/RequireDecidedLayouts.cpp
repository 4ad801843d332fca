//===- RequireDecidedLayouts.cpp - Refuse tensors whose layout is not decided --------===//
//
// The border between passes that may meet `#hk.auto` and those that need not think of it: after this one every tensor
// has a linear map. What decides layouts stands before it. The passes after it ask again (hk::requireFactsAndLayouts),
// for they may be run alone.
//
// Input:   hk; tensors may have layouts that are not decided.
// Output:  the same, or an error at the first operation that makes such a tensor.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ModuleFacts.h"
#include "transforms/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_REQUIREDECIDEDLAYOUTS
#include "transforms/Passes.h.inc"

namespace {
struct RequireDecidedLayouts : impl::RequireDecidedLayoutsBase<RequireDecidedLayouts> {
  void runOnOperation() override {
    if (failed(hk::requireDecidedLayouts(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
