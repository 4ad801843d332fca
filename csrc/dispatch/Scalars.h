//===- Scalars.h - Numbers as kernel arguments --------------------------------------===//
#ifndef HOCKET_DISPATCH_SCALARS_H
#define HOCKET_DISPATCH_SCALARS_H

#include "dispatch/Elements.h"
#include <optional>

namespace hocket::dispatch {

/// Facts about an argument's value on which the compiler can rely in addition to the argument's type.
enum class ParameterMode : uint8_t {
  Specialize,   ///< the int 1 is a constant; for ints and addresses, divisibility by 16 is known
  NoAlignment,  ///< the int 1 is a constant; divisibility is unknown
  NoSpecialize, ///< nothing is known about the value
  Constexpr,    ///< the value is a constant
};

/// An integer of the host language: at most 64 bits, signed, or unsigned above the signed range.
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
/// Returns nullopt if the argument becomes the constant 1 and is not passed.
std::optional<Scalar> passInteger(Integer value, ParameterMode mode);

/// True if `address` is known to be a multiple of kDivisor.
bool isDivisibleAddress(uint64_t address, ParameterMode mode);

/// Returns the bits of `value` as the integer type `element`; nullopt if the value does not fit.
std::optional<uint64_t> bitsOfInteger(Integer value, Element element);

/// Returns the bits of `value` as the float type `element`; nullopt for types that cannot be passed.
std::optional<uint64_t> bitsOfFloat(double value, Element element);

} // namespace hocket::dispatch

#endif
