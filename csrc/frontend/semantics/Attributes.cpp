//===- Attributes.cpp - Attribute lookup: `x.shape`, `smem.load`, `state.count` -------===//
//
// An attribute of a compile-time object is read from the Python object. For any other value, the attribute is looked up
// in the Python class that represents values of its kind:
//
//     in the class                        result of the lookup
//     a field of a namedtuple             the value of the field
//     a property                          the result of the getter, called with the value: `x.shape`
//     a builtin or jit function           a method, bound to the value: `x.sum`, `smem.load`
//
// A new kind of value needs a Python class, whose name is added to `className`. Methods for one GPU vendor are added to
// the Python classes; this file does not change.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/Attributes.h"
#include "frontend/semantics/ForeignNames.h"
#include "frontend/semantics/OutsideWorld.h"
#include "frontend/values/Aggregates.h"
#include "frontend/values/LanguageObjects.h"
#include "support/NearestName.h"

namespace hocket::frontend {

static const char *className(ValueType::Kind kind) {
  switch (kind) {
  case ValueType::Scalar:
  case ValueType::Tensor:
    return "tensor";
  case ValueType::MemDesc:
    return "shared_memory_descriptor";
  case ValueType::TensorDesc: // the tensor map in a tensor_descriptor; kernels cannot access the map alone
    return "base_value";
  }
  llvm_unreachable("all kinds handled");
}

py::object classOf(const Value &value) {
  if (const Runtime *runtime = value.asRuntime())
    return languageObject(className(runtime->type.kind));
  const Tuple *tuple = value.asTuple();
  if (tuple && tuple->pythonClass)
    return tuple->pythonClass;
  return tuple ? py::object(py::type::of(py::tuple())) : languageObject("base_value");
}

/// Returns the field names of a namedtuple or aggregate; an empty vector for other values.
static std::vector<std::string> fieldsOf(const Value &value) {
  const Tuple *tuple = value.asTuple();
  if (!tuple || !tuple->pythonClass || !py::hasattr(tuple->pythonClass, "_fields"))
    return {};
  return tuple->pythonClass.attr("_fields").cast<std::vector<std::string>>();
}

static bool isProperty(py::handle object) { return PyObject_TypeCheck(object.ptr(), &PyProperty_Type); }
static bool isKernelFunction(py::handle object) { return isBuiltin(object) || jitFunctionOf(object); }

static bool isConstexprFunction(py::handle object) { return py::hasattr(object, "__hocket_constexpr_function__"); }

Value attributeOfAggregate(Emitter &e, const Value &base, const std::string &name, py::handle pythonClass) {
  py::object found = pythonClass.attr(name.c_str());
  // Kernels cannot access attributes that hocket.aggregate adds or that the class inherits from `object`, except
  // __class__.
  bool isHidden = llvm::StringRef(name).starts_with("__") || name == "_fields" || name == "_field_defaults";
  if (isHidden && name != "__class__")
    return {};
  if (isProperty(found)) {
    py::object getter = found.attr("fget");
    // A property getter without a decorator such as @hocket.jit is plain Python code, which runs at compile time.
    bool isPlain = !isKernelFunction(getter) && !isConstexprFunction(getter);
    return e.call(Value::constant(isPlain ? languageObject("constexpr_function")(getter) : getter), {base});
  }
  py::object declared = py::module_::import("inspect").attr("getattr_static")(pythonClass, name);
  bool isStatic = Py_TYPE(declared.ptr()) == &PyStaticMethod_Type;
  if (Py_TYPE(declared.ptr()) == &PyClassMethod_Type)
    e.error("class methods are not supported in kernels: `" + name + "`", "use @staticmethod, and name the class");
  bool isMethod = isKernelFunction(found) || isConstexprFunction(found) || PyFunction_Check(found.ptr());
  if (isMethod && !isStatic)
    return BoundMethod{std::make_shared<const Value>(base), found};
  return Value::constant(unwrapConstexpr(found));
}

static Value findInClass(Emitter &e, const Value &base, const std::string &name) {
  std::vector<std::string> fields = fieldsOf(base);
  if (auto field = llvm::find(fields, name); field != fields.end())
    return base.parts()[field - fields.begin()];
  py::object found = py::getattr(classOf(base), name.c_str(), py::object());
  if (!found)
    return {};
  if (isAggregate(base))
    return attributeOfAggregate(e, base, name, classOf(base));
  if (isProperty(found))
    if (py::object getter = found.attr("fget"); isKernelFunction(getter))
      return e.call(Value::constant(getter), {base});
  if (isKernelFunction(found))
    return BoundMethod{std::make_shared<const Value>(base), found};
  return {};
}

Value findAttribute(Emitter &e, const Value &base, const std::string &name) {
  const Constexpr *constant = base.asConstexpr();
  if (!constant)
    return findInClass(e, base, name);
  if (!py::hasattr(constant->object, name.c_str()))
    return {};
  return Value::constant(unwrapConstexpr(constant->object.attr(name.c_str())));
}

/// Returns the names of all attributes of `base` that findAttribute finds.
static std::vector<std::string> attributeNames(const Value &base) {
  std::vector<std::string> names = fieldsOf(base);
  const Constexpr *constant = base.asConstexpr();
  py::object place = constant ? constant->object : classOf(base);
  for (py::handle key : py::reinterpret_steal<py::list>(PyObject_Dir(place.ptr()))) {
    auto name = py::str(key).cast<std::string>();
    py::object found = constant ? py::object() : py::getattr(place, name.c_str(), py::object());
    bool isOwn = isAggregate(base) && !llvm::StringRef(name).starts_with("_");
    if (constant || isOwn || (found && (isProperty(found) || isKernelFunction(found))))
      names.push_back(std::move(name));
  }
  return names;
}

/// Raises an error if kernels cannot use `module`, such as random or triton. `name` is the attribute that the kernel
/// reads from the module.
static void checkModule(Emitter &e, py::handle module, const std::string &name) {
  auto home = module.attr("__name__").cast<std::string>();
  checkConstant(e, module, home + "." + name);
  if (llvm::StringRef(home).split('.').first == "triton")
    e.error("`" + home + "." + name + "` is part of Triton and works only with Triton's compiler",
            "import the language of hocket by the same name: import hocket.language as tl");
}

Value attribute(Emitter &e, const Value &base, const std::string &name) {
  if (const Constexpr *module = base.asConstexpr(); module && PyModule_Check(module->object.ptr()))
    checkModule(e, module->object, name);
  if (Value found = findAttribute(e, base, name))
    return found;
  std::string hint = hintForAttribute(base, name);
  if (base.asTuple() && py::hasattr(py::list(), name.c_str()))
    hint = "tuples and lists are immutable in kernels: write items = items + [x], or a comprehension";
  if (std::string nearest = nearestName(name, attributeNames(base)); hint.empty() && !nearest.empty())
    hint = "did you mean `" + nearest + "`?";
  std::string what = base.describe();
  if (isAggregate(base)) // the message contains the aggregate's class without its fields
    what = "the aggregate " + classOf(base).attr("__name__").cast<std::string>();
  e.error(what + " has no attribute `" + name + "`", hint);
}

} // namespace hocket::frontend
