//===- Calls.cpp - Calls of functions, builtins and Python callables ------------------===//
#include "frontend/emit/Calls.h"
#include "frontend/emit/Aggregates.h"
#include "frontend/emit/InnerFunctions.h"
#include "frontend/emit/PythonBuiltins.h"
#include "frontend/semantics/ForeignNames.h"
#include "frontend/semantics/Handles.h"
#include "frontend/semantics/OutsideWorld.h"
#include "frontend/semantics/VendorNames.h"
#include "frontend/values/Aggregates.h"
#include "frontend/values/LanguageObjects.h"

using namespace hocket;
using namespace hocket::frontend;

bool hocket::frontend::isContextManager(py::handle object) {
  return object.is(languageObject("warp_pipeline_stage")) || object.is(languageObject("profiler.scope"));
}

// Jit functions -------------------------------------------------------------------------------------------------------

void hocket::frontend::enterFunction(FrameEmitter &e, Frame &callee, const CallSignature &signature,
                                     const std::string &displayName, CallArguments arguments) {
  if (e.budget.countCall() > Budget::kMaxCalls)
    e.error("with this call of `" + displayName + "`, more than " + std::to_string(Budget::kMaxCalls) +
                " calls are inlined into the kernel",
            "call it in a loop at run time: `for ... in range(...)`");
  std::vector<Arguments::Slot> slots = bindArguments(e, signature, displayName, std::move(arguments));
  callee.callSite = e.loc();
  for (size_t i = 0; i < slots.size(); ++i) {
    bool isConstexpr = signature.parameters[i].isConstexpr;
    if (isConstexpr && !slots[i].value.isCompileTime())
      e.requireConstexpr(slots[i].value, "`" + signature.names[i] + "` of " + displayName + ", a gl.constexpr,",
                         slots[i].where);
    callee.bind(static_cast<int>(i), std::move(slots[i].value), &callee.source.tree->parameterNodes[i], isConstexpr);
  }
  callee.current = &callee.source.tree->header;
}

static Value callJit(FrameEmitter &e, py::handle function, CallArguments arguments) {
  const KernelSource &source = KernelSource::of(function);
  const std::string &name = source.tree->name;
  for (const Frame *active = e.frame; active; active = active->caller)
    if (active->function.is(function))
      e.error("`" + name + "` calls itself; recursion is not supported in kernels",
              "write a loop, or unroll with gl.static_range");

  Frame callee(function, source, e.frame);
  enterFunction(e, callee, *source.signature, name, std::move(arguments));
  return e.emitBody(callee);
}

static std::string nameOf(py::handle callable) {
  return py::str(py::getattr(callable, "__name__", py::type::of(callable).attr("__name__"))).cast<std::string>();
}

std::optional<UnusedResult> hocket::frontend::whyToUseResult(const Value &callee) {
  const BoundMethod *method = callee.asBoundMethod();
  const Constexpr *constant = callee.asConstexpr();
  py::object function = method ? method->function : constant ? constant->object : py::object();
  if (!function || PyModule_Check(function.ptr()) || PyType_Check(function.ptr()))
    return std::nullopt;
  if (isBuiltin(function) && builtinName(function) == "profiler.begin")
    return UnusedResult{"the token of this call is not used, so the interval that begins here has no end",
                        "keep it, `token = gl.profiler.begin(...)`, and end it: `gl.profiler.end(token)`"};
  if (const BuiltinEntry *builtin = findBuiltin(builtinName(function)); builtin && builtin->returnsAccumulator)
    return UnusedResult{"the result of this call is not used, so it does nothing",
                        "the accumulator does not change in place: acc = " + nameOf(function) + "(a, b, acc)"};
  if (!py::hasattr(py::getattr(function, "fn", function), "__hocket_must_use_result__"))
    return std::nullopt;
  return UnusedResult{"the result of this call is not used, so it does nothing",
                      "it returns a changed copy: assign it, as in `x = x.next()`"};
}

