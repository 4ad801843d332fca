//===- Float8.cpp - Converts 8-bit floats --------------------------------------------===//
#include "conversion/hk_to_lane/math/Float8.h"

#include "conversion/hk_to_lane/math/ExtendFloat.h"
#include "conversion/hk_to_lane/math/Formula.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include <bit>

using namespace mlir;

namespace hocket {
namespace {

/// Parameters of an 8-bit format. Bit patterns exclude the sign.
struct Format {
  int fractionBits;
  int exponentBias;
  float largest; ///< largest finite number of the format
  bool isFnuz;   ///< true if the bits of -0 are the only NaN

  int32_t nanBits() const { return isFnuz ? 0x80 : 0x7f; }
};

constexpr int kF32FractionBits = 23, kF32ExponentBias = 127, kF16ExponentBias = 15;

Format formatOf(FloatType type) {
  if (isa<Float8E5M2Type>(type))
    return {.fractionBits = 2, .exponentBias = 15, .largest = 57344.0f, .isFnuz = false};
  if (isa<Float8E5M2FNUZType>(type))
    return {.fractionBits = 2, .exponentBias = 16, .largest = 57344.0f, .isFnuz = true};
  if (isa<Float8E4M3FNUZType>(type))
    return {.fractionBits = 3, .exponentBias = 8, .largest = 240.0f, .isFnuz = true};
  return {.fractionBits = 3, .exponentBias = 7, .largest = 448.0f, .isFnuz = false};
}

/// Emits arithmetic on 16-bit integers and on f16.
struct Halves {
  OpBuilder &builder;
  Location loc;

  Value constant(int value) const {
    return LLVM::ConstantOp::create(builder, loc, builder.getI16Type(), builder.getI16IntegerAttr(int16_t(value)));
  }
  Value shiftLeft(Value bits, int distance) const {
    return LLVM::ShlOp::create(builder, loc, bits, constant(distance));
  }
  Value bitAnd(Value bits, int mask) const { return LLVM::AndOp::create(builder, loc, bits, constant(mask)); }
  Value fromBits(Value bits) const { return LLVM::BitcastOp::create(builder, loc, builder.getF16Type(), bits); }
  /// Returns the bits of an f16, given as `bits`, times `factor`.
  Value scale(Value bits, float factor) const {
    Value by = LLVM::ConstantOp::create(builder, loc, builder.getF16Type(), builder.getF16FloatAttr(factor));
    return LLVM::BitcastOp::create(builder, loc, builder.getI16Type(),
                                   LLVM::FMulOp::create(builder, loc, fromBits(bits), by));
  }
};

/// Returns the bits of half of an f16, given as `bits`. The largest exponent is a normal exponent, not infinity or NaN.
Value halve(const Halves &h, Value bits) {
  constexpr int kExponentUnit = 1 << 10;
  // Decrements the exponent or, if the exponent would underflow, multiplies the number by 0.5.
  Value lower = LLVM::SubOp::create(h.builder, h.loc, bits, h.constant(kExponentUnit));
  Value isLarge = LLVM::ICmpOp::create(h.builder, h.loc, LLVM::ICmpPredicate::uge, bits, h.constant(2 * kExponentUnit));
  return LLVM::SelectOp::create(h.builder, h.loc, isLarge, lower, h.scale(bits, 0.5f));
}

Value widenToF16(OpBuilder &builder, Location loc, FloatType from, Value bits) {
  Format format = formatOf(from);
  Halves h{builder, loc};
  Value wide = LLVM::ZExtOp::create(builder, loc, builder.getI16Type(), bits);
  Value upper = h.shiftLeft(wide, 8);
  if (isa<Float8E5M2Type>(from))
    return h.fromBits(upper);

  // The 8-bit float, read with the exponent bias of f16, is wrong by a factor: an e4m3 is too small, an e5m2 is twice
  // the correct number. Subnormal numbers are wrong by the same factor as normal numbers.
  Value size = h.bitAnd(wide, 0x7f), magnitude;
  if (format.fractionBits == 3)
    magnitude = h.scale(h.shiftLeft(size, 7), float(1 << (kF16ExponentBias - format.exponentBias)));
  else
    magnitude = halve(h, h.shiftLeft(size, 8));
  constexpr int kNaNOfF16 = 0x7e00;
  Value isNaN = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, format.isFnuz ? wide : size,
                                     h.constant(format.nanBits()));
  magnitude = LLVM::SelectOp::create(builder, loc, isNaN, h.constant(kNaNOfF16), magnitude);
  return h.fromBits(LLVM::OrOp::create(builder, loc, magnitude, h.bitAnd(upper, 0x8000)));
}

Value toF32(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type();
  if (value.getType() == f32)
    return value;
  return value.getType().isF64() ? LLVM::FPTruncOp::create(builder, loc, f32, value).getResult()
                                 : extendFloat(builder, loc, value, f32);
}

} // namespace

