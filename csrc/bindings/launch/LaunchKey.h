//===- LaunchKey.h - The key under which a compiled kernel is found ----------------===//
//
// Every argument becomes one Code (a tuple: its length, then its elements). The codes of a call are the key. What is
// not in a code may differ from call to call.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_LAUNCHKEY_H
#define HOCKET_BINDINGS_LAUNCHKEY_H

#include "bindings/launch/LaunchSignature.h"

namespace hocket::launch {

/// The divisibility of addresses and ints that a specialisation tells apart: the widest access has 16 bytes.
inline constexpr int kDivisor = 16;

enum class CodeKind : uint8_t { Pointer, Scalar, One, None, Constexpr, Tuple, Option, Device };

struct Code {
  CodeKind kind;
  /// Pointer, Scalar: of the element, or the value.
  Element element = Element::I32;
  bool isDivisible = false;
  /// Tuple: its length. Option: its index. Device: the GPU's ordinal, or -1 for the emulator.
  int32_t number = 0;
  /// Constexpr, Option: the value. Tuple: the class of a namedtuple. Device: the emulator's target. Else null.
  PyObject *object = nullptr;
};

/// The codes of one call and their hash. References are borrowed.
struct LaunchKey {
  llvm::SmallVector<Code, 40> codes;
  uint64_t hash = 0;

  /// Throws the Python error of an object that cannot be hashed.
  void append(Code code);
  /// Equal keys stand for kernels that compile alike.
  bool operator==(const LaunchKey &other) const;
};

/// (types, values), two lists with one entry per parameter for the compiler: a type is a string ("*f32:16"), None for a
/// constant that stands in `values`, or a tuple of such; then `values` holds the tuple of its elements' values.
pybind11::tuple describe(const Signature &signature, const LaunchKey &key);

} // namespace hocket::launch

#endif
