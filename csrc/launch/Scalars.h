//===- Scalars.h - How numbers are passed to kernels --------------------------------===//
#ifndef HOCKET_LAUNCH_SCALARS_H
#define HOCKET_LAUNCH_SCALARS_H

#include "launch/Elements.h"
#include <optional>

namespace hocket::launch {

/// What of an argument's value the compiler may rely on, besides its type.
enum class ParameterMode : uint8_t {
  Specialize,   ///< an int that is 1 is a constant; divisibility by 16 of ints and addresses is known
  NoAlignment,  ///< as above without the divisibility
  NoSpecialize, ///< nothing
  Constexpr,    ///< the value itself
};

/// An integer of the host language: at most 64 bits, or an unsigned one above that range of signed ones.
struct Integer {
  uint64_t bits = 0;
  bool isAboveI64 = false;

  int64_t asSigned() const { return static_cast<int64_t>(bits); }
};

struct Scalar {
  Element element = Element::I32;
  uint64_t bits = 0;
  bool isDivisible = false;
};

/// How an integer without a declared type is passed: in 32 bits where it fits, else in 64. Nothing: as the constant 1.
std::optional<Scalar> passInteger(Integer value, ParameterMode mode);

/// Whether `address` is known to be a multiple of kDivisor.
bool isDivisibleAddress(uint64_t address, ParameterMode mode);

/// The bits of `value` as the integer type `element`; nothing where it does not fit.
std::optional<uint64_t> bitsOfInteger(Integer value, Element element);

/// The bits of `value` as the float type `element`; nothing for those that cannot be passed.
std::optional<uint64_t> bitsOfFloat(double value, Element element);

} // namespace hocket::launch

#endif
