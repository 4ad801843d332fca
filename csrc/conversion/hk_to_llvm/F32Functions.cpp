//===- F32Functions.cpp - Functions of one f32 that LLVM does not select everywhere --===//
#include "conversion/hk_to_llvm/F32Functions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <limits>
#include <numbers>

using namespace mlir;

namespace hocket {
namespace {

/// Short names for the operations that the formulas below are made of.
struct Formula {
  OpBuilder &builder;
  Location loc;

  Value constant(float value) const {
    return LLVM::ConstantOp::create(builder, loc, builder.getF32Type(), builder.getF32FloatAttr(value));
  }
  Value constant64(double value) const {
    return LLVM::ConstantOp::create(builder, loc, builder.getF64Type(), builder.getF64FloatAttr(value));
  }
  Value integer(int32_t value) const { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }
  Value add(Value a, Value b) const { return LLVM::FAddOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return LLVM::FSubOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) const { return LLVM::FMulOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) const { return LLVM::FDivOp::create(builder, loc, a, b); }
  Value fma(Value a, Value b, Value c) const { return LLVM::FMAOp::create(builder, loc, a, b, c); }
  Value abs(Value a) const { return LLVM::FAbsOp::create(builder, loc, a); }
  Value select(Value condition, Value a, Value b) const {
    return LLVM::SelectOp::create(builder, loc, condition, a, b);
  }
  Value compare(LLVM::FCmpPredicate predicate, Value a, Value b) const {
    return LLVM::FCmpOp::create(builder, loc, predicate, a, b);
  }
  Value compare(LLVM::ICmpPredicate predicate, Value a, Value b) const {
    return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
  }
  Value bits(Value a) const { return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), a); }
  Value fromBits(Value a) const { return LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), a); }

  /// coefficients[0] + coefficients[1] x + ..
  Value polynomial(ArrayRef<float> coefficients, Value x) const {
    Value result = constant(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constant(coefficient));
    return result;
  }
};

constexpr float kLog2E = std::numbers::log2e_v<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// x = 2^exponent (1 + fraction) with 1 + fraction in [sqrt(1/2), sqrt(2)), and ln(1 + fraction).
struct Logarithm {
  Value exponent; ///< f32
  Value ofMantissa;
};

/// For positive finite x.
Logarithm splitLogarithm(const Formula &f, Value x) {
  constexpr int32_t kBitsOfSqrtHalf = 0x3f3504f3;
  // ln(1 + t) = t + t^2 L(t)
  static constexpr float kL[] = {-0.5f,       0.33333313f,  -0.24999984f, 0.2000214f,   -0.16669296f,
                                 0.14220187f, -0.12384486f, 0.118630216f, -0.11785614f, 0.06931117f};
  // Scale subnormal numbers into the normal range.
  Value isSubnormal = f.compare(LLVM::FCmpPredicate::olt, x, f.constant(std::numeric_limits<float>::min()));
  Value scaled = f.select(isSubnormal, f.mul(x, f.constant(0x1p23f)), x);
  Value scale = f.select(isSubnormal, f.constant(-23.0f), f.constant(0.0f));

  Value bits = f.bits(scaled);
  Value above = LLVM::SubOp::create(f.builder, f.loc, bits, f.integer(kBitsOfSqrtHalf));
  Value exponentBits = LLVM::AndOp::create(f.builder, f.loc, above, f.integer(static_cast<int32_t>(0xff800000)));
  Value exponent = LLVM::AShrOp::create(f.builder, f.loc, above, f.integer(23));
  Value mantissa = f.fromBits(LLVM::SubOp::create(f.builder, f.loc, bits, exponentBits));
  Value t = f.sub(mantissa, f.constant(1.0f));
  Value exponentFloat = LLVM::SIToFPOp::create(f.builder, f.loc, f.builder.getF32Type(), exponent);
  return {f.add(exponentFloat, scale), f.fma(f.mul(t, t), f.polynomial(kL, t), t)};
}

