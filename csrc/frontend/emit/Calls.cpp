//===- Calls.cpp - Calls of anything --------------------------------------------------===//
#include "frontend/emit/Calls.h"
#include "frontend/emit/PythonBuiltins.h"
#include "frontend/semantics/VendorNames.h"
#include "frontend/values/LanguageObjects.h"

using namespace hocket;
using namespace hocket::frontend;

bool hocket::frontend::isContextManager(py::handle object) {
  return object.is(languageObject("amd.warp_pipeline_stage"));
}

// Jit functions -------------------------------------------------------------------------------------------------------

static Value callJit(FrameEmitter &e, py::handle function, CallArguments arguments) {
  const KernelSource &source = KernelSource::of(function);
  const std::string &name = source.tree->name;
  for (const Frame *active = e.frame; active; active = active->caller)
    if (active->function.is(function))
      e.error("`" + name + "` calls itself; recursion is not supported in kernels",
              "write a loop, or unroll with gl.static_range");

  std::vector<Arguments::Slot> slots = bindArguments(e, *source.signature, name, std::move(arguments));
  Frame callee(function, source, e.frame);
  callee.callSite = e.loc();
  for (size_t i = 0; i < slots.size(); ++i) {
    bool isConstexpr = source.signature->parameters[i].isConstexpr;
    if (isConstexpr && !slots[i].value.isCompileTime())
      e.requireConstexpr(slots[i].value, "`" + source.signature->names[i] + "` of " + name + ", a gl.constexpr,",
                         slots[i].where);
    callee.bind(static_cast<int>(i), std::move(slots[i].value), &source.tree->parameterNodes[i], isConstexpr);
  }
  callee.current = &source.tree->header;
  return e.emitBody(callee);
}

// Builtins ------------------------------------------------------------------------------------------------------------

Value hocket::frontend::callBuiltin(FrameEmitter &e, py::handle stub, CallArguments callArguments) {
  std::string name = builtinName(stub);
  checkVendor(e, name);
  const CallSignature &signature = CallSignature::of(py::getattr(stub, "__wrapped__", stub));
  // Operations of CDNA3 are found under CDNA4 as well: messages leave the namespace out.
  bool isCdna = llvm::StringRef(name).starts_with("amd.cdna");
  std::string shortName = isCdna ? name.substr(name.rfind('.') + 1) : name;
  std::vector<Arguments::Slot> slots =
      bindArguments(e, signature, isCdna ? shortName : "gl." + name, std::move(callArguments));
  Arguments arguments(shortName, signature.names, std::move(slots));
  BuiltinFn emit = findBuiltin(name);
  if (!emit)
    e.error("gl." + name + " is not supported yet");
  Value result = e.runPython([&] { return emit(e, arguments); });
  return result ? result : Value::none();
}

// Compile-time calls --------------------------------------------------------------------------------------------------

/// "math" or "numpy" if `callable` comes from there and the language has a builtin of this name; otherwise "".
static std::string homeOfTwin(py::handle callable, const std::string &name) {
  auto moduleOf = [](py::handle object) {
    return py::str(py::getattr(object, "__module__", py::none())).cast<std::string>();
  };
  // NumPy's elementwise functions do not say where they are from, but their type does.
  bool isNumpy = moduleOf(callable) == "numpy" || moduleOf(py::type::of(callable)) == "numpy";
  bool isMath = moduleOf(callable) == "math";
  if (!(isNumpy || isMath) || !py::hasattr(py::module_::import("hocket.language"), name.c_str()))
    return "";
  return isMath ? "math" : "numpy";
}

Value hocket::frontend::callAtCompileTime(FrameEmitter &e, py::handle callable, CallArguments arguments) {
  auto name = py::str(py::getattr(callable, "__name__", py::type::of(callable).attr("__name__"))).cast<std::string>();
  py::list positional;
  py::dict keywords;
  auto argumentOf = [&](size_t index) { return "argument " + std::to_string(index + 1) + " of " + name; };
  for (const CallArguments::Positional &argument : arguments.positional)
    if (std::string home; argument.value.asRuntime() && !(home = homeOfTwin(callable, name)).empty())
      e.error("`" + home + "." + name + "` works only on compile-time values, not on " + argument.value.describe(),
              "use gl." + name);
  for (size_t i = 0; i < arguments.positional.size(); ++i)
    positional.append(e.requireConstexpr(arguments.positional[i].value, argumentOf(i), arguments.positional[i].where));
  for (CallArguments::Keyword &keyword : arguments.keywords)
    keywords[keyword.name.c_str()] =
        e.requireConstexpr(keyword.value, "`" + keyword.name + "` of " + name, keyword.where);
  return e.runPython([&] { return Value::constant(unwrapConstexpr(callable(*positional, **keywords))); });
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

// Any call ------------------------------------------------------------------------------------------------------------

/// A function of a C extension that may do anything. Those of `math` and `operator`, and methods of compile-time
/// objects, only compute.
static bool isForeignFunction(py::handle function) {
  if (!PyCFunction_Check(function.ptr()))
    return false;
  PyObject *self = PyCFunction_GetSelf(function.ptr());
  if (!self || !PyModule_Check(self))
    return false;
  llvm::StringRef module = PyModule_GetName(self);
  return module != "math" && module != "_operator";
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
  if (isContextManager(function))
    e.error("warp_pipeline_stage can only be used in a `with` statement",
            "write `with amd.warp_pipeline_stage(...):` above the statements of the stage");
  if (isBuiltin(function))
    return callBuiltin(e, function, std::move(arguments));
  if (py::object jitFunction = jitFunctionOf(function))
    return callJit(e, jitFunction, std::move(arguments));
  if (std::optional<Value> result = callPythonBuiltin(e, function, arguments))
    return *result;
  if (PyType_Check(function.ptr()) && py::hasattr(function, "_fields"))
    return makeNamedTuple(e, function, std::move(arguments));
  bool isForeign = isForeignFunction(function);
  if (PyFunction_Check(function.ptr()) || isForeign) {
    auto name = function.attr("__name__").cast<std::string>();
    e.error("`" + name + "` is a plain Python function",
            isForeign
                ? "call it in a function decorated with @gl.constexpr_function, or outside and pass the result"
                : "decorate it with @hocket.jit to run it in the kernel, or with @gl.constexpr_function to run it "
                  "at compile time");
  }
  if (!PyCallable_Check(function.ptr()))
    e.error(callee.describe() + " cannot be called");
  return callAtCompileTime(e, function, std::move(arguments));
}
