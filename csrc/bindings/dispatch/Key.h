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
  /// True if two constants are equal and of the same type. (1, True and 1.0 are equal in Python, but different
  /// constants.)
  static bool same(PyObject *a, PyObject *b);
};

using LaunchKey = KeyOf<PythonObjects>;
using Code = LaunchKey::Code;

/// Returns (types, values), two lists with one entry per parameter for the compiler: a type is a string ("*f32:16"),
/// None for a constant that is in `values`, or a tuple of types. For a tuple of types, `values` holds the tuple of the
/// elements' values.
pybind11::tuple describe(const Signature &signature, const LaunchKey &key);

} // namespace hocket::dispatch

#endif
