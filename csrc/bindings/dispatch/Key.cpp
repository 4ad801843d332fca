//===- Key.cpp - Keys of specializations, with Python's constants ----------------------===//
#include "bindings/dispatch/Key.h"
#include <bit>

namespace py = pybind11;

namespace hocket::dispatch {

bool PythonObjects::same(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (Py_TYPE(a) != Py_TYPE(b))
    return false;
  if (PyFloat_CheckExact(a))
    return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(a)) == std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(b));
  if (PyTuple_Check(a)) {
    if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
      return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i)
      if (!same(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)))
        return false;
    return true;
  }
  int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0)
    throw py::error_already_set();
  return equal;
}

// Compiler input -----------------------------------------------------------------------------------------------------

/// Sets `type` and `value`, the entries of one parameter in the result of `describe`, from the codes of the key that
/// begin at index `next`. Advances `next` to the code of the next parameter.
static void describeOne(const LaunchKey &key, size_t &next, py::object &type, py::object &value) {
  const Code &code = key.codes[next++];
  type = value = py::none();
  switch (code.kind) {
  case CodeKind::Pointer:
  case CodeKind::Scalar:
    type = py::str(code.typeText());
    break;
  case CodeKind::One:
    value = py::int_(1);
    break;
  case CodeKind::Constexpr:
    value = py::reinterpret_borrow<py::object>(code.object);
    break;
  case CodeKind::Descriptor:
    value = py::reinterpret_borrow<py::object>(code.object);
    type = py::str(value);
    break;
  case CodeKind::Tuple: {
    py::tuple types(code.number), values(code.number);
    for (int i = 0; i < code.number; ++i) {
      py::object elementType, elementValue;
      describeOne(key, next, elementType, elementValue);
      types[i] = elementType;
      values[i] = elementValue;
    }
    type = types;
    value = code.object ? py::object(py::handle(code.object)(*values)) : py::object(values);
    break;
  }
  case CodeKind::None:
  case CodeKind::Option:
  case CodeKind::Device:
    break;
  }
}

py::tuple describe(const Signature &signature, const LaunchKey &key) {
  py::list types, values;
  size_t next = 0;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    py::object type, value;
    describeOne(key, next, type, value);
    types.append(type);
    values.append(value);
  }
  return py::make_tuple(types, values);
}

} // namespace hocket::dispatch
