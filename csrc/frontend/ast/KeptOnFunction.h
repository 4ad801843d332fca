//===- KeptOnFunction.h - Cache of facts about Python functions ---------------------===//
#ifndef HOCKET_FRONTEND_KEPTONFUNCTION_H
#define HOCKET_FRONTEND_KEPTONFUNCTION_H

#include <memory>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <unordered_map>

namespace hocket::frontend {

/// Returns `compute(function)`, cached for the lifetime of the function. The cached value must not hold a reference to
/// the function, because the function would then never be destroyed. The cache is not stored in the function's
/// `__dict__`, because functools.wraps would copy the cache entry, and a function with a cache entry could not be
/// pickled.
template <typename T, typename F>
const T &keptOnFunction(pybind11::handle function, F &&compute) {
  // The map is never destroyed, because Python functions can be destroyed after this library's globals.
  static auto *kept = new std::unordered_map<PyObject *, std::unique_ptr<T>>();
  PyObject *key = function.ptr();
  if (auto found = kept->find(key); found != kept->end())
    return *found->second;
  std::unique_ptr<T> value = compute(function);
  pybind11::cpp_function forget([key](pybind11::handle reference) {
    kept->erase(key);
    reference.dec_ref();
  });
  pybind11::weakref(function, forget).release();
  return *kept->emplace(key, std::move(value)).first->second;
}

} // namespace hocket::frontend

#endif
