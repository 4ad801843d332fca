//===- Key.h - Keys of specializations, with Python's constants ------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_KEY_H
#define HOCKET_BINDINGS_DISPATCH_KEY_H

#include "bindings/dispatch/Signature.h"
#include "dispatch/Key.h"

namespace hocket::dispatch {

struct PythonObjects {
  using Object = PyObject;
  /// Returns the hash of a constant. Throws the Python error of an unhashable object.
  static uint64_t hash(PyObject *object) {
    Py_hash_t hash = PyObject_Hash(object);
    if (hash == -1)
      throw pybind11::error_already_set();
    return hash;
  }
  /// True if two constants are equal and have the same type. The types are compared because Python's == treats 1, True
  /// and 1.0 as equal.
  static bool same(PyObject *a, PyObject *b);
};

using LaunchKey = KeyOf<PythonObjects>;
using Code = LaunchKey::Code;

/// Returns (types, values) for the compiler, two lists with one entry for each parameter. An entry of `types` is a type
/// text such as "*f32:16", a tuple of such entries, or None. If the entry is None, the parameter is the constant in
/// `values`. If the entry is a tuple, the entry of `values` is a tuple, too.
pybind11::tuple describe(const Signature &signature, const LaunchKey &key);

} // namespace hocket::dispatch

#endif