// Builtins ------------------------------------------------------------------------------------------------------------

/// Raises an error if `stub` represents a Triton function that Hocket lacks (hocket.compat). Must be called before
/// arguments are bound, because the parameters of a function that Hocket lacks are unknown.
static void checkIsNotMissing(FrameEmitter &e, py::handle stub) {
  if (!py::hasattr(stub, "__hocket_missing__"))
    return;
  std::string own = builtinName(stub);
  if (BuiltinFn refuse = refusalOf(own)) {
    Arguments nothing(own, {}, {});
    refuse(e, nothing);
  }
  auto [name, hint] = stub.attr("__hocket_missing__").cast<std::pair<std::string, std::string>>();
  e.error(name + " is part of Triton, but Hocket does not support it yet", hint);
}

Value hocket::frontend::callBuiltin(FrameEmitter &e, py::handle stub, CallArguments callArguments) {
  checkIsNotMissing(e, stub);
  std::string name = builtinName(stub);
  checkVendor(e, name);
  const CallSignature &signature = CallSignature::of(py::getattr(stub, "__wrapped__", stub));
  // Functions for one GPU generation are also available in the namespace of the next generation, so messages omit the
  // namespace.
  bool isOfGeneration = llvm::StringRef(name).starts_with("amd.cdna") || llvm::StringRef(name).starts_with("nvidia.");
  std::string shortName = isOfGeneration ? name.substr(name.rfind('.') + 1) : name;
  std::vector<Arguments::Slot> slots =
      bindArguments(e, signature, isOfGeneration ? shortName : "gl." + name, std::move(callArguments));
  Arguments arguments(shortName, signature.names, std::move(slots));
  const BuiltinEntry *entry = findBuiltin(name);
  BuiltinFn emit = entry ? entry->function : refusalOf(name);
  if (!emit)
    e.error("gl." + name + " is not supported yet");
  Value result = e.runPython([&] { return emit(e, arguments); });
  return result ? result : Value::none();
}

// Compile-time calls --------------------------------------------------------------------------------------------------

/// Returns the package of a callable, such as "numpy", "torch" or "math"; "" if unknown.
static std::string packageOf(py::handle callable) {
  auto moduleOf = [](py::handle object) {
    py::object module = py::getattr(object, "__module__", py::none());
    return py::isinstance<py::str>(module) ? module.cast<std::string>() : "";
  };
  // NumPy's elementwise functions have no `__module__`, but their type has one.
  std::string module = moduleOf(callable).empty() ? moduleOf(py::type::of(callable)) : moduleOf(callable);
  return module.substr(0, module.find('.'));
}

/// True if the language has run-time counterparts of functions of `package`, such as gl.exp for numpy.exp.
static bool hasTwins(llvm::StringRef package) {
  return package == "math" || package == "numpy" || package == "torch" || package == "hocket";
}

/// Raises an error for a call such as numpy.exp of a run-time value. The hint of the error names the counterpart, such
/// as gl.exp.
static void checkTwin(FrameEmitter &e, py::handle callable, const CallArguments &arguments) {
  auto argument = llvm::find_if(arguments.positional, [](auto &given) { return given.value.asRuntime(); });
  std::string package = packageOf(callable);
  if (argument == arguments.positional.end() || !hasTwins(package))
    return;
  std::string name = nameOf(callable);
  py::object twin = py::getattr(py::module_::import("hocket.language"), name.c_str(), py::none());
  std::string hint = elementTypeFromPython(twin) ? "convert with x.to(gl." + name + ")"
                     : isBuiltin(twin)           ? "use gl." + name
                                                 : hintForFunction(name);
  if (twin.is(callable)) {
    package = "gl";
    hint = "it runs while the kernel is compiled: pass compile-time values, such as x.layout and x.shape";
  }
  e.error("`" + package + "." + name + "` works only on compile-time values, not on " + argument->value.describe(),
          hint);
}

