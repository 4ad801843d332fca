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

/// The bit patterns by which a float format encodes infinities and NaNs.
enum class SpecialValues : uint8_t {
  None,
  AsInIeee,          ///< infinities and NaNs have the largest exponent, as in IEEE 754
  AllOnesIsNaN,      ///< no infinities; NaN if all bits except the sign are set
  NegativeZeroIsNaN, ///< no infinities; NaN in place of the negative zero
};

struct NumberFormatInfo {
  std::string_view name;
  unsigned bits; ///< number of bits in memory and registers
  NumberKind kind;
  int exponentBits, fractionBits, bias; ///< numbers of bits and exponent bias of a float; 0 for integers
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

/// Returns the value of a float of at most 16 bits, given its format and its bit pattern.
float decodeFloat(NumberFormat format, unsigned bits);

} // namespace hocket

#endif
