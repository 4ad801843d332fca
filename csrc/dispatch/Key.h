//===- Key.h - Keys under which compiled kernels are cached --------------------------===//
//
//   argument                   code in the key         passed to the kernel
//   array                      *f32, *f32:16           its address
//   int                        i32, i32:16, i64        its value
//   the int 1                  the constant            nothing
//   bool, float                i1, f32                 its value
//   a tensor descriptor        dtype, block, layout    its tensor map, sizes and strides
//   None, dtype, jit function  the constant            nothing
//   a constexpr parameter      the constant            nothing
//
// A constant is an object of the host language. The template parameter `Objects` hashes and compares constants.
//
//===--------------------------------------------------------------------------------===//
#ifndef HOCKET_DISPATCH_KEY_H
#define HOCKET_DISPATCH_KEY_H

#include "dispatch/Elements.h"
#include "dispatch/InlineVector.h"
#include <string>

namespace hocket::dispatch {

/// Kernels are specialized for addresses and ints that are multiples of this divisor: 16, because the widest memory
/// access has 16 bytes.
inline constexpr int kDivisor = 16;

enum class CodeKind : uint8_t { Pointer, Scalar, One, None, Constexpr, Tuple, Descriptor, Option, Device };

template <typename Object>
struct CodeOf {
  CodeKind kind;
  /// For kind Pointer, the array's element type; for kind Scalar, the type of the scalar.
  Element element = Element::Int32;
  bool isDivisible = false;
  /// For kind Tuple, the length of the tuple; for kind Option, the index of the launch option; for kind Device, the
  /// ordinal of the GPU, or -1 for the emulator. 0 for other kinds.
  int32_t number = 0;
  /// For kinds Constexpr and Option, the value; for kind Descriptor, the tuple (dtype, block, layout); for kind Tuple,
  /// the class of a namedtuple; for kind Device, the target of the emulator. `object` is null for a tuple that is not a
  /// namedtuple, for a device that is a GPU, and for arguments of other kinds.
  Object *object = nullptr;

  uint64_t packed() const {
    return uint64_t(kind) | uint64_t(element) << 8 | uint64_t(isDivisible) << 16 | uint64_t(uint32_t(number)) << 32;
  }
  /// Returns the type of a Pointer or Scalar as written in a kernel signature, such as "*f32:16".
  std::string typeText() const {
    return std::string(kind == CodeKind::Pointer ? "*" : "") + elementName(element) +
           (isDivisible ? ":" + std::to_string(kDivisor) : "");
  }
};

/// The key under which the compiled kernel of a call is cached: a code for each argument, option and device, and the
/// hash of all codes. The key does not own the objects to which the member `object` of its codes points.
///
/// The class `Objects` provides the type Object and the functions hash(Object *) and same(Object *, Object *). `same`
/// returns false for constants for which the compiler generates different code.
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

  /// True if both keys have the same codes; calls with equal keys run the same compiled kernel.
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
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio, the multiplier of Fibonacci hashing
    return hash ^ (hash >> 29);
  }
};

} // namespace hocket::dispatch

#endif
