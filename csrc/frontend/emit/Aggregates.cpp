//===- Aggregates.cpp - Construction of aggregates ------------------------------------===//
#include "frontend/emit/Aggregates.h"
#include "frontend/emit/Calls.h"
#include "frontend/semantics/Attributes.h"
#include "frontend/semantics/Handles.h"
#include "frontend/values/Aggregates.h"
#include "frontend/values/LanguageObjects.h"
#include "support/NearestName.h"

using namespace hocket;
using namespace hocket::frontend;

static std::string nameOf(py::handle pythonClass) { return pythonClass.attr("__name__").cast<std::string>(); }

static std::vector<std::string> fieldsOf(py::handle pythonClass) {
  return pythonClass.attr("_fields").cast<std::vector<std::string>>();
}

// Types of aggregate fields -------------------------------------------------------------------------------------------

/// Returns `value` if one of `types`, the types of an aggregate's field, accepts `value` without conversion; otherwise
/// an unset Value.
static Value asOneOf(const Value &value, const py::tuple &types) {
  for (py::handle type : types) {
    if (type.is_none() ? value.isNone() : type.ptr() == reinterpret_cast<PyObject *>(&PyBaseObject_Type))
      return value; // a field of type `object` accepts every value
    if (type.is_none())
      continue;
    if (type.is(languageObject("constexpr"))) {
      if (value.isCompileTime())
        return value;
      continue;
    }
    std::optional<ElementType> element = elementTypeFromPython(type);
    if (element) {
      if (value.asRuntime() && value.asRuntime()->type == ValueType(*element))
        return value;
      continue;
    }
    bool isTuple = type.ptr() == reinterpret_cast<PyObject *>(&PyTuple_Type);
    if (isTuple && value.asSequence())
      return value;
    const Constexpr *constant = value.asConstexpr();
    if (constant ? py::isinstance(constant->object, type) : PyObject_IsSubclass(classOf(value).ptr(), type.ptr()) == 1)
      return value;
  }
  return {};
}

/// Converts a compile-time number to a run-time value if one of `types`, the types of an aggregate's field, is
/// gl.tensor or a dtype. Returns an unset Value if the conversion is not possible.
static Value asRuntimeNumber(FrameEmitter &e, const Value &value, const py::tuple &types) {
  const Constexpr *constant = value.asConstexpr();
  if (!constant || !(PyLong_Check(constant->object.ptr()) || PyFloat_Check(constant->object.ptr())))
    return {};
  for (py::handle type : types) {
    if (type.is(languageObject("tensor")))
      return e.toRuntime(value);
    std::optional<ElementType> element = elementTypeFromPython(type);
    if (element && !element->isPointer)
      return e.scalarConstant(constant->object, element->dtype);
  }
  return {};
}

static std::string hintForField(const Value &value, const py::tuple &types, const std::string &wanted) {
  bool wantsConstexpr = types.contains(languageObject("constexpr"));
  if (wantsConstexpr && value.asRuntime())
    return "annotate the field with gl.tensor if its value is known only at run time";
  if (value.asRuntime() && value.asRuntime()->type.isScalar() && types.size() == 1 && elementTypeFromPython(types[0]))
    return "convert it: x.to(" + wanted + ")";
  return "";
}

/// Returns `value`, converted if necessary to a type of the field `name` of the aggregate class `pythonClass`. Raises
/// an error if no type of the field accepts `value`.
static Value asField(FrameEmitter &e, py::handle pythonClass, const std::string &name, const Value &value,
                     SourceRange where) {
  py::dict all = e.runPython([&] { return py::dict(aggregateFunction("field_types")(pythonClass)); });
  auto types = all[name.c_str()].cast<py::tuple>();
  if (Value fits = asOneOf(value, types))
    return fits;
  if (Value number = asRuntimeNumber(e, value, types))
    return number;
  auto wanted = aggregateFunction("type_text")(types).cast<std::string>();
  e.errorAt(where,
            "field `" + name + "` of " + nameOf(pythonClass) + " must be " + wanted + ", not " + value.describe(),
            {{}, hintForField(value, types, wanted)});
}