/// The logarithm's value where x is not positive and finite.
Value fixLogarithm(const Formula &f, Value x, Value result) {
  Value zero = f.constant(0.0f), infinity = f.constant(kInfinity);
  Value isInfinite = f.compare(LLVM::FCmpPredicate::oeq, x, infinity);
  Value isZero = f.compare(LLVM::FCmpPredicate::oeq, x, zero);
  Value isNegativeOrNaN = f.compare(LLVM::FCmpPredicate::ult, x, zero);
  result = f.select(isInfinite, infinity, result);
  result = f.select(isZero, f.constant(-kInfinity), result);
  return f.select(isNegativeOrNaN, f.constant(kNaN), result);
}

/// sin(x + quadrant pi/2).
///
/// x = n pi/2 + r is computed in f64: n by adding 1.5 x 2^52, which leaves it in the low bits of the sum, and r with
/// pi/2 in two parts, exact to the last bit of f32 for |n| < 2^50.
Value sineOfQuadrant(const Formula &f, Value x, int32_t quadrant) {
  constexpr double kRoundToInteger = 0x1.8p52;
  constexpr double kHalfPiHigh = 0x1.921fb54442d18p0, kHalfPiLow = 0x1.1a62633145c07p-54;
  // sin r = r + r^3 S(r^2), cos r = 1 + r^2 C(r^2)
  static constexpr float kS[] = {-0.16666655f, 0.008332172f, -0.0001951648f};
  static constexpr float kC[] = {-0.5f, 0.041666623f, -0.0013886753f, 2.4389412e-05f};

  Value wide = LLVM::FPExtOp::create(f.builder, f.loc, f.builder.getF64Type(), x);
  Value magic = f.constant64(kRoundToInteger);
  Value shifted = f.fma(wide, f.constant64(2 * std::numbers::inv_pi), magic);
  Value n = f.sub(shifted, magic);
  Value r64 = f.fma(n, f.constant64(-kHalfPiHigh), wide);
  r64 = f.fma(n, f.constant64(-kHalfPiLow), r64);
  Value r = LLVM::FPTruncOp::create(f.builder, f.loc, f.builder.getF32Type(), r64);
  // Beyond, n is not an integer of 52 bits and r is anything.
  Value isReduced = f.compare(LLVM::FCmpPredicate::olt, f.abs(x), f.constant(0x1p50f));
  r = f.select(isReduced, r, f.constant(kNaN));
  Value nBits = LLVM::BitcastOp::create(f.builder, f.loc, f.builder.getI64Type(), shifted);
  Value q = LLVM::TruncOp::create(f.builder, f.loc, f.builder.getI32Type(), nBits);
  if (quadrant != 0)
    q = LLVM::AddOp::create(f.builder, f.loc, q, f.integer(quadrant));

  Value square = f.mul(r, r);
  Value sine = f.fma(f.mul(r, square), f.polynomial(kS, square), r);
  Value cosine = f.fma(square, f.polynomial(kC, square), f.constant(1.0f));
  Value odd = LLVM::AndOp::create(f.builder, f.loc, q, f.integer(1));
  Value result = f.select(f.compare(LLVM::ICmpPredicate::ne, odd, f.integer(0)), cosine, sine);
  // Bit 1 of the quadrant is the sign.
  Value half = LLVM::AndOp::create(f.builder, f.loc, q, f.integer(2));
  Value sign = LLVM::ShlOp::create(f.builder, f.loc, half, f.integer(30));
  return f.fromBits(LLVM::XOrOp::create(f.builder, f.loc, f.bits(result), sign));
}

} // namespace

Value emitExp2(OpBuilder &builder, Location loc, Value x) { return LLVM::Exp2Op::create(builder, loc, x); }

Value emitExp(OpBuilder &builder, Location loc, Value x) {
  // The product is rounded by up to 2^-24 |y|, so the result is wrong by up to |x| ulp. Making that good takes four more
  // operations for each element; softmax of 16384x8192 then ran at 0.92 of Triton's speed, which does not make it good.
  Formula f{builder, loc};
  return emitExp2(builder, loc, f.mul(x, f.constant(kLog2E)));
}

Value emitLog(OpBuilder &builder, Location loc, Value x) {
  // ln 2 in two parts, the first with zeros at its end so that exponent x kHigh is exact.
  constexpr float kHigh = 0x1.62e4p-1f, kLow = 0x1.7f7d1cp-20f;
  Formula f{builder, loc};
  Logarithm parts = splitLogarithm(f, x);
  Value result = f.fma(parts.exponent, f.constant(kLow), parts.ofMantissa);
  return fixLogarithm(f, x, f.fma(parts.exponent, f.constant(kHigh), result));
}

