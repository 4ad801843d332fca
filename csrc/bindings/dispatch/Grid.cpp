//===- Grid.cpp - Grid of a launch -----------------------------------------------------===//
#include "bindings/dispatch/Grid.h"
#include "dispatch/Rules.h"
#include "runtime/LaunchError.h"
#include "support/NearestName.h"

namespace py = pybind11;

namespace hocket::dispatch {

static int64_t extentOf(PyObject *object) {
  int64_t extent = PyLong_CheckExact(object) ? PyLong_AsLongLong(object) : -1;
  if (extent == -1) {
    auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object));
    extent = number ? PyLong_AsLongLong(number.ptr()) : -1;
  }
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw LaunchError("a grid holds integers, not " + py::repr(py::handle(object)).cast<std::string>() +
                      "\n  hint: hocket.cdiv(n, block) divides and rounds up");
  }
  if (extent < 0)
    throw LaunchError("a grid cannot have " + std::to_string(extent) + " blocks");
  return extent;
}

py::dict argumentsByName(const Signature &signature, const BoundArguments &bound) {
  py::dict meta;
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    meta[signature.parameters[i].name] = py::handle(bound.slots[i]);
  for (const Option &option : signature.options)
    meta[option.name] = option.defaultValue;
  for (const BoundArguments::GivenOption &given : bound.options)
    meta[signature.options[given.index].name] = py::handle(given.value);
  return meta;
}

/// Raises the Python exception that a grid function has set. If the exception is a KeyError for a name that is missing
/// in `meta`, throws a LaunchError that explains the missing name instead.
[[noreturn]] static void raiseFromGrid(const Signature &signature, const py::dict &meta) {
  py::error_already_set raised;
  py::object arguments = raised.matches(PyExc_KeyError) ? py::object(raised.value().attr("args")) : py::tuple();
  py::object key = py::len(arguments) == 1 ? py::object(arguments[py::int_(0)]) : py::none();
  if (!py::isinstance<py::str>(key) || meta.contains(key))
    throw raised;
  auto name = key.cast<std::string>();
  std::vector<std::string> known;
  for (auto [given, value] : meta)
    known.push_back(py::str(given).cast<std::string>());
  std::string nearest = nearestName(name, known), parameters;
  for (const Parameter &parameter : signature.parameters)
    parameters += (parameters.empty() ? "" : ", ") + parameter.name.cast<std::string>();
  throw LaunchError(signature.function + "(): the grid function uses `" + name +
                    "`, which is neither a parameter nor a launch option\n  hint: " +
                    (nearest.empty() ? "it receives the parameters " + parameters + ", and the launch options"
                                     : "did you mean `" + nearest + "`?"));
}

static GridSize readGrid(PyObject *grid, const Signature &signature, const BoundArguments &bound) {
  py::object computed;
  if (!PyTuple_Check(grid) && PyCallable_Check(grid)) {
    py::dict meta = argumentsByName(signature, bound);
    computed = py::reinterpret_steal<py::object>(PyObject_CallOneArg(grid, meta.ptr()));
    if (!computed)
      raiseFromGrid(signature, meta);
    grid = computed.ptr();
  }
  if (!PyTuple_Check(grid) && !PyList_Check(grid))
    return {extentOf(grid), 1, 1};
  Py_ssize_t rank = PySequence_Fast_GET_SIZE(grid);
  if (rank < 1 || rank > 3)
    throw LaunchError("a grid has one to three extents, not " + std::to_string(rank));
  GridSize size = {1, 1, 1};
  for (Py_ssize_t i = 0; i < rank; ++i)
    size[i] = extentOf(PySequence_Fast_GET_ITEM(grid, i));
  return size;
}

GridSize evaluateGrid(PyObject *grid, const Signature &signature, const BoundArguments &bound) {
  GridSize size = readGrid(grid, signature, bound);
  checkGrid(size);
  return size;
}

} // namespace hocket::dispatch