[[noreturn]] static void raiseNoField(FrameEmitter &e, py::handle pythonClass, const std::string &name,
                                      SourceRange where) {
  std::vector<std::string> fields = fieldsOf(pythonClass);
  std::string hint, nearest = nearestName(name, fields);
  if (!nearest.empty())
    hint = "did you mean `" + nearest + "`?";
  else
    hint = "annotate it in the class: `" + name + ": gl.tensor`";
  e.errorAt(where, "aggregate " + nameOf(pythonClass) + " has no field `" + name + "`", {{}, hint});
}

// __init__ ------------------------------------------------------------------------------------------------------------

static py::object defaultOf(py::handle pythonClass, const std::string &field) {
  py::dict defaults = pythonClass.attr("_field_defaults");
  return defaults.contains(field) ? py::object(defaults[field.c_str()]) : py::object();
}

/// Constructs an aggregate whose class has no `__init__`: the arguments are the values of the fields.
static Value makeFromFields(FrameEmitter &e, py::handle pythonClass, CallArguments arguments) {
  std::vector<std::string> fields = fieldsOf(pythonClass);
  CallSignature signature{nameOf(pythonClass), fields, {}, fields.size()};
  for (const std::string &field : fields)
    signature.parameters.push_back({Parameter::Normal, defaultOf(pythonClass, field)});
  Tuple result{{}, py::reinterpret_borrow<py::object>(pythonClass)};
  std::vector<Arguments::Slot> slots = bindArguments(e, signature, signature.function, std::move(arguments));
  for (auto [field, slot] : llvm::zip(fields, slots))
    result.elements.push_back(asField(e, pythonClass, field, slot.value, slot.where));
  return result;
}

/// Constructs an aggregate whose `__init__` is a constexpr function, by running `__init__` in Python.
static Value makeInPython(FrameEmitter &e, py::handle pythonClass, const CallArguments &arguments) {
  Handles handles;
  py::list positional;
  py::dict keywords;
  for (const CallArguments::Positional &argument : arguments.positional)
    positional.append(handles.toPython(argument.value));
  for (const CallArguments::Keyword &keyword : arguments.keywords)
    keywords[keyword.name.c_str()] = handles.toPython(keyword.value);
  py::list values =
      e.runPython([&] { return py::list(aggregateFunction("initialize")(pythonClass, positional, keywords)); });
  Tuple result{{}, py::reinterpret_borrow<py::object>(pythonClass)};
  for (auto [field, value] : llvm::zip(fieldsOf(pythonClass), values))
    result.elements.push_back(asField(e, pythonClass, field, handles.fromPython(value), e.here()));
  return result;
}

/// Inside `__init__`, returns the current value of the field `index`. If the field is not assigned yet, returns its
/// default value; without default, an unset Value.
static Value fieldSoFar(FrameEmitter &e, size_t index) {
  const Variable &variable = e.frame->variables[e.frame->fieldSlot(index)];
  if (variable.value)
    return variable.value;
  py::object given = defaultOf(e.frame->building, e.frame->fields[index]);
  return given ? Value::constant(given) : Value();
}

static Value makeInKernel(FrameEmitter &e, py::handle pythonClass, py::handle init, CallArguments arguments) {
  const KernelSource &source = KernelSource::of(init);
  Frame callee(init, source, e.frame, fieldsOf(pythonClass));
  callee.building = py::reinterpret_borrow<py::object>(pythonClass);
  std::vector<int> fieldSlots;
  for (size_t i = 0; i < callee.fields.size(); ++i)
    fieldSlots.push_back(callee.fieldSlot(i));
  callee.needed = &fieldSlots;
  if (source.signature->names.empty())
    e.error("`__init__` of " + nameOf(pythonClass) + " has no parameter `self`");
  arguments.positional.insert(arguments.positional.begin(), {Value::none(), e.here()});
  enterFunction(e, callee, *source.signature, nameOf(pythonClass), std::move(arguments));
  callee.variables[0] = {};

  Value returned = e.emitBody(callee);
  if (!returned.isNone())
    e.error("`__init__` of " + nameOf(pythonClass) + " must return nothing, but returns " + returned.describe());
  Tuple result{{}, callee.building};
  Frame *caller = std::exchange(e.frame, &callee);
  std::vector<Value> values;
  for (size_t i = 0; i < callee.fields.size(); ++i)
    values.push_back(fieldSoFar(e, i));
  e.frame = caller;
  for (auto [field, value] : llvm::zip(callee.fields, values)) {
    if (!value)
      e.error("`__init__` of " + nameOf(pythonClass) + " gives the field `" + field + "` no value",
              "assign `self." + field + "` on every path through `__init__`");
    result.elements.push_back(asField(e, pythonClass, field, value, e.here()));
  }
  return result;
}

