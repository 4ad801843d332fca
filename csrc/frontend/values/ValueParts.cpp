//===- ValueParts.cpp - Flattening of nested values to run-time parts ------------------===//
#include "frontend/values/ValueParts.h"

using namespace hocket;
using namespace hocket::frontend;

Value hocket::frontend::mapRuntime(const Value &value, llvm::function_ref<Runtime(const Runtime &)> replace) {
  if (const Runtime *runtime = value.asRuntime())
    return replace(*runtime);
  if (value.parts().empty())
    return value;
  std::vector<Value> parts;
  parts.reserve(value.parts().size());
  for (const Value &part : value.parts())
    parts.push_back(mapRuntime(part, replace));
  return value.withParts(std::move(parts));
}

void hocket::frontend::forEachRuntime(const Value &value, llvm::function_ref<void(const Runtime &)> visit) {
  if (const Runtime *runtime = value.asRuntime())
    visit(*runtime);
  for (const Value &part : value.parts())
    forEachRuntime(part, visit);
}

void hocket::frontend::flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &flat) {
  forEachRuntime(value, [&](const Runtime &runtime) { flat.push_back(runtime.ir); });
}

Value hocket::frontend::unflatten(const Value &form, mlir::ValueRange &flat) {
  return mapRuntime(form, [&](const Runtime &runtime) {
    Runtime result{flat.front(), runtime.type};
    flat = flat.drop_front();
    return result;
  });
}

static bool sameObject(const py::object &a, const py::object &b) {
  return a.is(b) || (py::type::of(a).is(py::type::of(b)) && a.equal(b));
}

/// True if `a` and `b` have the same kind, the same type and the same number of parts. The parts themselves (elements
/// of a tuple, fields) are not compared.
static bool sameHead(const Value &a, const Value &b) {
  if (a.parts().size() != b.parts().size())
    return false;
  if (a.asRuntime() && b.asRuntime())
    return a.asRuntime()->type == b.asRuntime()->type;
  if (a.asConstexpr() && b.asConstexpr())
    return sameObject(a.asConstexpr()->object, b.asConstexpr()->object);
  if (a.asTuple() && b.asTuple())
    return a.asTuple()->pythonClass.is(b.asTuple()->pythonClass);
  if (a.asBoundMethod() && b.asBoundMethod())
    return a.asBoundMethod()->function.is(b.asBoundMethod()->function);
  return !a && !b;
}

bool hocket::frontend::sameForm(const Value &a, const Value &b) {
  return sameHead(a, b) && std::equal(a.parts().begin(), a.parts().end(), b.parts().begin(), sameForm);
}

bool hocket::frontend::identical(const Value &a, const Value &b) {
  if (!sameForm(a, b))
    return false;
  llvm::SmallVector<mlir::Value> x, y;
  flatten(a, x);
  flatten(b, y);
  return x == y;
}

/// Returns the path to the first part in which `a` and `b` have different forms, such as "[1].count"; empty if `a` and
/// `b` themselves differ in kind, type or number of parts.
static std::string pathToMismatch(const Value &a, const Value &b) {
  if (!sameHead(a, b))
    return "";
  for (size_t i = 0; i < a.parts().size(); ++i)
    if (!sameForm(a.parts()[i], b.parts()[i]))
      return a.partName(i) + pathToMismatch(a.parts()[i], b.parts()[i]);
  return "";
}

std::vector<Note> hocket::frontend::describeMismatch(std::string labelA, const Value &a, std::string labelB,
                                                     const Value &b) {
  std::vector<Note> notes{{std::move(labelA), a.describe()}, {std::move(labelB), b.describe()}};
  if (std::string path = pathToMismatch(a, b); !path.empty())
    notes.push_back({"different", path});
  return notes;
}