bool isFloat8(Type element) {
  return isa<Float8E5M2Type, Float8E4M3FNType, Float8E5M2FNUZType, Float8E4M3FNUZType>(element);
}

Value widenFloat8(OpBuilder &builder, Location loc, FloatType from, Type to, Value bits) {
  Value half = widenToF16(builder, loc, from, bits);
  if (to.isF16())
    return half;
  Value single = extendFloat(builder, loc, half, builder.getF32Type());
  if (to.isF32())
    return single;
  return to.isBF16() ? LLVM::FPTruncOp::create(builder, loc, to, single).getResult()
                     : extendFloat(builder, loc, single, to);
}

Value narrowToFloat8(OpBuilder &builder, Location loc, Value value, FloatType to) {
  Format format = formatOf(to);
  Formula<float> f{builder, loc};
  int droppedBits = kF32FractionBits - format.fractionBits;
  Value bits = f.bits(toF32(builder, loc, value));
  Value size = f.bitAnd(bits, f.integer(0x7fffffff));
  Value limited = LLVM::UMinOp::create(builder, loc, size, f.integer(std::bit_cast<int32_t>(format.largest)));

  // Normal results are rounded to nearest even: the code adds half of the last kept bit, minus one dropped bit if the
  // last kept bit is 0, and truncates. Subtracting `biasChange` changes the exponent bias.
  Value lastBit = f.bitAnd(f.shiftRight(limited, droppedBits), f.integer(1));
  Value rounded = f.integerAdd(limited, f.integer((1 << (droppedBits - 1)) - 1));
  rounded = f.shiftRight(f.integerAdd(rounded, lastBit), droppedBits);
  int32_t biasChange = (kF32ExponentBias - format.exponentBias) << format.fractionBits;
  Value normal = f.integerSub(rounded, f.integer(biasChange));

  // Subnormal results are rounded by an f32 addition. The last bit of the sum has the value of the format's smallest
  // subnormal number.
  int smallestNormalExponent = 1 - format.exponentBias;
  int32_t addend = (smallestNormalExponent + droppedBits + kF32ExponentBias) << kF32FractionBits;
  Value sum = f.add(f.fromBits(limited), f.fromBits(f.integer(addend)));
  Value subnormal = f.integerSub(f.bits(sum), f.integer(addend));

  int32_t smallestNormal = (smallestNormalExponent + kF32ExponentBias) << kF32FractionBits;
  Value isSubnormal = f.compare(LLVM::ICmpPredicate::ult, size, f.integer(smallestNormal));
  Value result = f.select(isSubnormal, subnormal, normal);
  Value sign = f.bitAnd(LLVM::LShrOp::create(builder, loc, bits, f.integer(24)), f.integer(0x80));
  if (format.isFnuz) // these formats have no negative zero
    sign = f.select(f.compare(LLVM::ICmpPredicate::eq, result, f.integer(0)), f.integer(0), sign);
  result = LLVM::OrOp::create(builder, loc, result, sign);
  constexpr int32_t kInfinityOfF32 = 0x7f800000;
  Value isNaN = f.compare(LLVM::ICmpPredicate::ugt, size, f.integer(kInfinityOfF32));
  result = f.select(isNaN, f.integer(format.nanBits()), result);
  return LLVM::TruncOp::create(builder, loc, builder.getI8Type(), result);
}

Value narrowByInstruction(OpBuilder &builder, Location loc, Value value, FloatType to) {
  // The instruction narrows two numbers. The lower 8 bits of its result are those of the second one.
  Value zero = LLVM::ConstantOp::create(builder, loc, builder.getF32Type(), builder.getF32FloatAttr(0));
  Value pair = NVVM::ConvertF32x2ToF8x2Op::create(builder, loc, builder.getI16Type(), zero, toF32(builder, loc, value),
                                                  NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
                                                  /*relu=*/false, to);
  return LLVM::TruncOp::create(builder, loc, builder.getI8Type(), pair);
}

} // namespace hocket