Value hocket::frontend::makeAggregate(FrameEmitter &e, py::handle pythonClass, CallArguments arguments) {
  py::object init = pythonClass.attr("__hocket_init__");
  if (init.is_none())
    return makeFromFields(e, pythonClass, std::move(arguments));
  if (py::hasattr(init, "__hocket_constexpr_function__"))
    return makeInPython(e, pythonClass, arguments);
  py::object function = PyFunction_Check(init.ptr()) ? init : jitFunctionOf(init);
  return makeInKernel(e, pythonClass, function, std::move(arguments));
}

Value hocket::frontend::replaceFields(FrameEmitter &e, const CallArguments &arguments) {
  if (arguments.positional.size() != 1)
    e.error("aggregate_replace takes an aggregate, and the changed fields as keyword arguments",
            "write aggregate_replace(value, field=...)");
  const Value &value = arguments.positional[0].value;
  if (!isAggregate(value))
    e.errorAt(arguments.positional[0].where, "aggregate_replace takes an aggregate, not " + value.describe());
  py::object pythonClass = value.asTuple()->pythonClass;
  std::vector<std::string> fields = fieldsOf(pythonClass);
  std::vector<Value> parts(value.parts());
  for (const CallArguments::Keyword &change : arguments.keywords) {
    auto field = llvm::find(fields, change.name);
    if (field == fields.end())
      raiseNoField(e, pythonClass, change.name, change.nameWhere);
    parts[field - fields.begin()] = asField(e, pythonClass, change.name, change.value, change.where);
  }
  return value.withParts(std::move(parts));
}

// self ----------------------------------------------------------------------------------------------------------------

Value hocket::frontend::loadSelf(FrameEmitter &e) {
  Tuple self{{}, e.frame->building};
  for (size_t i = 0; i < e.frame->fields.size(); ++i) {
    Value value = fieldSoFar(e, i);
    if (!value)
      e.error("`self` is not complete here: its field `" + e.frame->fields[i] + "` has no value yet",
              "give all fields their values first");
    self.elements.push_back(std::move(value));
  }
  return self;
}

Value hocket::frontend::loadOwnField(FrameEmitter &e, const std::string &name) {
  auto field = llvm::find(e.frame->fields, name);
  if (field != e.frame->fields.end()) {
    size_t index = field - e.frame->fields.begin();
    if (Value value = fieldSoFar(e, index))
      return value;
    if (const Variable &variable = e.frame->variables[e.frame->fieldSlot(index)]; variable.where)
      e.error("`self." + name + "` may have no value here: only one branch of the run-time `if` assigns it (line " +
                  std::to_string(variable.where->line) + ")",
              "assign it in both branches");
    e.error("`self." + name + "` is used before it is assigned");
  }
  py::object inClass = py::getattr(e.frame->building, name.c_str(), py::object());
  bool isConstant = inClass && !PyCallable_Check(inClass.ptr()) && !PyObject_TypeCheck(inClass.ptr(), &PyProperty_Type);
  if (isConstant)
    return Value::constant(unwrapConstexpr(inClass));
  if (!inClass)
    raiseNoField(e, e.frame->building, name, e.here());
  return attribute(e, loadSelf(e), name);
}

