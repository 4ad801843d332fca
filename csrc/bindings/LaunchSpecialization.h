//===- LaunchSpecialization.h - What a compiled kernel may rely on -----------------===//
//
// Every argument becomes one Code (a tuple: its length, then its elements), and the codes of a call are the key under
// which its compiled kernel is found. What is not in the code may differ from call to call.
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

#include "bindings/LaunchSignature.h"

namespace hocket::launch {

enum class CodeKind : uint8_t { Pointer, Scalar, One, None, Constexpr, Tuple, Option, Device };

struct Code {
  CodeKind kind;
  /// Pointer, Scalar: of the element, or the value.
  Element element = Element::I32;
  bool divisibleBy16 = false;
  /// Tuple: its length. Option: its index. Device: the GPU's ordinal, or -1 for the emulator.
  int32_t number = 0;
  /// Constexpr, Option: the value. Tuple: the class of a namedtuple. Device: the emulator's target. Else null.
  PyObject *object = nullptr;
};

using Codes = llvm::SmallVector<Code, 40>;

/// The specialisation of one call.
struct Specialization {
  Codes codes;
  uint64_t hash = 0;
  /// The run-time arguments as the kernel receives them: in the low bytes of each.
  llvm::SmallVector<uint64_t, 32> values;

  struct HostArray {
    uint32_t value; ///< index in `values`
    ArrayMemory memory;
  };
  llvm::SmallVector<HostArray, 4> hostArrays;
  /// The first array on a GPU: decides which library's current stream is meant.
  const ArrayType *cudaType = nullptr;
  int device = 0;
  const char *cudaParameter = nullptr, *hostParameter = nullptr;
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

/// Adds a code to the key.
void appendCode(Specialization &specialization, Code code);

bool sameCodes(const Codes &a, const Codes &b);

/// (types, values), two lists with one entry per parameter for the compiler: a type is a string ("*f32:16"), None for a
/// constant that stands in `values`, or a tuple of such; then `values` holds the tuple of its elements' values.
pybind11::tuple describe(const Signature &signature, const Codes &codes);

} // namespace hocket::launch

#endif
