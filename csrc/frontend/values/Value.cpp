//===- Value.cpp - Values of a kernel's expressions ---------------------------------===//
#include "frontend/values/Value.h"
#include "frontend/values/Aggregates.h"

using namespace hocket::frontend;

/// True if `type` derives from np.generic, as the scalar classes of NumPy and of extensions such as ml_dtypes do.
static bool isNumpyScalar(PyTypeObject *type) {
  PyObject *bases = type->tp_mro;
  for (Py_ssize_t i = 1, count = bases ? PyTuple_GET_SIZE(bases) : 0; i < count; ++i)
    if (std::string_view(reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(bases, i))->tp_name) == "numpy.generic")
      return true;
  return false;
}

Constexpr::Constexpr(py::object object) : object(std::move(object)) {
  if (isNumpyScalar(Py_TYPE(this->object.ptr())))
    this->object = this->object.attr("item")();
}

Value Value::constant(py::object object) {
  if (!isAggregateClass(py::type::of(object)))
    return Constexpr{std::move(object)};
  Tuple fields{{}, py::type::of(object)};
  for (py::handle name : fields.pythonClass.attr("_fields"))
    fields.elements.push_back(constant(object.attr(name)));
  return fields;
}

/// True if the Python class of `tuple` is tuple, list, or a class derived from these. False for a class such as
/// tensor_descriptor, which has `_fields` but is not a sequence. Messages describe such a tuple by its first element.
static bool isSequence(const Tuple &tuple) {
  auto *type = reinterpret_cast<PyTypeObject *>(tuple.pythonClass.ptr());
  return !type || PyType_IsSubtype(type, &PyTuple_Type) || PyType_IsSubtype(type, &PyList_Type);
}

llvm::ArrayRef<Value> Value::parts() const {
  if (const Tuple *tuple = asTuple())
    return tuple->elements;
  if (const BoundMethod *method = asBoundMethod())
    return *method->receiver;
  return {};
}

Value Value::withParts(std::vector<Value> parts) const {
  if (const Tuple *tuple = asTuple())
    return Tuple{std::move(parts), tuple->pythonClass};
  if (const BoundMethod *method = asBoundMethod())
    return BoundMethod{std::make_shared<const Value>(std::move(parts.front())), method->function};
  return *this;
}

std::string Value::partName(size_t index) const {
  const Tuple *tuple = asTuple();
  if (!tuple)
    return "";
  if (tuple->pythonClass && py::hasattr(tuple->pythonClass, "_fields"))
    return "." + py::object(tuple->pythonClass.attr("_fields")[py::int_(index)]).cast<std::string>();
  return "[" + std::to_string(index) + "]";
}

bool Value::isCompileTime() const {
  return asConstexpr() || (asTuple() && llvm::all_of(parts(), [](const Value &part) { return part.isCompileTime(); }));
}

py::object Value::toPython() const {
  if (const Constexpr *constant = asConstexpr())
    return constant->object;
  const Tuple &tuple = *asTuple();
  py::tuple objects(tuple.elements.size());
  for (size_t i = 0; i < tuple.elements.size(); ++i)
    objects[i] = tuple.elements[i].toPython();
  if (!tuple.pythonClass)
    return std::move(objects);
  if (isAggregateClass(tuple.pythonClass))
    return aggregateFunction("make")(tuple.pythonClass, objects);
  // The constructor of a namedtuple takes the fields as separate arguments. The constructor of a list takes a sequence
  // of elements.
  bool isList = tuple.pythonClass.ptr() == reinterpret_cast<PyObject *>(&PyList_Type);
  return isList ? tuple.pythonClass(objects) : tuple.pythonClass(*objects);
}

std::optional<std::vector<Value>> Value::asSequence() const {
  if (const Tuple *tuple = asTuple())
    return isSequence(*tuple) ? std::optional(tuple->elements) : std::nullopt;
  const Constexpr *constant = asConstexpr();
  if (!constant || !(PyTuple_Check(constant->object.ptr()) || PyList_Check(constant->object.ptr())))
    return std::nullopt;
  std::vector<Value> elements;
  for (py::handle element : constant->object)
    elements.push_back(Value::constant(py::reinterpret_borrow<py::object>(element)));
  return elements;
}

/// Shortens `text` for a message if it is longer than 200 characters.
static std::string shortened(std::string text) {
  constexpr size_t kMost = 200;
  return text.size() <= kMost ? text : text.substr(0, kMost - 20) + " ... " + text.substr(text.size() - 15);
}

static std::string describeAggregate(const Value &value) {
  auto name = value.asTuple()->pythonClass.attr("__name__").cast<std::string>();
  std::string fields;
  for (size_t i = 0; i < value.parts().size(); ++i)
    fields += (fields.empty() ? "" : ", ") + value.partName(i).substr(1) + ": " + value.parts()[i].describe();
  return "the aggregate " + name + "(" + shortened(fields) + ")";
}

static std::string describeElements(llvm::ArrayRef<Value> elements) {
  constexpr size_t kMost = 8;
  std::string text = "(";
  for (const Value &element : elements.take_front(kMost))
    text += (text.size() > 1 ? ", " : "") + element.describe();
  return text + (elements.size() > kMost ? ", and " + std::to_string(elements.size() - kMost) + " more)" : ")");
}

std::string Value::describe() const {
  if (const Runtime *runtime = asRuntime())
    return runtime->type.isScalar() ? "a run-time " + runtime->type.toString() : runtime->type.toString();
  if (const BoundMethod *method = asBoundMethod())
    return "the method `" + py::str(method->function.attr("__name__")).cast<std::string>() + "`";
  if (isAggregate(*this))
    return describeAggregate(*this);
  if (const Tuple *tuple = asTuple())
    return isSequence(*tuple) ? describeElements(tuple->elements) : tuple->elements.front().describe();
  const Constexpr *constant = asConstexpr();
  if (!constant)
    return "nothing";
  py::handle object = constant->object;
  if (object.is_none())
    return "None";
  if (PyCapsule_CheckExact(object.ptr())) // an inner function of the kernel (emit/InnerFunctions.h)
    return "the function `" + std::string(static_cast<const char *>(PyCapsule_GetContext(object.ptr()))) + "`";
  if (PyModule_Check(object.ptr()))
    return "the module `" + py::str(object.attr("__name__")).cast<std::string>() + "`";
  if (py::hasattr(object, "__name__")) // functions, classes
    return "`" + py::str(object.attr("__name__")).cast<std::string>() + "`";
  return "the constexpr " + shortened(py::repr(object).cast<std::string>());
}
