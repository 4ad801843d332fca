//===- CarriedNames.cpp - Names carried by a run-time loop -----------------------------===//
#include "frontend/emit/CarriedNames.h"
#include "frontend/emit/Assignment.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/values/Aggregates.h"
#include "frontend/values/ValueParts.h"

using namespace hocket;
using namespace hocket::frontend;

CarriedNames::CarriedNames(FrameEmitter &e, const ast::Assigned &assigned, int target) : e(e) {
  for (int slot : assigned.all) {
    const Variable &variable = e.frame->variables[slot];
    if (!variable.value || slot == target)
      continue;
    if (e.frame->quotedName(slot) == "`_`") { // by convention, the value of `_` is not used
      e.frame->lose(slot, variable.where, Variable::InLoop);
      continue;
    }
    Value carried = decay(e, variable.value);
    // Constants that are not numbers, such as dtypes, stay constants. The loop body may rebind such a constant only to
    // the same value.
    bool isNumber = variable.value.asConstexpr() && carried.asRuntime();
    if (isNumber && llvm::is_contained(assigned.innerTargets, slot)) {
      e.frame->lose(slot, variable.where, Variable::InnerTarget);
      continue;
    }
    slots.push_back(slot);
    values.push_back(std::move(carried));
    flatten(values.back(), flat);
  }
}

void CarriedNames::bind(mlir::ValueRange parts) const {
  for (auto [slot, value] : llvm::zip(slots, values))
    e.frame->bind(slot, unflatten(value, parts), e.frame->variables[slot].where);
}

/// Returns the name of the first field whose compile-time value differs between two aggregates of one class; "" if
/// there is no such field.
static std::string changedConstant(const Value &before, const Value &after) {
  if (!isAggregate(before) || !isAggregate(after) || !before.asTuple()->pythonClass.is(after.asTuple()->pythonClass))
    return "";
  auto fields = before.asTuple()->pythonClass.attr("_fields").cast<std::vector<std::string>>();
  for (auto [field, x, y] : llvm::zip_equal(fields, before.parts(), after.parts()))
    if (x.isCompileTime() && y.isCompileTime() && !sameForm(x, y))
      return field;
  return "";
}

static std::string hintForChange(const Value &before, const Value &after, const std::string &name) {
  if (std::string field = changedConstant(before, after); !field.empty())
    return "`" + field + "` is a gl.constexpr, the same in all iterations: annotate it with gl.tensor, or loop over " +
           "gl.static_range";
  if (!before.asRuntime() || !after.asRuntime())
    return "use two names";
  if (before.asRuntime()->type.isScalar())
    return "give " + name + " its final type before the loop, or use two names";
  return "convert the new value, or use two names";
}

llvm::SmallVector<mlir::Value> CarriedNames::next(std::string_view keyword, const ast::Node &loop) const {
  llvm::SmallVector<mlir::Value> parts;
  for (auto [slot, before] : llvm::zip(slots, values)) {
    const Variable &variable = e.frame->variables[slot];
    std::string name = e.frame->quotedName(slot);
    if (!variable.value) {
      bool isInnerVariable = variable.lost == Variable::AfterItsLoop;
      e.errorAt(e.rangeOf(*variable.where), name + " may have no value in the next iteration of the loop",
                {{},
                 isInnerVariable ? "give the variable of this inner loop another name"
                                 : "assign it in both branches of the `if`"});
    }
    Value after = settledLike(e, variable.value, before);
    if (!sameForm(before, after))
      e.errorAt(
          e.rangeOf(*variable.where),
          name + " changes its type in this iteration of the `" + std::string(keyword) + "` loop of line " +
              std::to_string(loop.line),
          {describeMismatch("before", before, "after", variable.value), hintForChange(before, variable.value, name)});
    flatten(after, parts);
  }
  return parts;
}

void hocket::frontend::forgetLoopNames(FrameEmitter &e, const ast::Assigned &assigned, std::vector<Variable> before) {
  std::vector<Variable> after = std::exchange(e.frame->variables, std::move(before));
  for (int slot : assigned.all) {
    const Variable &variable = e.frame->variables[slot];
    bool isBound = after[slot].where; // false if only branches that are not taken at compile time bind the name
    if (!variable.value && variable.lost != Variable::InnerTarget && isBound)
      e.frame->lose(slot, after[slot].where, Variable::InLoop);
  }
}