/// Raises an error if run-time values are passed to a user's class that is not an aggregate. Only aggregates can hold
/// run-time values.
static void checkMayHold(FrameEmitter &e, py::handle callable, const CallArguments &arguments) {
  if (!PyType_Check(callable.ptr()) || llvm::StringRef(packageOf(callable)) == "builtins" ||
      llvm::StringRef(packageOf(callable)) == "hocket")
    return;
  auto isRuntime = [](const auto &given) { return !given.value.isCompileTime() && !isAggregate(given.value); };
  auto positional = llvm::find_if(arguments.positional, isRuntime);
  auto keyword = llvm::find_if(arguments.keywords, isRuntime);
  if (positional == arguments.positional.end() && keyword == arguments.keywords.end())
    return;
  const Value &value = positional != arguments.positional.end() ? positional->value : keyword->value;
  bool isDataclass = py::hasattr(callable, "__dataclass_fields__");
  e.error("`" + nameOf(callable) + "` is a class of Python, which cannot hold " + value.describe(),
          isDataclass ? "decorate it with @hocket.aggregate in place of @dataclass"
                      : "decorate it with @hocket.aggregate, and annotate its fields: gl.tensor, gl.constexpr");
}

Value hocket::frontend::callAtCompileTime(FrameEmitter &e, py::handle callable, CallArguments arguments) {
  std::string name = nameOf(callable);
  py::list positional;
  py::dict keywords;
  auto argumentOf = [&](size_t index) { return "argument " + std::to_string(index + 1) + " of " + name; };
  checkTwin(e, callable, arguments);
  checkMayHold(e, callable, arguments);
  // An argument that is an aggregate can hold run-time values. Python receives handles in place of these values.
  Handles handles;
  auto toPython = [&](const Value &value, const std::string &what, SourceRange where) {
    return isAggregate(value) ? handles.toPython(value) : e.requireConstexpr(value, what, where);
  };
  for (size_t i = 0; i < arguments.positional.size(); ++i)
    positional.append(toPython(arguments.positional[i].value, argumentOf(i), arguments.positional[i].where));
  for (CallArguments::Keyword &keyword : arguments.keywords)
    keywords[keyword.name.c_str()] = toPython(keyword.value, "`" + keyword.name + "` of " + name, keyword.where);
  return e.runPython([&] { return handles.fromPython(callable(*positional, **keywords)); });
}

static Value makeNamedTuple(FrameEmitter &e, py::handle pythonClass, CallArguments arguments) {
  auto fields = pythonClass.attr("_fields").cast<std::vector<std::string>>();
  auto name = pythonClass.attr("__name__").cast<std::string>();
  py::dict defaults = pythonClass.attr("_field_defaults");
  CallSignature signature{name, fields, {}, fields.size()};
  for (const std::string &field : fields)
    signature.parameters.push_back(
        {Parameter::Normal, defaults.contains(field) ? py::object(defaults[field.c_str()]) : py::object()});
  Tuple tuple{{}, py::reinterpret_borrow<py::object>(pythonClass)};
  for (Arguments::Slot &slot : bindArguments(e, signature, name, std::move(arguments)))
    tuple.elements.push_back(std::move(slot.value));
  return tuple;
}

// Calls of any callee -------------------------------------------------------------------------------------------------

/// True if `function` is a C function of an extension module, which can have side effects. Functions of `math` and
/// `operator`, and methods of compile-time objects, have no side effects.
static bool isForeignFunction(py::handle function) {
  if (!PyCFunction_Check(function.ptr()))
    return false;
  PyObject *self = PyCFunction_GetSelf(function.ptr());
  if (!self || !PyModule_Check(self))
    return false;
  llvm::StringRef module = PyModule_GetName(self);
  return module != "math" && module != "_operator";
}

/// True for a Python function that users cannot decorate, because it belongs to an installed package or to Python's
/// standard library.
static bool isFromLibrary(py::handle function) {
  if (!PyFunction_Check(function.ptr()))
    return false;
  auto file = function.attr("__code__").attr("co_filename").cast<std::string>();
  return llvm::StringRef(file).contains("/site-packages/") || llvm::StringRef(file).contains("/lib/python3");
}

