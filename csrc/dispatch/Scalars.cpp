//===- Scalars.cpp - Numbers as kernel arguments ------------------------------------===//
#include "dispatch/Scalars.h"
#include "dispatch/Key.h"
#include <bit>

namespace hocket::dispatch {

std::optional<Scalar> passInteger(Integer value, ParameterMode mode) {
  bool isDivisible = mode == ParameterMode::Specialize && value.bits % kDivisor == 0;
  if (value.isAboveI64)
    return Scalar{Element::UInt64, value.bits, isDivisible};
  if (value.bits == 1 && mode != ParameterMode::NoSpecialize)
    return std::nullopt;
  bool fitsI32 = value.asSigned() == static_cast<int32_t>(value.asSigned());
  return Scalar{fitsI32 ? Element::Int32 : Element::Int64, value.bits, isDivisible};
}

bool isDivisibleAddress(uint64_t address, ParameterMode mode) {
  return mode == ParameterMode::Specialize && address % kDivisor == 0;
}

std::optional<uint64_t> bitsOfInteger(Integer value, Element element) {
  if (value.isAboveI64)
    return element == Element::UInt64 ? std::optional(value.bits) : std::nullopt;
  const int64_t number = value.asSigned();
  const int width = element == Element::Int1 ? 1 : elementBytes(element) * 8;
  const bool isUnsigned = element == Element::Int1 || (element >= Element::UInt8 && element <= Element::UInt64);
  bool fits;
  if (isUnsigned)
    fits = number >= 0 && (width >= 63 || number < (int64_t(1) << width));
  else
    fits = width == 64 || (number >= -(int64_t(1) << (width - 1)) && number < (int64_t(1) << (width - 1)));
  return fits ? std::optional(value.bits) : std::nullopt;
}

std::optional<uint64_t> bitsOfFloat(double value, Element element) {
  if (element == Element::Float64)
    return std::bit_cast<uint64_t>(value);
  if (element == Element::Float32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::nullopt;
}

} // namespace hocket::dispatch
