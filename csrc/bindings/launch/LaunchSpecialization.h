//===- LaunchSpecialization.h - Arguments become a key and values ------------------===//
//
//   argument                   code               passed to the kernel
//   array                      *f32, *f32:16      its address
//   int                        i32, i32:16, i64   its value
//   1                          the constant       -
//   bool, float                i1, f32            its value
//   None, dtype, jit function  the constant       -
//   a constexpr parameter      the constant       -
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHSPECIALIZATION_H
#define HOCKET_BINDINGS_LAUNCHSPECIALIZATION_H

#include "bindings/launch/LaunchKey.h"

namespace hocket::launch {

/// The specialisation of one call.
struct Specialization {
  LaunchKey key;
  /// The run-time arguments as the kernel receives them: in the low bytes of each.
  llvm::SmallVector<uint64_t, 32> values;

  struct HostArray {
    uint32_t value; ///< index in `values`
    ArrayMemory memory;
  };
  llvm::SmallVector<HostArray, 4> hostArrays;
  /// The first array on a GPU: decides which library's current stream is meant.
  const ArrayType *gpuType = nullptr;
  int device = 0;
  const char *gpuParameter = nullptr, *hostParameter = nullptr;
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
