//===- Scalars.h - Numbers as kernel arguments --------------------------------------===//
#ifndef HOCKET_DISPATCH_SCALARS_H
#define HOCKET_DISPATCH_SCALARS_H

#include "dispatch/Elements.h"
#include <optional>

namespace hocket::dispatch {

/// Facts about an argument's value on which the compiler can rely in addition to the argument's type.
enum class ParameterMode : uint8_t {
  Specialize,   ///< an argument of 1 becomes a constant; kernels are specialized for values divisible by 16
  NoAlignment,  ///< an argument of 1 becomes a constant; kernels are not specialized for divisibility
  NoSpecialize, ///< kernels are not specialized for the argument's value
  Constexpr,    ///< the argument is a compile-time constant
};

/// A host language's integer from -2^63 to 2^64 - 1. `isAboveI64` is true for integers of 2^63 or more.
struct Integer {
  uint64_t bits = 0;
  bool isAboveI64 = false;

  int64_t asSigned() const { return static_cast<int64_t>(bits); }
};

struct Scalar {
  Element element = Element::Int32;
  uint64_t bits = 0;
  bool isDivisible = false;
};

/// Returns the type and the bits of an integer argument whose type is not declared: 32 bits if the value fits, else 64.
/// Returns nullopt if the argument is the int 1 and becomes a compile-time constant, which is not passed to the kernel.
std::optional<Scalar> passInteger(Integer value, ParameterMode mode);

/// True if `address` is a multiple of kDivisor and `mode` is Specialize.
bool isDivisibleAddress(uint64_t address, ParameterMode mode);

/// Returns the bits of `value` converted to the integer type `element`; nullopt if `value` is out of the range of
/// `element`.
std::optional<uint64_t> bitsOfInteger(Integer value, Element element);

/// Returns the bits of `value` converted to the float type `element`; nullopt unless `element` is Float32 or Float64,
/// the only floats that can be scalar arguments.
std::optional<uint64_t> bitsOfFloat(double value, Element element);

} // namespace hocket::dispatch

#endif