/// Raises an error if `function` is a plain Python function or a C function with possible side effects, unless it is
/// declared as gl.constexpr_function.
static void checkNotPlain(FrameEmitter &e, py::handle function) {
  bool isForeign = isForeignFunction(function) || isFromLibrary(function);
  if (py::hasattr(function, "__hocket_constexpr_function__") || !(PyFunction_Check(function.ptr()) || isForeign))
    return;
  e.error("`" + nameOf(function) + "` is a plain Python function",
          isForeign ? "call it in a function decorated with @gl.constexpr_function, or outside and pass the result"
                    : "decorate it with @hocket.jit to run it in the kernel, or with @gl.constexpr_function to run it "
                      "at compile time");
}

[[noreturn]] static void raiseNotCallable(FrameEmitter &e, const Value &callee) {
  py::handle object = callee.asConstexpr()->object;
  std::optional<ElementType> type = elementTypeFromPython(object);
  std::string hint = "it is a value already: leave out the parentheses";
  if (type)
    hint = "convert with x.to(gl." + std::string(type->dtype.name()) + "); a constant takes the type of its use";
  else if (PyModule_Check(object.ptr()))
    hint = "call one of its functions";
  e.error(callee.describe() + " cannot be called", hint);
}

Value hocket::frontend::callValue(FrameEmitter &e, const Value &callee, CallArguments arguments) {
  if (const BoundMethod *method = callee.asBoundMethod()) {
    arguments.positional.insert(arguments.positional.begin(), {*method->receiver, e.here()});
    return callValue(e, Value::constant(method->function), std::move(arguments));
  }
  const Constexpr *constant = callee.asConstexpr();
  if (!constant)
    e.error(callee.describe() + " cannot be called");
  py::object function = constant->object;
  if (isInnerFunction(function))
    return callInnerFunction(e, function, std::move(arguments));
  if (isContextManager(function))
    e.error(builtinName(function) + " can only be used in a `with` statement",
            "write `with gl." + builtinName(function) + "(...):` above the statements of the " +
                (builtinName(function) == "profiler.scope" ? "scope" : "stage"));
  if (isBuiltin(function))
    return callBuiltin(e, function, std::move(arguments));
  if (py::object jitFunction = jitFunctionOf(function))
    return callJit(e, jitFunction, std::move(arguments));
  if (std::optional<Value> result = callPythonBuiltin(e, function, arguments))
    return *result;
  if (isAggregateClass(function))
    return makeAggregate(e, function, std::move(arguments));
  if (function.is(languageObject("aggregate_replace")))
    return replaceFields(e, arguments);
  if (PyType_Check(function.ptr()) && py::hasattr(function, "__hocket_aggregate__"))
    e.error("`" + nameOf(function) + "` derives from an aggregate, but is not an aggregate",
            "decorate it with @hocket.aggregate as well");
  if (PyType_Check(function.ptr()) && py::hasattr(function, "_fields"))
    return makeNamedTuple(e, function, std::move(arguments));
  if (!PyCallable_Check(function.ptr()))
    raiseNotCallable(e, callee);
  if (py::hasattr(function, "fn") && jitFunctionOf(function.attr("fn")))
    e.error("`" + nameOf(function) + "` is autotuned at a launch, but a kernel cannot launch it",
            "call the kernel inside, with all its arguments: " + nameOf(function) + ".fn(...)");
  if (std::string_view(Py_TYPE(function.ptr())->tp_name) == "hocket._core.GridLaunch")
    e.error("a kernel cannot launch kernels", "call it as a function, without a grid: it then runs in this block");
  checkConstant(e, function, nameOf(function));
  checkTwin(e, function, arguments);
  checkNotPlain(e, function);
  if (py::hasattr(function, "__hocket_constexpr_function__"))
    checkReads(e, function);
  return callAtCompileTime(e, function, std::move(arguments));
}
