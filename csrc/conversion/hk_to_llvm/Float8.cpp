//===- Float8.cpp - Conversions of 8-bit floats --------------------------------------===//
#include "conversion/hk_to_llvm/Float8.h"
#include "conversion/hk_to_llvm/Formula.h"
#include "mlir/IR/BuiltinTypes.h"
#include <bit>

using namespace mlir;

namespace hocket {
namespace {

/// What an 8-bit format is made of. Bits are those of the format without its sign.
struct Format {
  int fractionBits;
  int exponentBias;
  float largest; ///< finite
};

constexpr int32_t kNaNBits = 0x7f;
constexpr int kF32FractionBits = 23, kF32ExponentBias = 127;

Format formatOf(FloatType type) {
  if (isa<Float8E5M2Type>(type))
    return {.fractionBits = 2, .exponentBias = 15, .largest = 57344.0f};
  return {.fractionBits = 3, .exponentBias = 7, .largest = 448.0f};
}

Value widenToF16(OpBuilder &builder, Location loc, FloatType from, Value bits) {
  Type i16 = builder.getI16Type(), f16 = builder.getF16Type();
  auto constant = [&](int value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i16, builder.getI16IntegerAttr(int16_t(value)));
  };
  Value wide = LLVM::ZExtOp::create(builder, loc, i16, bits);
  Value upper = LLVM::ShlOp::create(builder, loc, wide, constant(8));
  if (isa<Float8E5M2Type>(from))
    return LLVM::BitcastOp::create(builder, loc, f16, upper);

  // Read with the exponent's bias of f16, the number is 2^-8 of what it should be, subnormal numbers included.
  Value size = LLVM::AndOp::create(builder, loc, wide, constant(0x7f));
  Value small = LLVM::BitcastOp::create(builder, loc, f16, LLVM::ShlOp::create(builder, loc, size, constant(7)));
  Value factor = LLVM::ConstantOp::create(builder, loc, f16, builder.getF16FloatAttr(256.0f));
  Value scaled = LLVM::BitcastOp::create(builder, loc, i16, LLVM::FMulOp::create(builder, loc, small, factor));
  constexpr int kNaNOfF16 = 0x7e00;
  Value isNaN = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, size, constant(kNaNBits));
  Value magnitude = LLVM::SelectOp::create(builder, loc, isNaN, constant(kNaNOfF16), scaled);
  Value sign = LLVM::AndOp::create(builder, loc, upper, constant(0x8000));
  return LLVM::BitcastOp::create(builder, loc, f16, LLVM::OrOp::create(builder, loc, magnitude, sign));
}

Value toF32(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type();
  if (value.getType() == f32)
    return value;
  return value.getType().isF64() ? LLVM::FPTruncOp::create(builder, loc, f32, value).getResult()
                                 : LLVM::FPExtOp::create(builder, loc, f32, value).getResult();
}

} // namespace

bool isFloat8(Type element) { return isa<Float8E5M2Type, Float8E4M3FNType>(element); }

Value widenFloat8(OpBuilder &builder, Location loc, FloatType from, Type to, Value bits) {
  Value half = widenToF16(builder, loc, from, bits);
  if (to.isF16())
    return half;
  Value single = LLVM::FPExtOp::create(builder, loc, builder.getF32Type(), half);
  if (to.isF32())
    return single;
  return to.isBF16() ? LLVM::FPTruncOp::create(builder, loc, to, single).getResult()
                     : LLVM::FPExtOp::create(builder, loc, to, single).getResult();
}

Value narrowToFloat8(OpBuilder &builder, Location loc, Value value, FloatType to) {
  Format format = formatOf(to);
  Formula<float> f{builder, loc};
  int droppedBits = kF32FractionBits - format.fractionBits;
  Value bits = f.bits(toF32(builder, loc, value));
  Value size = f.bitAnd(bits, f.integer(0x7fffffff));
  Value limited = LLVM::UMinOp::create(builder, loc, size, f.integer(std::bit_cast<int32_t>(format.largest)));

  // Normal results: add just less than half of the last bit that stays, or half where that bit is set, and cut. The
  // bias changes by a subtraction in the exponent.
  Value lastBit = f.bitAnd(f.shiftRight(limited, droppedBits), f.integer(1));
  Value rounded = f.integerAdd(limited, f.integer((1 << (droppedBits - 1)) - 1));
  rounded = f.shiftRight(f.integerAdd(rounded, lastBit), droppedBits);
  int32_t biasChange = (kF32ExponentBias - format.exponentBias) << format.fractionBits;
  Value normal = f.integerSub(rounded, f.integer(biasChange));

  // Subnormal results: the addition of f32 rounds to the last bit of the number added, which is the smallest subnormal
  // number of the format.
  int smallestNormalExponent = 1 - format.exponentBias;
  int32_t addend = (smallestNormalExponent + droppedBits + kF32ExponentBias) << kF32FractionBits;
  Value sum = f.add(f.fromBits(limited), f.fromBits(f.integer(addend)));
  Value subnormal = f.integerSub(f.bits(sum), f.integer(addend));

  int32_t smallestNormal = (smallestNormalExponent + kF32ExponentBias) << kF32FractionBits;
  Value isSubnormal = f.compare(LLVM::ICmpPredicate::ult, size, f.integer(smallestNormal));
  Value result = f.select(isSubnormal, subnormal, normal);
  Value sign = f.bitAnd(LLVM::LShrOp::create(builder, loc, bits, f.integer(24)), f.integer(0x80));
  result = LLVM::OrOp::create(builder, loc, result, sign);
  constexpr int32_t kInfinityOfF32 = 0x7f800000;
  Value isNaN = f.compare(LLVM::ICmpPredicate::ugt, size, f.integer(kInfinityOfF32));
  result = f.select(isNaN, f.integer(kNaNBits), result);
  return LLVM::TruncOp::create(builder, loc, builder.getI8Type(), result);
}

} // namespace hocket
