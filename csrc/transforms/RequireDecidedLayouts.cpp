//===- RequireDecidedLayouts.cpp - Rejects tensors whose layout is not decided -------===//
//
// Separates passes that may meet `#hk.auto` from those that need not handle it: afterwards every tensor has a linear
// map. The passes that decide layouts run before it. Later passes check again (hk::requireFactsAndLayouts), as they may
// be run alone.
//
// Input:   hk; tensors may have layouts that are not decided.
// Output:  hk, or an error at the first operation that makes such a tensor.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
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
