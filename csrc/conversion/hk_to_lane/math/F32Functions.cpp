//===- F32Functions.cpp - Functions of one f32 that not every target selects ---------===//
#include "conversion/hk_to_lane/math/F32Functions.h"
#include "conversion/hk_to_lane/math/Formula.h"
#include <limits>
#include <numbers>

using namespace mlir;

namespace hocket {
namespace {

using F32 = Formula<float>;
using F64 = Formula<double>;

constexpr float kLog2E = std::numbers::log2e_v<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Decomposition x = 2^exponent (1 + fraction) with 1 + fraction in [sqrt(1/2), sqrt(2)), and the value of ln(1 +
/// fraction).
struct Logarithm {
  Value exponent; ///< f32
  Value ofMantissa;
};

/// Emits exp2 of an x >= -126. Subnormal results may be flushed to 0, which spares the GPU's instruction a scaling.
Value emitNormalExp2(const F32 &f, Value x) {
  return LLVM::Exp2Op::create(f.builder, f.loc, x, LLVM::FastmathFlags::afn);
}

/// Returns the decomposition of a positive finite x.
Logarithm splitLogarithm(const F32 &f, Value x) {
  constexpr int32_t kBitsOfSqrtHalf = 0x3f3504f3;
  // Coefficients of the polynomial L in ln(1 + t) = t + t^2 L(t).
  static constexpr float kL[] = {-0.5f,       0.33333313f,  -0.24999984f, 0.2000214f,   -0.16669296f,
                                 0.14220187f, -0.12384486f, 0.118630216f, -0.11785614f, 0.06931117f};
  // Scale subnormal numbers into the normal range.
  Value isSubnormal = f.compare(LLVM::FCmpPredicate::olt, x, f.constant(std::numeric_limits<float>::min()));
  Value scaled = f.select(isSubnormal, f.mul(x, f.constant(0x1p23f)), x);
  Value scale = f.select(isSubnormal, f.constant(-23.0f), f.constant(0.0f));

  Value bits = f.bits(scaled);
  Value above = f.integerSub(bits, f.integer(kBitsOfSqrtHalf));
  Value exponentBits = f.bitAnd(above, f.integer(static_cast<int32_t>(0xff800000)));
  Value exponent = f.shiftRight(above, 23);
  Value mantissa = f.fromBits(f.integerSub(bits, exponentBits));
  Value t = f.sub(mantissa, f.constant(1.0f));
  return {f.add(f.fromInteger(exponent), scale), f.fma(f.mul(t, t), f.polynomial(kL, t), t)};
}

/// Returns `result` if x is positive and finite, and the correct special value otherwise.
Value fixLogarithm(const F32 &f, Value x, Value result) {
  Value zero = f.constant(0.0f), infinity = f.constant(kInfinity);
  Value isInfinite = f.compare(LLVM::FCmpPredicate::oeq, x, infinity);
  Value isZero = f.compare(LLVM::FCmpPredicate::oeq, x, zero);
  Value isNegativeOrNaN = f.compare(LLVM::FCmpPredicate::ult, x, zero);
  result = f.select(isInfinite, infinity, result);
  result = f.select(isZero, f.constant(-kInfinity), result);
  return f.select(isNegativeOrNaN, f.constant(kNaN), result);
}

/// Returns sin(x + quadrant pi/2).
///
/// n and r with x = n pi/2 + r are computed in f64. Adding 1.5 * 2^52 to 2 x / pi leaves n in the low bits of the sum.
/// r is computed with pi/2 split into two parts, and is therefore exact to the last bit of f32 for |n| < 2^50.
Value sineOfQuadrant(const F32 &f, Value x, int32_t quadrant) {
  constexpr double kRoundToInteger = 0x1.8p52;
  constexpr double kHalfPiHigh = 0x1.921fb54442d18p0, kHalfPiLow = 0x1.1a62633145c07p-54;
  // Coefficients of the polynomials S and C in sin r = r + r^3 S(r^2) and cos r = 1 + r^2 C(r^2).
  static constexpr float kS[] = {-0.16666655f, 0.008332172f, -0.0001951648f};
  static constexpr float kC[] = {-0.5f, 0.041666623f, -0.0013886753f, 2.4389412e-05f};

  F64 d{f.builder, f.loc};
  Value wide = LLVM::FPExtOp::create(f.builder, f.loc, d.type(), x);
  Value magic = d.constant(kRoundToInteger);
  Value shifted = d.fma(wide, d.constant(2 * std::numbers::inv_pi), magic);
  Value n = d.sub(shifted, magic);
  Value r64 = d.fma(n, d.constant(-kHalfPiHigh), wide);
  r64 = d.fma(n, d.constant(-kHalfPiLow), r64);
  Value r = LLVM::FPTruncOp::create(f.builder, f.loc, f.builder.getF32Type(), r64);
  // For |x| >= 2^50, n and r are not exact, so the result is NaN.
  Value isReduced = f.compare(LLVM::FCmpPredicate::olt, f.abs(x), f.constant(0x1p50f));
  r = f.select(isReduced, r, f.constant(kNaN));
  Value q = LLVM::TruncOp::create(f.builder, f.loc, f.integerType(), d.bits(shifted));
  if (quadrant != 0)
    q = f.integerAdd(q, f.integer(quadrant));

  Value square = f.mul(r, r);
  Value sine = f.fma(f.mul(r, square), f.polynomial(kS, square), r);
  Value cosine = f.fma(square, f.polynomial(kC, square), f.constant(1.0f));
  Value odd = f.bitAnd(q, f.integer(1));
  Value result = f.select(f.compare(LLVM::ICmpPredicate::ne, odd, f.integer(0)), cosine, sine);
  // The result is negated if bit 1 of the quadrant q is set.
  Value sign = f.shiftLeft(f.bitAnd(q, f.integer(2)), 30);
  return f.fromBits(f.bitXor(f.bits(result), sign));
}

} // namespace

Value emitExp2(OpBuilder &builder, Location loc, Value x) { return LLVM::Exp2Op::create(builder, loc, x); }

Value emitExp(OpBuilder &builder, Location loc, Value x) {
  // The rounding error of x log2 e makes the result wrong by up to |x| ulp. A correction would take four more
  // operations and some registers per element, which would lower the occupancy of softmax kernels.
  F32 f{builder, loc};
  return emitExp2(builder, loc, f.mul(x, f.constant(kLog2E)));
}

Value emitLog(OpBuilder &builder, Location loc, Value x) {
  // ln 2 in two parts; kHigh ends in zero bits, so that exponent * kHigh is exact.
  constexpr float kHigh = 0x1.62e4p-1f, kLow = 0x1.7f7d1cp-20f;
  F32 f{builder, loc};
  Logarithm parts = splitLogarithm(f, x);
  Value result = f.fma(parts.exponent, f.constant(kLow), parts.ofMantissa);
  return fixLogarithm(f, x, f.fma(parts.exponent, f.constant(kHigh), result));
}

Value emitLog2(OpBuilder &builder, Location loc, Value x) {
  F32 f{builder, loc};
  Logarithm parts = splitLogarithm(f, x);
  return fixLogarithm(f, x, f.fma(parts.ofMantissa, f.constant(kLog2E), parts.exponent));
}

Value emitLog10(OpBuilder &builder, Location loc, Value x) {
  // log10 2 in two parts; kHigh ends in zero bits, so that exponent * kHigh is exact.
  constexpr float kHigh = 0x1.344p-2f, kLow = 0x1.3509f8p-18f;
  F32 f{builder, loc};
  Logarithm parts = splitLogarithm(f, x);
  Value result = f.mul(parts.ofMantissa, f.constant(std::numbers::log10e_v<float>));
  result = f.fma(parts.exponent, f.constant(kLow), result);
  return fixLogarithm(f, x, f.fma(parts.exponent, f.constant(kHigh), result));
}

Value emitSin(OpBuilder &builder, Location loc, Value x) { return sineOfQuadrant({builder, loc}, x, 0); }
Value emitCos(OpBuilder &builder, Location loc, Value x) { return sineOfQuadrant({builder, loc}, x, 1); }

Value emitErf(OpBuilder &builder, Location loc, Value x) {
  // For |x| < 1, erf x = x + x E(x^2) with a polynomial E. For |x| >= 1, erf |x| = 1 - 2^T(|x|) with a polynomial T;
  // |x| = 4 already gives 1.
  static constexpr float kE[] = {0.12837917f,  -0.37612626f,    0.11283584f,   -0.026853766f,
                                 0.005188232f, -0.00080092694f, 7.8505385e-05f};
  static constexpr float kT[] = {0.000271268f, -1.6296371f,   -0.91354334f,  -0.15641479f,
                                 0.03636773f,  -0.006065864f, 0.0006367065f, -3.1286894e-05f};
  F32 f{builder, loc};
  Value absolute = f.abs(x);
  Value small = f.fma(x, f.polynomial(kE, f.mul(x, x)), x);
  Value clamped = LLVM::MinNumOp::create(builder, loc, absolute, f.constant(4.0f));
  Value large = f.sub(f.constant(1.0f), emitNormalExp2(f, f.polynomial(kT, clamped)));
  large = f.copySign(large, x);
  // NaN is not >= 1 and selects the polynomial.
  Value isLarge = f.compare(LLVM::FCmpPredicate::oge, absolute, f.constant(1.0f));
  return f.select(isLarge, large, small);
}

Value emitTanh(OpBuilder &builder, Location loc, Value x) {
  // For |x| < 0.55, tanh x = x + x^3 H(x^2) with a polynomial H. For |x| >= 0.55, tanh |x| = 1 - 2 / (e^2|x| + 1).
  static constexpr float kH[] = {-0.33333316f, 0.133325f, -0.053842276f, 0.021027219f, -0.0062074293f};
  F32 f{builder, loc};
  Value absolute = f.abs(x), square = f.mul(x, x);
  Value small = f.fma(f.mul(x, square), f.polynomial(kH, square), x);
  Value power = emitNormalExp2(f, f.mul(absolute, f.constant(2 * kLog2E)));
  // The GPU's reciprocal, which may flush subnormal results to 0: the result of tanh is 1 for them.
  constexpr auto kReciprocal = LLVM::FastmathFlags::afn | LLVM::FastmathFlags::arcp;
  Value one = f.constant(1.0f);
  Value reciprocal = LLVM::FDivOp::create(builder, loc, one, f.add(power, one), kReciprocal);
  Value large = f.fma(reciprocal, f.constant(-2.0f), one);
  Value isLarge = f.compare(LLVM::FCmpPredicate::oge, absolute, f.constant(0.55f));
  // For x = -0.0, `small` and `large` are +0.0, so the sign of x is copied.
  return f.copySign(f.select(isLarge, large, small), x);
}

Value emitRsqrt(OpBuilder &builder, Location loc, Value x) {
  if (x.getType().isF64()) {
    Value one = F64{builder, loc}.constant(1.0);
    return LLVM::FDivOp::create(builder, loc, one, LLVM::SqrtOp::create(builder, loc, x));
  }
  // For this square root and division, NVPTX selects rsqrt.approx.f32, and AMDGPU selects v_sqrt_f32 and v_rcp_f32.
  constexpr auto kApproximate = LLVM::FastmathFlags::afn | LLVM::FastmathFlags::contract;
  F32 f{builder, loc};
  Value root = LLVM::SqrtOp::create(builder, loc, x, kApproximate);
  return LLVM::FDivOp::create(builder, loc, f.constant(1.0f), root, kApproximate);
}

} // namespace hocket
