//===- RequireDecidedLayouts.cpp - Rejects tensors whose layout is not decided -------===//
//
// This pass runs after the passes that decide layouts. After the pass, the layout of every tensor has a linear map, so
// that later passes need not handle `#hk.auto`. Later passes check the layouts again (hk::requireFactsAndLayouts),
// because hocket-opt can run them alone.
//
// Input:   hk; tensors may have layouts that are not decided.
// Output:  hk, or an error at the first operation whose result has no decided layout.
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
