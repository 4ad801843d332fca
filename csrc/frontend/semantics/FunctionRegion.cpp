//===- FunctionRegion.cpp - User functions as regions of operations -------------------===//
#include "frontend/semantics/FunctionRegion.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/TypeChecks.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace hocket::frontend {

/// Raises an error if the function, whose operations are in `region`, has tensors, accesses memory or synchronizes
/// warps. A function of single elements may only compute scalars.
static void checkPerElement(Emitter &e, const ElementFunction &function, mlir::Region &region) {
  std::string called = "it is called for " + function.calledFor;
  auto refuse = [&](mlir::Operation *op, const std::string &what, const std::string &hint) {
    Diagnostic at = hk::diagnosticAt(op->getLoc());
    Note place{"done at", displayPath(at.file) + ":" + std::to_string(at.line)};
    e.errorAt(function.where, function.name + " must " + what, {{place}, hint});
  };
  region.walk([&](mlir::Operation *op) {
    bool hasTiles =
        llvm::any_of(llvm::concat<mlir::Type>(op->getOperandTypes(), op->getResultTypes()),
                     [](mlir::Type type) { return llvm::isa<mlir::RankedTensorType, hk::MemDescType>(type); });
    if (hasTiles)
      refuse(op, "work on scalars, but makes a tensor", called + "; make tensors outside");
    if (!hk::computesValues(op))
      refuse(op, "not access memory, wait, or synchronize warps", called + "; " + function.toPassMore);
  });
}

/// For each constant that is used in `region` but defined outside, adds a clone of the constant to `region`. Raises an
/// error if `region` uses other values defined outside.
static void takeConstantsIn(Emitter &e, const ElementFunction &function, mlir::Region &region) {
  llvm::SetVector<mlir::Value> outside;
  mlir::getUsedValuesDefinedAbove(region, outside);
  mlir::OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(&region.front());
  for (mlir::Value value : outside) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || !op->hasTrait<mlir::OpTrait::ConstantLike>())
      e.errorAt(function.where, function.name + " must not use run-time values of the kernel around it",
                {{}, function.toPassMore});
    mlir::replaceAllUsesInRegionWith(value, e.builder.clone(*op)->getResult(0), region);
  }
}

Value callPerElement(Emitter &e, const ElementFunction &function, std::vector<Value> scalars) {
  const Constexpr *constant = function.function.asConstexpr();
  bool isText = constant && PyUnicode_Check(constant->object.ptr());
  if (function.function.isNone() || function.function.asRuntime() || function.function.asTuple() || isText)
    e.errorAt(function.where,
              function.name + " must be a @hocket.jit function or a lambda, but is " + function.function.describe());
  mlir::Region &region = *e.builder.getInsertionBlock()->getParent();
  Value returned = e.call(function.function, std::move(scalars));
  checkPerElement(e, function, region);
  return returned;
}

static void appendForm(Emitter &e, const ElementFunction &function, const Value &returned, const Value &form,
                       llvm::SmallVectorImpl<mlir::Value> &results) {
  size_t expected = form.asTuple() ? form.parts().size() : 1;
  if (returned.asTuple() ? returned.parts().size() != expected : expected != 1)
    e.errorAt(function.where, function.name + " must return " + std::to_string(expected) + " value" +
                                  (expected == 1 ? "" : "s") + ", but returns " + returned.describe());
  if (form.asTuple()) {
    for (size_t i = 0; i < expected; ++i)
      appendForm(e, function, returned.asTuple() ? returned.parts()[i] : returned, form.parts()[i], results);
    return;
  }
  if (returned.asTuple())
    return appendForm(e, function, returned.parts().front(), form, results);
  Runtime value = e.toRuntime(returned, "the result of " + function.name);
  if (value.type != form.asRuntime()->type)
    e.errorAt(function.where,
              function.name + " must return the element type " + form.asRuntime()->type.toString() + ", but returns " +
                  value.type.toString(),
              {{}, "convert the input beforehand, or the result inside the function"});
  results.push_back(value.ir);
}

llvm::SmallVector<mlir::Value> requireForm(Emitter &e, const ElementFunction &function, const Value &returned,
                                           const Value &form) {
  llvm::SmallVector<mlir::Value> results;
  appendForm(e, function, returned, form, results);
  return results;
}

void emitRegion(Emitter &e, mlir::Region &region, llvm::ArrayRef<Value> forms,
                llvm::function_ref<void(std::vector<Value> parameters)> body) {
  mlir::OpBuilder::InsertionGuard guard(e.builder);
  mlir::Block *block = e.builder.createBlock(&region);
  std::vector<Value> parameters;
  for (const Value &form : forms)
    parameters.push_back(mapRuntime(form, [&](const Runtime &part) {
      return Runtime{block->addArgument(part.type.toMlir(e.context()), e.loc()), part.type};
    }));
  body(std::move(parameters));
}

void emitCombineRegion(Emitter &e, hk::CombineRegion op, const Value &form, Combination combine) {
  emitRegion(e, op.getCombine(), {form, form},
             [&](std::vector<Value> sides) { e.create<hk::CombineReturnOp>(combine(form, sides[0], sides[1])); });
}

llvm::SmallVector<mlir::Value> combineByCall(Emitter &e, const ElementFunction &function, const Value &form,
                                             const Value &left, const Value &right) {
  std::vector<Value> scalars;
  for (const Value &side : {left, right}) {
    llvm::ArrayRef<Value> parts = side.asTuple() ? side.parts() : llvm::ArrayRef<Value>(side);
    scalars.insert(scalars.end(), parts.begin(), parts.end());
  }
  mlir::Region &region = *e.builder.getInsertionBlock()->getParent();
  llvm::SmallVector<mlir::Value> results =
      requireForm(e, function, callPerElement(e, function, std::move(scalars)), form);
  // A result of the function can be a constant defined outside the region; the region's terminator uses a clone in the
  // region.
  for (mlir::Value &result : results)
    if (mlir::Operation *op = result.getDefiningOp();
        op && op->getParentRegion() != &region && op->hasTrait<mlir::OpTrait::ConstantLike>())
      result = e.builder.clone(*op)->getResult(0);
  takeConstantsIn(e, function, region);
  return results;
}

} // namespace hocket::frontend
