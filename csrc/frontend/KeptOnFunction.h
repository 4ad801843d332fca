//===- KeptOnFunction.h - Facts about a Python function, computed once --------------===//
#ifndef HOCKET_FRONTEND_KEPTONFUNCTION_H
#define HOCKET_FRONTEND_KEPTONFUNCTION_H

#include <memory>
#include <pybind11/pybind11.h>

namespace hocket::frontend {

/// `compute(function)`, kept in a capsule in the function's `__dict__` and so for as long as the function lives. The
/// value must not own the function.
template <typename T, typename F>
const T &keptOnFunction(pybind11::handle function, const char *attribute, F &&compute) {
  pybind11::dict dictionary = function.attr("__dict__");
  PyObject *kept = PyDict_GetItemString(dictionary.ptr(), attribute);
  if (!kept) {
    std::unique_ptr<T> value = compute(function);
    pybind11::capsule capsule(value.get(), attribute, [](PyObject *object) {
      delete static_cast<T *>(PyCapsule_GetPointer(object, PyCapsule_GetName(object)));
    });
    value.release();
    dictionary[attribute] = capsule;
    kept = capsule.ptr();
  }
  return *static_cast<const T *>(PyCapsule_GetPointer(kept, attribute));
}

} // namespace hocket::frontend

#endif
