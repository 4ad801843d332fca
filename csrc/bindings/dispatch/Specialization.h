//===- Specialization.h - Conversion of Python's arguments to a key and values ---------===//
#ifndef HOCKET_BINDINGS_DISPATCH_SPECIALIZATION_H
#define HOCKET_BINDINGS_DISPATCH_SPECIALIZATION_H

#include "bindings/dispatch/Key.h"
#include "dispatch/Rules.h"
#include "dispatch/Values.h"

namespace hocket::dispatch {

/// Result of `specialize` for one call: the key of the kernel, and the values for the kernel.
struct Specialization {
  LaunchKey key;
  /// Values of the arguments that are not constants.
  Values values;

  struct ArrayOnHost {
    uint32_t value; ///< index of the array's address or tensor map in `values`
    ArrayMemory memory;
    PyObject *object; ///< borrowed reference to the Python array
    /// True if the kernel receives a tensor map of the array instead of a pointer.
    bool isDescribed = false;
  };
  InlineVector<ArrayOnHost, 4> hostArrays;
  Placement placement;
  /// Type of the first argument that is an array on a GPU. The library of this type, such as PyTorch, provides the
  /// current stream.
  const ArrayType *gpuType = nullptr;
  /// Ordinal of the GPU, if the launch is on a GPU.
  int device = 0;
  /// The target of the emulated GPU; null if the launch is on a GPU. `key` holds a borrowed reference to this object.
  pybind11::object emulatedTarget;

  /// Returns the ordinal of the GPU, or the target of the emulated GPU.
  pybind11::object place() const { return emulatedTarget ? emulatedTarget : pybind11::object(pybind11::int_(device)); }
};

/// Python types whose instances are always constants, in addition to strings.
struct ConstantTypes {
  /// The class hocket.language.constexpr. The constant is the attribute `value` of an instance.
  pybind11::object constexprClass;
  /// Tuple of the other classes, such as the classes of dtypes, layouts and jit functions.
  pybind11::object others;
};

/// Sets `out` for a call with the arguments `bound`. Throws LaunchError for unsupported arguments, and for arrays on
/// different devices.
void specialize(const Signature &signature, const ConstantTypes &constants, const BoundArguments &bound,
                Specialization &out);

} // namespace hocket::dispatch

#endif
