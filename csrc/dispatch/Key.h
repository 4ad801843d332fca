//===- Key.h - Keys of specializations -----------------------------------------------===//
//
//   argument                   code                    passed to the kernel
//   array                      *f32, *f32:16           its address
//   int                        i32, i32:16, i64        its value
//   1                          the constant            -
//   bool, float                i1, f32                 its value
//   a tensor descriptor        dtype, block, layout    its map, sizes and strides
//   None, dtype, jit function  the constant            -
//   a constexpr parameter      the constant            -
//
// Constants are objects of the host language, which `Objects` hashes and compares.
//
//===--------------------------------------------------------------------------------===//
#ifndef HOCKET_DISPATCH_KEY_H
#define HOCKET_DISPATCH_KEY_H

#include "dispatch/Elements.h"
#include "dispatch/InlineVector.h"
#include <string>

namespace hocket::dispatch {

/// Divisor of addresses and ints for which kernels are specialized: 16, because the widest access has 16 bytes.
inline constexpr int kDivisor = 16;

enum class CodeKind : uint8_t { Pointer, Scalar, One, None, Constexpr, Tuple, Descriptor, Option, Device };

template <typename Object>
struct CodeOf {
  CodeKind kind;
  /// The element type of a Pointer, or the type of a Scalar.
  Element element = Element::Int32;
  bool isDivisible = false;
  /// The length of a Tuple, the index of an Option, or the ordinal of the GPU for a Device (-1 for the emulator).
  int32_t number = 0;
  /// The value of a Constexpr or Option, the tuple (dtype, block, layout) of a Descriptor, the class of a namedtuple,
  /// or the emulator's target for a Device; null for other codes.
  Object *object = nullptr;

  uint64_t packed() const {
    return uint64_t(kind) | uint64_t(element) << 8 | uint64_t(isDivisible) << 16 | uint64_t(uint32_t(number)) << 32;
  }
  /// Returns the type of a Pointer or a Scalar as the compiler reads it, such as "*f32:16".
  std::string typeText() const {
    return std::string(kind == CodeKind::Pointer ? "*" : "") + elementName(element) +
           (isDivisible ? ":" + std::to_string(kDivisor) : "");
  }
};

/// The key of one call: the codes of its arguments, and their hash. References to objects are borrowed.
///
/// `Objects` provides the type Object and the functions hash(Object *) and same(Object *, Object *). `same` never
/// returns true for constants that compile differently.
template <typename Objects>
struct KeyOf {
  using Code = CodeOf<typename Objects::Object>;

  InlineVector<Code, 40> codes;
  uint64_t hash = 0;

  void append(Code code) {
    hash = mix(hash, code.packed());
    if (code.object)
      hash = mix(hash, Objects::hash(code.object));
    codes.push_back(code);
  }

  /// True if both keys are equal; equal keys lead to the same compiled code.
  bool operator==(const KeyOf &other) const {
    if (hash != other.hash || codes.size() != other.codes.size())
      return false;
    for (size_t i = 0; i < codes.size(); ++i)
      if (codes[i].packed() != other.codes[i].packed() || !codes[i].object != !other.codes[i].object)
        return false;
    for (size_t i = 0; i < codes.size(); ++i)
      if (codes[i].object && !Objects::same(codes[i].object, other.codes[i].object))
        return false;
    return true;
  }

private:
  static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio
    return hash ^ (hash >> 29);
  }
};

} // namespace hocket::dispatch

#endif
