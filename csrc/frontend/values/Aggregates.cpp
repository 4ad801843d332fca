//===- Aggregates.cpp - Aggregates as values ------------------------------------------===//
#include "frontend/values/Aggregates.h"

using namespace hocket::frontend;

bool hocket::frontend::isAggregateClass(py::handle type) {
  if (!type || !PyType_Check(type.ptr()))
    return false;
  // Classes that are written in C cannot be aggregates. Most objects have a class that is written in C, so the fast
  // test for such classes comes first.
  if (!PyType_HasFeature(reinterpret_cast<PyTypeObject *>(type.ptr()), Py_TPFLAGS_HEAPTYPE))
    return false;
  static PyObject *mark = PyUnicode_InternFromString("__hocket_aggregate__");
  return PyDict_Contains(reinterpret_cast<PyTypeObject *>(type.ptr())->tp_dict, mark) == 1;
}

bool hocket::frontend::isAggregate(const Value &value) {
  return value.asTuple() && isAggregateClass(value.asTuple()->pythonClass);
}

py::object hocket::frontend::aggregateFunction(const char *name) {
  return py::module_::import("hocket.language._aggregate").attr(name);
}
