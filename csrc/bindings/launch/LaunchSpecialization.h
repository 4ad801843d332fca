//===- LaunchSpecialization.h - Python's arguments become a key and values ---------===//
#ifndef HOCKET_BINDINGS_LAUNCHSPECIALIZATION_H
#define HOCKET_BINDINGS_LAUNCHSPECIALIZATION_H

#include "bindings/launch/LaunchKey.h"
#include "launch/Rules.h"
#include "launch/Values.h"

namespace hocket::launch {

/// The specialisation of one call.
struct Specialization {
  LaunchKey key;
  /// The run-time arguments.
  Values values;

  struct HostArray {
    uint32_t value; ///< index in `values`
    ArrayMemory memory;
    PyObject *object; ///< borrowed
    /// The value is a tensor map, the array what it is of.
    bool isDescribed = false;
  };
  InlineVector<HostArray, 4> hostArrays;
  Placement placement;
  /// Of the first array on a GPU: decides which library's current stream is meant.
  const ArrayType *gpuType = nullptr;
  /// The GPU to run on, where it is one.
  int device = 0;
  /// Keeps alive what the Device code refers to.
  pybind11::object place;
};

/// Python types whose instances are constants wherever they are passed, besides strings.
struct ConstantTypes {
  pybind11::object constexprClass; ///< hocket.language.constexpr: unwrapped
  pybind11::object others;         ///< a tuple of classes: dtypes, layouts, jit functions
};

/// Throws LaunchError for arguments that kernels cannot take, and for arrays in different places.
void specialize(const Signature &signature, const ConstantTypes &constants, const BoundArguments &bound,
                Specialization &out);

} // namespace hocket::launch

#endif
