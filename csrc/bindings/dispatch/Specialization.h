//===- Specialization.h - Conversion of Python's arguments to a key and values ---------===//
#ifndef HOCKET_BINDINGS_DISPATCH_SPECIALIZATION_H
#define HOCKET_BINDINGS_DISPATCH_SPECIALIZATION_H

#include "bindings/dispatch/Key.h"
#include "dispatch/Rules.h"
#include "dispatch/Values.h"

namespace hocket::dispatch {

/// The specialization of one call.
struct Specialization {
  LaunchKey key;
  /// The run-time arguments.
  Values values;

  struct ArrayOnHost {
    uint32_t value; ///< index in `values`
    ArrayMemory memory;
    PyObject *object; ///< borrowed reference to the array
    /// True if the kernel receives a tensor map of the array instead of a pointer.
    bool isDescribed = false;
  };
  InlineVector<ArrayOnHost, 4> hostArrays;
  Placement placement;
  /// Type of the first argument that is an array on a GPU. The library of this type, such as PyTorch, provides the
  /// current stream.
  const ArrayType *gpuType = nullptr;
  /// The GPU to run on, if the launch is on a GPU.
  int device = 0;
  /// The target of the emulated GPU; null if the launch is on a GPU. The key refers to this object.
  pybind11::object emulatedTarget;

  /// Returns the ordinal of the GPU, or the target of the emulated GPU.
  pybind11::object place() const { return emulatedTarget ? emulatedTarget : pybind11::object(pybind11::int_(device)); }
};

/// Python types whose instances are always constants, in addition to strings.
struct ConstantTypes {
  pybind11::object constexprClass; ///< hocket.language.constexpr, whose instances are unwrapped
  pybind11::object others;         ///< a tuple of classes: dtypes, layouts, jit functions
};

/// Throws LaunchError for unsupported arguments, and for arrays on different devices.
void specialize(const Signature &signature, const ConstantTypes &constants, const BoundArguments &bound,
                Specialization &out);

} // namespace hocket::dispatch

#endif