Value emitLog2(OpBuilder &builder, Location loc, Value x) {
  Formula f{builder, loc};
  Logarithm parts = splitLogarithm(f, x);
  return fixLogarithm(f, x, f.fma(parts.ofMantissa, f.constant(kLog2E), parts.exponent));
}

Value emitLog10(OpBuilder &builder, Location loc, Value x) {
  // log10 2 in two parts, as in emitLog.
  constexpr float kHigh = 0x1.344p-2f, kLow = 0x1.3509f8p-18f;
  Formula f{builder, loc};
  Logarithm parts = splitLogarithm(f, x);
  Value result = f.mul(parts.ofMantissa, f.constant(std::numbers::log10e_v<float>));
  result = f.fma(parts.exponent, f.constant(kLow), result);
  return fixLogarithm(f, x, f.fma(parts.exponent, f.constant(kHigh), result));
}

Value emitSin(OpBuilder &builder, Location loc, Value x) { return sineOfQuadrant({builder, loc}, x, 0); }
Value emitCos(OpBuilder &builder, Location loc, Value x) { return sineOfQuadrant({builder, loc}, x, 1); }

Value emitErf(OpBuilder &builder, Location loc, Value x) {
  // |x| < 1: x + x E(x^2); otherwise 1 - 2^T(|x|), where |x| = 4 already gives 1.
  static constexpr float kE[] = {0.12837917f,  -0.37612626f,    0.11283584f,   -0.026853766f,
                                 0.005188232f, -0.00080092694f, 7.8505385e-05f};
  static constexpr float kT[] = {0.000271268f, -1.6296371f,   -0.91354334f,  -0.15641479f,
                                 0.03636773f,  -0.006065864f, 0.0006367065f, -3.1286894e-05f};
  Formula f{builder, loc};
  Value absolute = f.abs(x);
  Value small = f.fma(x, f.polynomial(kE, f.mul(x, x)), x);
  Value clamped = LLVM::MinNumOp::create(builder, loc, absolute, f.constant(4.0f));
  Value large = f.sub(f.constant(1.0f), emitExp2(builder, loc, f.polynomial(kT, clamped)));
  large = LLVM::CopySignOp::create(builder, loc, large, x);
  // NaN is not >= 1 and takes the polynomial.
  Value isLarge = f.compare(LLVM::FCmpPredicate::oge, absolute, f.constant(1.0f));
  return f.select(isLarge, large, small);
}

Value emitTanh(OpBuilder &builder, Location loc, Value x) {
  // |x| < 0.55: x + x^3 H(x^2); otherwise 1 - 2 / (e^2|x| + 1).
  static constexpr float kH[] = {-0.33333316f, 0.133325f, -0.053842276f, 0.021027219f, -0.0062074293f};
  Formula f{builder, loc};
  Value absolute = f.abs(x), square = f.mul(x, x);
  Value small = f.fma(f.mul(x, square), f.polynomial(kH, square), x);
  Value power = emitExp2(builder, loc, f.mul(absolute, f.constant(2 * kLog2E)));
  Value quotient = f.div(f.constant(2.0f), f.add(power, f.constant(1.0f)));
  Value large = LLVM::CopySignOp::create(builder, loc, f.sub(f.constant(1.0f), quotient), x);
  Value isLarge = f.compare(LLVM::FCmpPredicate::oge, absolute, f.constant(0.55f));
  return f.select(isLarge, large, small);
}

Value emitRsqrt(OpBuilder &builder, Location loc, Value x) {
  if (x.getType().isF64()) {
    Value one = Formula{builder, loc}.constant64(1.0);
    return LLVM::FDivOp::create(builder, loc, one, LLVM::SqrtOp::create(builder, loc, x));
  }
  // NVPTX selects rsqrt.approx.f32 for this pair, AMDGPU v_sqrt_f32 and v_rcp_f32.
  constexpr auto kApproximate = LLVM::FastmathFlags::afn | LLVM::FastmathFlags::contract;
  Formula f{builder, loc};
  Value root = LLVM::SqrtOp::create(builder, loc, x, kApproximate);
  return LLVM::FDivOp::create(builder, loc, f.constant(1.0f), root, kApproximate);
}

} // namespace hocket
