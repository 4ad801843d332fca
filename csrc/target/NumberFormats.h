//===- NumberFormats.h - The element formats of matrix instructions -----------------===//
//
// The instruction tables of both vendors (MmaInstructions.h, WgmmaInstructions.h, MatrixInstructions.h), emulated code
// and the emulator describe operands and accumulators by these formats. NumberFormats.def is the table.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TARGET_NUMBERFORMATS_H
#define HOCKET_TARGET_NUMBERFORMATS_H

#include <cstdint>
#include <string_view>

namespace hocket {

enum class NumberFormat : uint8_t {
#define NUMBER_FORMAT(enumerator, name, bits, kind, exponentBits, fractionBits, bias, special) enumerator,
#include "target/NumberFormats.def"
};

enum class NumberKind : uint8_t { Float, SignedInteger, UnsignedInteger };

/// The codes of a float format that are not numbers.
enum class SpecialValues : uint8_t {
  None,
  AsInIeee,          ///< infinities and NaNs have the largest exponent
  AllOnesIsNaN,      ///< NaN where all bits except the sign are set
  NegativeZeroIsNaN, ///< NaN in place of the negative zero
};

struct NumberFormatInfo {
  std::string_view name;
  unsigned bits; ///< number of bits in memory and registers
  NumberKind kind;
  int exponentBits, fractionBits, bias; ///< properties of floats; 0 for integers
  SpecialValues special;
};

inline constexpr NumberFormatInfo kNumberFormats[] = {
#define NUMBER_FORMAT(enumerator, name, bits, kind, exponentBits, fractionBits, bias, special)                         \
  {name, bits, NumberKind::kind, exponentBits, fractionBits, bias, SpecialValues::special},
#include "target/NumberFormats.def"
};

inline constexpr const NumberFormatInfo &infoOf(NumberFormat format) { return kNumberFormats[unsigned(format)]; }
inline constexpr unsigned bitsOf(NumberFormat format) { return infoOf(format).bits; }
inline constexpr bool isInteger(NumberFormat format) { return infoOf(format).kind != NumberKind::Float; }
inline constexpr bool isFloat8(NumberFormat format) { return !isInteger(format) && bitsOf(format) == 8; }

/// Returns the value of a float of at most 16 bits, given as its code.
float decodeFloat(NumberFormat format, unsigned bits);

} // namespace hocket

#endif
