//===- ChooseAccesses.cpp - Chooses the vector width of global memory accesses ---------===//
//
// Input:    hk with structured loops, which AxisInfo requires. After the lowering to values of one lane, AxisInfo could
//           not derive the contiguity and alignment of addresses.
// Output:   hk; accesses in which one lane can access several elements at once have the attribute hk.access.
// Method:   analysis/axis: contiguity and alignment of the addresses, constancy of the mask.
// Not done: limits by the layout and by the target's instructions, which the lowering of the access applies. Vector
//           accesses of pointers as data: pointers are loaded and stored one at a time.
//
//===----------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/ChooseAccesses.h"

#include "conversion/hk_to_lane/passes/Passes.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CHOOSEACCESSES
#include "conversion/hk_to_lane/passes/Passes.h.inc"

AccessShape chosenAccess(Operation *op) {
  auto chosen = hk::kAccessAttr.getAttr(op);
  if (!chosen)
    return {};
  return {.dim = unsigned(chosen.getDim()), .width = chosen.getWidth()};
}

static AccessShape choose(hk::GlobalAccess op, AxisInfoAnalysis &analysis, unsigned maxBits) {
  hk::GlobalAddresses access = op.getGlobalAddresses();
  Type element = getElementTypeOrSelf(access.accessed);
  if (!element.isIntOrFloat())
    return {};
  unsigned bits = element.getIntOrFloatBitWidth();
  AxisInfo addresses = analysis.get(access.addresses);
  if (access.base)
    addresses =
        addOffsets(analysis.get(access.base), addresses, cast<RankedTensorType>(access.addresses.getType()), bits / 8);
  AxisInfo mask = access.mask ? analysis.get(access.mask) : AxisInfo();
  return chooseAccess(addresses, access.mask ? &mask : nullptr, bits, maxBits);
}

static void chooseAccesses(func::FuncOp function, unsigned maxBits) {
  AxisInfoAnalysis analysis(function);
  function.walk([&](hk::GlobalAccess op) {
    AccessShape shape = choose(op, analysis, maxBits);
    if (shape.width > 1)
      hk::kAccessAttr.setAttr(op, hk::AccessAttr::get(function.getContext(), int32_t(shape.dim), int32_t(shape.width)));
  });
}

namespace {

struct ChooseAccesses : impl::ChooseAccessesBase<ChooseAccesses> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto functions = module.getOps<func::FuncOp>();
    if (!functions.empty() && failed(hk::requireFactsAndLayouts(module)))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      chooseAccesses(function, hk::targetOf(module).maxAccessBits);
  }
};

} // namespace
} // namespace hocket
