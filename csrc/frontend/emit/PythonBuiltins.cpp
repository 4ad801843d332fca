//===- PythonBuiltins.cpp - Python's builtins in kernels: len, min, isinstance, ... ------===//
#include "frontend/emit/PythonBuiltins.h"
#include "frontend/emit/Calls.h"
#include "frontend/semantics/Attributes.h"
#include "frontend/semantics/ForeignNames.h"
#include "frontend/semantics/OutsideWorld.h"
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/StringSet.h"

using namespace hocket;
using namespace hocket::frontend;

static bool allCompileTime(const CallArguments &arguments) {
  return llvm::all_of(arguments.positional, [](auto &argument) { return argument.value.isCompileTime(); }) &&
         llvm::all_of(arguments.keywords, [](auto &argument) { return argument.value.isCompileTime(); });
}

/// True for functions of Python's `builtins` that can run at compile time, because they neither read nor change
/// external state.
static bool isPure(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"abs",   "all",     "any",     "bool",  "chr",   "divmod",   "enumerate",
                                          "float", "getattr", "hasattr", "int",   "len",   "list",     "max",
                                          "min",   "ord",     "pow",     "range", "repr",  "reversed", "round",
                                          "slice", "sorted",  "str",     "sum",   "tuple", "type",     "zip"};
  return names.contains(name);
}

/// Returns a hint for a call of the Python builtin `name` with run-time values: the function to use instead.
static std::string adviceForRuntime(const std::string &name) {
  if (name == "int")
    return "convert with x.to(gl.int32)";
  if (name == "float")
    return "convert with x.to(gl.float32)";
  if (name == "bool")
    return "compare with zero: x != 0";
  if (name == "str" || name == "repr")
    return "run-time values have no text; print shows them when the kernel runs, gl.static_print their types";
  if (name == "sum" || name == "min" || name == "max")
    return "use gl." + name + "(x, axis)";
  if (name == "range")
    return "write it into the loop: for i in range(n)";
  return hintForFunction(name);
}

static bool isInstanceOf(const Value &value, py::handle pythonClass) {
  auto is = [&](const char *name) { return pythonClass.is(languageObject(name)); };
  if (is("base_value"))
    return true;
  if (const Constexpr *constant = value.asConstexpr())
    return is("constexpr") || py::isinstance(constant->object, pythonClass) ||
           (is("tuple") && PyTuple_Check(constant->object.ptr()));
  if (value.asTuple() && is("tuple"))
    return true;
  int isSubclass = PyObject_IsSubclass(classOf(value).ptr(), pythonClass.ptr());
  if (isSubclass < 0)
    throw py::error_already_set();
  return isSubclass;
}

static Value isInstance(FrameEmitter &e, const CallArguments &arguments) {
  if (arguments.positional.size() != 2)
    e.error("isinstance takes a value and a class");
  py::object classes = e.requireConstexpr(arguments.positional[1].value, "the class", arguments.positional[1].where);
  const Value &value = arguments.positional[0].value;
  return e.runPython([&] {
    if (!PyTuple_Check(classes.ptr()))
      return Value::constant(py::bool_(isInstanceOf(value, classes)));
    bool any = llvm::any_of(classes, [&](py::handle one) { return isInstanceOf(value, one); });
    return Value::constant(py::bool_(any));
  });
}

/// Evaluates zip, enumerate and reversed of sequences with run-time elements; returns nullopt for other functions.
static std::optional<Value> rearrange(FrameEmitter &e, const std::string &name, const CallArguments &arguments) {
  bool isZip = name == "zip", isEnumerate = name == "enumerate", isReversed = name == "reversed";
  bool takesOne = arguments.positional.size() == 1;
  bool isStrict = false;
  for (const CallArguments::Keyword &keyword : arguments.keywords) {
    if (!isZip || keyword.name != "strict")
      return std::nullopt;
    isStrict = e.requireBool(keyword.value, "`strict` of zip", keyword.where);
  }
  if (arguments.positional.empty() || !(isZip || (takesOne && (isEnumerate || isReversed))))
    return std::nullopt;
  std::vector<std::vector<Value>> sequences;
  size_t shortest = SIZE_MAX;
  for (const CallArguments::Positional &argument : arguments.positional) {
    std::optional<std::vector<Value>> elements = argument.value.asSequence();
    if (!elements)
      return std::nullopt;
    if (isStrict && !sequences.empty() && elements->size() != shortest)
      e.errorAt(argument.where, "zip(strict=True) needs sequences of one length, but these have " +
                                    std::to_string(shortest) + " and " + std::to_string(elements->size()));
    shortest = std::min(shortest, elements->size());
    sequences.push_back(std::move(*elements));
  }
  Tuple result;
  for (size_t i = 0; i < shortest; ++i) {
    Tuple element;
    if (isEnumerate)
      element.elements.push_back(Value::constant(py::int_(i)));
    for (std::vector<Value> &sequence : sequences)
      element.elements.push_back(sequence[isReversed ? shortest - 1 - i : i]);
    result.elements.push_back(isReversed ? element.elements.front() : Value(std::move(element)));
  }
  return result;
}