void hocket::frontend::assignOwnField(FrameEmitter &e, const ast::Attribute &target, Value value) {
  std::string name = target.name.str();
  auto field = llvm::find(e.frame->fields, name);
  if (field == e.frame->fields.end())
    raiseNoField(e, e.frame->building, name, e.rangeOf(target));
  if (e.frame->runtimeLoops > 0)
    e.errorAt(e.rangeOf(target), "`__init__` cannot assign fields in a loop at run time",
              {{}, "compute the value in a local name, and assign the field after the loop"});
  value = asField(e, e.frame->building, name, value, e.rangeOf(target));
  e.frame->bind(e.frame->fieldSlot(field - e.frame->fields.begin()), std::move(value), &target);
}

// super ---------------------------------------------------------------------------------------------------------------

bool hocket::frontend::isSuperCall(const ast::Expr *expr) {
  auto *call = llvm::dyn_cast<ast::Call>(expr);
  auto *name = call ? llvm::dyn_cast<ast::Name>(call->callee) : nullptr;
  return name && name->slot < 0 && name->id == "super" && call->arguments.empty() && call->keywords.empty();
}

/// True if `pythonClass` itself, not a base class, defines `function` as a method or as the getter of a property.
static bool defines(py::handle pythonClass, py::handle function) {
  for (py::handle attribute : py::dict(pythonClass.attr("__dict__")).attr("values")()) {
    py::handle value = attribute;
    if (PyObject_TypeCheck(value.ptr(), &PyProperty_Type))
      value = value.attr("fget");
    py::object kernelFunction = jitFunctionOf(value);
    if (value.is(function) || (kernelFunction && kernelFunction.is(function)))
      return true;
  }
  return false;
}

/// Returns the aggregate classes after the class that defines `function`, in the method resolution order of
/// `pythonClass`; nullopt if no class defines `function`.
static std::optional<std::vector<py::object>> classesAfter(py::handle pythonClass, py::handle function) {
  std::optional<std::vector<py::object>> classes;
  for (py::handle each : pythonClass.attr("__mro__")) {
    if (!isAggregateClass(each))
      continue;
    if (classes)
      classes->push_back(py::reinterpret_borrow<py::object>(each));
    else if (defines(each, function))
      classes.emplace();
  }
  return classes;
}

Value hocket::frontend::attributeOfSuper(FrameEmitter &e, const std::string &name) {
  const Frame &frame = *e.frame;
  bool isMethod = !frame.definer && !frame.building && !frame.source.signature->names.empty();
  const Value self = isMethod ? frame.variables[0].value : Value();
  py::object own = self && isAggregate(self) ? classOf(self) : py::object();
  std::optional<std::vector<py::object>> bases;
  if (own)
    bases = classesAfter(own, frame.function);
  if (!bases)
    e.error("`super()` is for methods of aggregates", "name the class: Base.method(self)");
  for (const py::object &base : *bases)
    if (py::dict(base.attr("__dict__")).contains(name.c_str()))
      return attributeOfAggregate(e, self, name, base);
  bool isField = llvm::is_contained(fieldsOf(own), name);
  e.error("no base class of " + nameOf(own) + " has a method `" + name + "`",
          isField ? "read the field from self: self." + name : "");
}

/// Returns the class whose `__init__` is called by `super().__init__`: the first aggregate class in the method
/// resolution order after the classes that use the current `__init__`. Returns null if there is no such class.
static py::object nextClass(FrameEmitter &e) {
  py::object init = e.frame->building.attr("__hocket_init__");
  bool isOwner = false;
  for (py::handle base : e.frame->building.attr("__mro__")) {
    if (!isAggregateClass(base))
      continue;
    bool hasIt = py::object(base.attr("__hocket_init__")).is(init);
    if (isOwner && !hasIt)
      return py::reinterpret_borrow<py::object>(base);
    isOwner |= hasIt;
  }
  return {};
}

void hocket::frontend::initializeBase(FrameEmitter &e, CallArguments arguments) {
  py::object base = nextClass(e);
  if (!base)
    e.error("aggregate " + nameOf(e.frame->building) + " has no base class with fields");
  Value made = makeAggregate(e, base, std::move(arguments));
  for (auto [name, value] : llvm::zip(fieldsOf(base), made.parts())) {
    size_t index = llvm::find(e.frame->fields, name) - e.frame->fields.begin();
    e.frame->bind(e.frame->fieldSlot(index), value, e.frame->current);
  }
}
