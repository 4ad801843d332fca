//===- ValueParts.cpp - The run-time parts of nested values ----------------------------===//
#include "frontend/values/ValueParts.h"

using namespace hocket::frontend;

void hocket::frontend::flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &flat) {
  if (const Runtime *runtime = value.asRuntime())
    flat.push_back(runtime->ir);
  else if (const Tuple *tuple = value.asTuple())
    for (const Value &element : tuple->elements)
      flatten(element, flat);
  else if (const BoundMethod *method = value.asBoundMethod())
    flatten(*method->receiver, flat);
}

Value hocket::frontend::unflatten(const Value &model, mlir::ValueRange &flat) {
  if (const Runtime *runtime = model.asRuntime()) {
    Runtime result{flat.front(), runtime->type};
    flat = flat.drop_front();
    return result;
  }
  if (const Tuple *tuple = model.asTuple()) {
    Tuple result{{}, tuple->pythonClass};
    for (const Value &element : tuple->elements)
      result.elements.push_back(unflatten(element, flat));
    return result;
  }
  if (const BoundMethod *method = model.asBoundMethod())
    return BoundMethod{std::make_shared<Value>(unflatten(*method->receiver, flat)), method->function};
  return model;
}

static bool sameObject(const py::object &a, const py::object &b) {
  return a.is(b) || (py::type::of(a).is(py::type::of(b)) && a.equal(b));
}

bool hocket::frontend::sameForm(const Value &a, const Value &b) {
  if (a.asRuntime() && b.asRuntime())
    return a.asRuntime()->type == b.asRuntime()->type;
  if (a.asConstexpr() && b.asConstexpr())
    return sameObject(a.asConstexpr()->object, b.asConstexpr()->object);
  if (a.asTuple() && b.asTuple()) {
    const Tuple &x = *a.asTuple(), &y = *b.asTuple();
    return x.elements.size() == y.elements.size() && x.pythonClass.is(y.pythonClass) &&
           std::equal(x.elements.begin(), x.elements.end(), y.elements.begin(), sameForm);
  }
  if (a.asBoundMethod() && b.asBoundMethod())
    return a.asBoundMethod()->function.is(b.asBoundMethod()->function) &&
           sameForm(*a.asBoundMethod()->receiver, *b.asBoundMethod()->receiver);
  return !a && !b;
}

bool hocket::frontend::identical(const Value &a, const Value &b) {
  if (!sameForm(a, b))
    return false;
  llvm::SmallVector<mlir::Value> x, y;
  flatten(a, x);
  flatten(b, y);
  return x == y;
}