/// Evaluates `print`. If all arguments are compile-time values, prints during compilation. Otherwise emits a print at
/// run time, with the leading string as the prefix.
static Value print(FrameEmitter &e, CallArguments arguments) {
  if (allCompileTime(arguments))
    return callBuiltin(e, languageObject("static_print"), std::move(arguments));
  auto &positional = arguments.positional;
  const Constexpr *first = positional.front().value.asConstexpr();
  if (!first || !py::isinstance<py::str>(first->object))
    positional.insert(positional.begin(), {Value::constant(py::str("")), positional.front().where});
  return callBuiltin(e, languageObject("device_print"), std::move(arguments));
}

std::optional<Value> hocket::frontend::callPythonBuiltin(FrameEmitter &e, py::handle function,
                                                         const CallArguments &arguments) {
  if (function.is(languageObject("constexpr"))) {
    if (arguments.positional.size() != 1 || !arguments.keywords.empty())
      e.error("gl.constexpr takes one value");
    return Value::constant(
        e.requireConstexpr(arguments.positional[0].value, "the value of gl.constexpr", arguments.positional[0].where));
  }
  // The rest of this function handles only members of Python's `builtins` module.
  if (!(PyCFunction_Check(function.ptr()) || PyType_Check(function.ptr())) ||
      !py::str(py::getattr(function, "__module__", py::none())).equal(py::str("builtins")))
    return std::nullopt;
  auto name = function.attr("__name__").cast<std::string>();
  auto &positional = arguments.positional;

  if (name == "isinstance")
    return isInstance(e, arguments);
  if (name == "len" && positional.size() == 1) {
    if (std::optional<std::vector<Value>> elements = positional[0].value.asSequence())
      return Value::constant(py::int_(elements->size()));
    if (positional[0].value.asRuntime())
      e.errorAt(positional[0].where, "a tensor has no `len`", {{}, "use x.shape[0] or x.numel"});
  }
  if ((name == "tuple" || name == "list") && positional.size() == 1) {
    if (std::optional<std::vector<Value>> elements = positional[0].value.asSequence())
      return Tuple{std::move(*elements), name == "list" ? py::reinterpret_borrow<py::object>(function) : py::object()};
  }
  if (name == "print")
    return print(e, arguments);
  if (std::optional<Value> rearranged = rearrange(e, name, arguments))
    return rearranged;
  bool isLookup = name == "hasattr" || name == "getattr";
  if (isLookup && positional.size() >= 2 && !positional[0].value.isCompileTime()) {
    const Value &base = positional[0].value;
    std::string attributeName = e.requireString(positional[1].value, "the name of an attribute", positional[1].where);
    if (name == "getattr" && positional.size() == 2)
      return attribute(e, base, attributeName);
    Value found = findAttribute(e, base, attributeName);
    if (name == "hasattr")
      return Value::constant(py::bool_(static_cast<bool>(found)));
    return found ? found : positional[2].value;
  }
  checkConstant(e, function, name);
  if (name == "dict" || name == "set")
    e.error(name + "s are not supported in kernels", "use a tuple, or a namedtuple defined in the module");
  if (name == "super")
    e.error("`super` can only be used to call a method of a base class", "write super().method(...) in a method");
  if (!isPure(name))
    e.error("Python's `" + name + "` is not available in kernels",
            "call it outside of the kernel and pass the result as an argument");
  if (allCompileTime(arguments))
    return callAtCompileTime(e, function, arguments);

  if ((name == "min" || name == "max") && positional.size() >= 2 && arguments.keywords.empty()) {
    py::object elementwise = languageObject(name == "min" ? "minimum" : "maximum");
    Value result = positional[0].value;
    for (const CallArguments::Positional &next : llvm::drop_begin(positional))
      result = e.call(Value::constant(elementwise), {result, next.value});
    return result;
  }
  if (name == "abs")
    return callBuiltin(e, languageObject("abs"), arguments);
  e.error("Python's `" + name + "` works only on compile-time values, not on " +
              llvm::find_if(positional, [](auto &a) { return !a.value.isCompileTime(); })->value.describe(),
          adviceForRuntime(name));
}
