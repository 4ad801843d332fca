//===- Handles.cpp - Kernel values in Python code that runs at compile time -----------===//
#include "frontend/semantics/Handles.h"
#include "frontend/semantics/Attributes.h"
#include "frontend/values/Aggregates.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/layouts/Layouts.h"

namespace hocket::frontend {

static constexpr const char *kHandleMark = "__hocket_handle__";

static py::tuple tupleOf(llvm::ArrayRef<int64_t> sizes) {
  py::tuple result(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    result[i] = py::int_(sizes[i]);
  return result;
}

/// Returns the attributes that Python code can read from a handle, such as dtype, shape and layout.
static py::dict factsOf(const ValueType &type) {
  py::dict facts;
  facts["dtype"] = elementTypeToPython(type.element);
  facts["shape"] = tupleOf(type.shape);
  facts["rank"] = py::int_(type.rank());
  facts["numel"] = py::int_(type.numElements());
  if (type.layout)
    facts["layout"] = layoutToPython(type.layout);
  if (type.isScalar())
    facts["type"] = facts["dtype"];
  else if (type.isTensor())
    facts["type"] =
        languageObject("distributed_type")(facts["dtype"], py::list(facts["shape"]), py::object(facts["layout"]));
  return facts;
}

py::object Handles::toPython(const Value &value) {
  if (value.isCompileTime())
    return value.toPython();
  const Tuple *tuple = value.asTuple();
  if (tuple && (!tuple->pythonClass || isAggregate(value) || value.asSequence())) {
    py::tuple objects(tuple->elements.size());
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      objects[i] = toPython(tuple->elements[i]);
    if (isAggregate(value))
      return aggregateFunction("make")(tuple->pythonClass, objects);
    if (!tuple->pythonClass)
      return std::move(objects);
    bool isNamed = py::hasattr(tuple->pythonClass, "_fields");
    return isNamed ? tuple->pythonClass(*objects) : tuple->pythonClass(objects);
  }
  known.push_back(value);
  py::dict facts = value.asRuntime() ? factsOf(value.asRuntime()->type) : py::dict();
  return aggregateFunction("handle")(classOf(value), known.size() - 1, facts);
}

Value Handles::fromPython(py::handle object) const {
  py::object plain = unwrapConstexpr(object);
  PyObject *p = plain.ptr();
  if (PyType_HasFeature(Py_TYPE(p), Py_TPFLAGS_HEAPTYPE) && !PyType_Check(p) && py::hasattr(plain, kHandleMark))
    return known[plain.attr(kHandleMark).cast<size_t>()];
  Tuple result;
  if (isAggregateClass(py::type::of(plain))) {
    result.pythonClass = py::type::of(plain);
    for (py::handle name : result.pythonClass.attr("_fields"))
      result.elements.push_back(fromPython(plain.attr(name)));
    return result;
  }
  if (!PyTuple_Check(p) && !PyList_Check(p))
    return Value::constant(std::move(plain));
  for (py::handle element : plain)
    result.elements.push_back(fromPython(element));
  bool isConstant = llvm::all_of(result.elements, [](const Value &element) { return element.asConstexpr(); });
  if (isConstant)
    return Value::constant(std::move(plain));
  if (!PyTuple_CheckExact(p))
    result.pythonClass = py::type::of(plain);
  return result;
}

} // namespace hocket::frontend
