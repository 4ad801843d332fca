//===- F64Functions.cpp - Functions of one f64 that no target selects --------------===//
#include "conversion/hk_to_lane/math/F64Functions.h"
#include "conversion/hk_to_lane/math/Formula.h"
#include <limits>

using namespace mlir;

namespace hocket::f64 {
namespace {

using F64 = Formula<double>;

/// Adding kRoundToInteger to a number of less than 51 bits leaves the nearest integer in the low bits of the sum.
constexpr double kRoundToInteger = 0x1.8p52;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kFractionBits = 52, kExponentBias = 1023;

// Constants in two parts: the first part is the nearest double, the second part is the remainder.
constexpr double kLn2High = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
constexpr double kLog2EHigh = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
constexpr double kLog10EHigh = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;

// Exponentials ------------------------------------------------------------------------------------------------------

/// Returns 2^n for an integer n in -1022 ... 1023.
Value powerOfTwo(const F64 &f, Value n) {
  return f.fromBits(f.shiftLeft(f.integerAdd(n, f.integer(kExponentBias)), kFractionBits));
}

/// Returns 2^n e^r for |r| <= ln 2 / 2, where `shifted` is n + kRoundToInteger and |n| < 1100. Multiplies by 2^n in two
/// steps, so that each factor is a normal number and a subnormal result is rounded once.
Value scaledExponential(const F64 &f, Value shifted, Value r) {
  // Coefficients of the polynomial P in e^r = 1 + r + r^2 P(r).
  static constexpr double kP[] = {0.5,
                                  0x1.555555555555bp-3,
                                  0x1.5555555555501p-5,
                                  0x1.111111110ec92p-7,
                                  0x1.6c16c16c3093fp-10,
                                  0x1.a01a01b36ae82p-13,
                                  0x1.a01a013579217p-16,
                                  0x1.71ddf04e8ee61p-19,
                                  0x1.27e5b64f2bba9p-22,
                                  0x1.af6b9c03ff04ap-26,
                                  0x1.1e3a3aa5fcc00p-29};
  Value result = f.fma(f.mul(r, r), f.polynomial(kP, r), r);
  result = f.add(result, f.constant(1.0));
  Value n = f.integerSub(f.bits(shifted), f.bits(f.constant(kRoundToInteger)));
  Value half = f.shiftRight(n, 1);
  return f.mul(f.mul(result, powerOfTwo(f, half)), powerOfTwo(f, f.integerSub(n, half)));
}

/// Returns x limited to [low, high]; NaN stays NaN.
Value clamp(const F64 &f, Value x, double low, double high) {
  Value lowest = f.constant(low), highest = f.constant(high);
  x = f.select(f.compare(LLVM::FCmpPredicate::olt, x, lowest), lowest, x);
  return f.select(f.compare(LLVM::FCmpPredicate::ogt, x, highest), highest, x);
}

// Logarithms --------------------------------------------------------------------------------------------------------

/// Decomposition x = 2^exponent m with m in [sqrt(1/2), sqrt(2)), and the value of ln m.
struct Logarithm {
  Value exponent; ///< f64
  Value ofMantissa;
};

/// Returns the decomposition of a positive finite x.
Logarithm splitLogarithm(const F64 &f, Value x) {
  constexpr int64_t kBitsOfSqrtHalf = 0x3fe6a09e667f3bcd;
  // ln(1 + t) = 2 artanh(s) with s = t / (2 + t), and 2 artanh(s) = 2 s + s^3 L(s^2)
  static constexpr double kL[] = {0x1.5555555555594p-1, 0x1.999999997f836p-2, 0x1.24924942333dfp-2,
                                  0x1.c71c51d86bd0bp-3, 0x1.7466487840b1cp-3, 0x1.39a0c951f3795p-3,
                                  0x1.2f0ed7f18ef9fp-3};
  // Scale subnormal numbers into the normal range.
  Value isSubnormal = f.compare(LLVM::FCmpPredicate::olt, x, f.constant(std::numeric_limits<double>::min()));
  Value scaled = f.select(isSubnormal, f.mul(x, f.constant(0x1p54)), x);
  Value scale = f.select(isSubnormal, f.constant(-54.0), f.constant(0.0));

  Value bits = f.bits(scaled);
  Value exponent = f.shiftRight(f.integerSub(bits, f.integer(kBitsOfSqrtHalf)), kFractionBits);
  Value mantissa = f.fromBits(f.integerSub(bits, f.shiftLeft(exponent, kFractionBits)));
  Value t = f.sub(mantissa, f.constant(1.0));
  Value s = f.div(t, f.add(t, f.constant(2.0)));
  Value square = f.mul(s, s);
  // The term 2 s has the rounding error of s. With h = t^2 / 2, the sum 2 s + s^3 L(s^2) is equal to t - (h - s (h +
  // s^2 L(s^2))). In this form, t is exact, and only the smaller terms are rounded.
  Value h = f.mul(f.mul(t, t), f.constant(0.5));
  Value correction = f.fma(square, f.polynomial(kL, square), h);
  Value logarithm = f.sub(t, f.fma(f.sub(f.constant(0.0), s), correction, h));
  return {f.add(f.fromInteger(exponent), scale), logarithm};
}

/// Returns `result` if x is positive and finite, and the correct special value otherwise.
Value fixLogarithm(const F64 &f, Value x, Value result) {
  Value zero = f.constant(0.0), infinity = f.constant(kInfinity);
  result = f.select(f.compare(LLVM::FCmpPredicate::oeq, x, infinity), infinity, result);
  result = f.select(f.compare(LLVM::FCmpPredicate::oeq, x, zero), f.constant(-kInfinity), result);
  return f.select(f.compare(LLVM::FCmpPredicate::ult, x, zero), f.constant(kNaN), result);
}

/// Returns e * base + ln(m) * ofE, where x = m * 2^e, base = baseHigh + baseLow, and ofE = ofEHigh + ofELow.
Value scaledLogarithm(const F64 &f, Value x, double baseHigh, double baseLow, double ofEHigh, double ofELow) {
  Logarithm parts = splitLogarithm(f, x);
  Value low = f.fma(parts.exponent, f.constant(baseLow), f.mul(parts.ofMantissa, f.constant(ofELow)));
  Value result = f.fma(parts.exponent, f.constant(baseHigh), low);
  return fixLogarithm(f, x, f.fma(parts.ofMantissa, f.constant(ofEHigh), result));
}

// Sine and cosine ---------------------------------------------------------------------------------------------------

/// The difference x - n pi/2 as a sum of two numbers, for |n| < 2^50.
struct Reduced {
  Value high, low;
};

/// Subtracts n pi/2, with pi/2 split into three parts. The first subtraction is exact, because the difference is a
/// multiple of 2^-52 below 1. The rounding errors of the second subtraction, and the third part, are added to `low`.
/// All bits of the result are correct even close to a multiple of pi/2, where x and the first part cancel.
Reduced reduceByHalfPi(const F64 &f, Value x, Value n) {
  constexpr double kFirst = 0x1.921fb54442d18p+0, kSecond = 0x1.1a62633145c07p-54, kThird = -0x1.f1976b7ed8fbcp-110;
  Value t = f.fma(n, f.constant(-kFirst), x);
  // w + wError = n kSecond; high + highError = t - w.
  Value w = f.mul(n, f.constant(kSecond));
  Value wError = f.fma(n, f.constant(kSecond), f.sub(f.constant(0.0), w));
  Value high = f.sub(t, w);
  Value shareOfW = f.sub(t, high), shareOfT = f.add(high, shareOfW);
  Value highError = f.add(f.sub(t, shareOfT), f.sub(shareOfW, w));
  Value low = f.fma(n, f.constant(-kThird), f.sub(highError, wError));
  // Round the sum once more: the formulas below need low to be small relative to high.
  Value sum = f.add(high, low);
  return {sum, f.add(f.sub(high, sum), low)};
}

/// Returns sin(x + quadrant pi/2).
Value sineOfQuadrant(const F64 &f, Value x, int64_t quadrant) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  // sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2), for |r| < 0.9. For the largest x, |r| can exceed pi/4 by
  // 0.06, because n pi/2 is inexact.
  static constexpr double kS[] = {-0x1.5555555555555p-3, 0x1.11111111110f2p-7,   -0x1.a01a01a014d37p-13,
                                  0x1.71de3a4ee3d55p-19, -0x1.ae644dac9e4bep-26, 0x1.611dd3a3f3684p-33,
                                  -0x1.a972485615c6fp-41};
  static constexpr double kC[] = {0x1.5555555555525p-5,   -0x1.6c16c16c105c6p-10, 0x1.a01a0196182a9p-16,
                                  -0x1.27e4f3c76a1f1p-22, 0x1.1ee7546e8cd71p-29,  -0x1.8e7a525a07f4fp-37};
  Value magic = f.constant(kRoundToInteger);
  Value shifted = f.fma(x, f.constant(kTwoOverPi), magic);
  auto [r, low] = reduceByHalfPi(f, x, f.sub(shifted, magic));
  // For |x| >= 2^50, n and r are not exact, so the result is NaN.
  Value isReduced = f.compare(LLVM::FCmpPredicate::olt, f.abs(x), f.constant(0x1p50));
  r = f.select(isReduced, r, f.constant(kNaN));
  Value q = f.bits(shifted);
  if (quadrant != 0)
    q = f.integerAdd(q, f.integer(quadrant));

  Value square = f.mul(r, r), one = f.constant(1.0), half = f.constant(0.5);
  // sin(r + low) = sin r + low (1 - r^2/2), cos(r + low) = cos r - low r
  Value halfSquare = f.mul(square, half);
  Value cosineStart = f.sub(one, halfSquare);
  Value sine = f.fma(f.mul(r, square), f.polynomial(kS, square), f.mul(low, cosineStart));
  sine = f.add(r, sine);
  Value lost = f.sub(f.sub(one, cosineStart), halfSquare);
  Value cosine = f.fma(f.mul(square, square), f.polynomial(kC, square), f.sub(lost, f.mul(low, r)));
  cosine = f.add(cosineStart, cosine);

  Value odd = f.bitAnd(q, f.integer(1));
  Value result = f.select(f.compare(LLVM::ICmpPredicate::ne, odd, f.integer(0)), cosine, sine);
  // The sum for x = -0.0 is -0.0 + 0.0 = 0.0, so x itself is selected if x is zero. The result is negated if bit 1 of
  // the quadrant q is set.
  if (quadrant == 0)
    result = f.select(f.compare(LLVM::FCmpPredicate::oeq, x, f.constant(0.0)), x, result);
  Value sign = f.shiftLeft(f.bitAnd(q, f.integer(2)), 62);
  return f.fromBits(f.bitXor(f.bits(result), sign));
}

} // namespace

Value emitExp(OpBuilder &builder, Location loc, Value x) {
  F64 f{builder, loc};
  x = clamp(f, x, -746.0, 710.0); // e^-746 is rounded to 0, e^710 to infinity
  Value magic = f.constant(kRoundToInteger);
  Value shifted = f.fma(x, f.constant(kLog2EHigh), magic);
  Value n = f.sub(shifted, magic);
  Value r = f.fma(n, f.constant(-kLn2High), x);
  return scaledExponential(f, shifted, f.fma(n, f.constant(-kLn2Low), r));
}

Value emitExp2(OpBuilder &builder, Location loc, Value x) {
  F64 f{builder, loc};
  x = clamp(f, x, -1076.0, 1025.0);
  Value magic = f.constant(kRoundToInteger);
  Value shifted = f.add(x, magic);
  Value fraction = f.sub(x, f.sub(shifted, magic));
  Value r = f.fma(fraction, f.constant(kLn2High), f.mul(fraction, f.constant(kLn2Low)));
  return scaledExponential(f, shifted, r);
}

Value emitLog(OpBuilder &builder, Location loc, Value x) {
  // ln 2 in two parts; kHigh ends in zero bits, so that exponent * kHigh is exact.
  constexpr double kHigh = 0x1.62e42fefa4000p-1, kLow = -0x1.8432a1b0e2634p-43;
  F64 f{builder, loc};
  Logarithm parts = splitLogarithm(f, x);
  Value result = f.fma(parts.exponent, f.constant(kLow), parts.ofMantissa);
  return fixLogarithm(f, x, f.fma(parts.exponent, f.constant(kHigh), result));
}

Value emitLog2(OpBuilder &builder, Location loc, Value x) {
  return scaledLogarithm({builder, loc}, x, 1.0, 0.0, kLog2EHigh, kLog2ELow);
}

Value emitLog10(OpBuilder &builder, Location loc, Value x) {
  // log10 2 in two parts; kHigh ends in zero bits, so that exponent * kHigh is exact.
  constexpr double kHigh = 0x1.34413509f8000p-2, kLow = -0x1.80433b83b532ap-44;
  return scaledLogarithm({builder, loc}, x, kHigh, kLow, kLog10EHigh, kLog10ELow);
}

Value emitSin(OpBuilder &builder, Location loc, Value x) { return sineOfQuadrant({builder, loc}, x, 0); }
Value emitCos(OpBuilder &builder, Location loc, Value x) { return sineOfQuadrant({builder, loc}, x, 1); }

Value emitErf(OpBuilder &builder, Location loc, Value x) {
  // For |x| < 1, erf x = x + x E(x^2) with a polynomial E. For |x| >= 1, erf |x| = 1 - e^T(|x| - 1) with a polynomial
  // T; |x| = 6 already gives 1.
  static constexpr double kE[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b1ep-4,
                                  -0x1.b82ce312848f0p-6,  0x1.565bcd0daea9bp-8,   -0x1.c02db3d8ab47dp-11,
                                  0x1.f9a32199eae6ep-14,  -0x1.f4d1deb2e2a0cp-17, 0x1.b9deeb01b8d02p-20,
                                  -0x1.5f1cff507eedcp-23, 0x1.f7a1c04d0d6d8p-27,  -0x1.386393b5b6821p-30,
                                  0x1.0566292708874p-34};
  static constexpr double kT[] = {
      -0x1.d97fbf27aa2a1p+0,  -0x1.51c9b0006c236p+1,  -0x1.afabc11a2961ap-1,  -0x1.5477f09c00761p-5,
      0x1.48c9d3ea99e64p-7,   -0x1.033f65a1bb10ap-9,  0x1.f1b38569cf83dp-13,  0x1.b8df030187fa8p-16,
      -0x1.c7a8612142990p-16, 0x1.426ea789e1fefp-17,  -0x1.14829a603ff39p-19, 0x1.338e1867bf58fp-23,
      0x1.a2028e499c07ap-24,  -0x1.be168d353428fp-25, 0x1.ff14e7e6fcde3p-27,  -0x1.886294680a874p-29,
      0x1.9344ebdd0ef4fp-32,  -0x1.f867899114c8ap-36, 0x1.22b6b3530d807p-40};
  F64 f{builder, loc};
  Value absolute = f.abs(x), one = f.constant(1.0);
  Value small = f.fma(x, f.polynomial(kE, f.mul(x, x)), x);
  Value beyondOne = f.sub(clamp(f, absolute, 1.0, 6.0), one);
  Value large = f.sub(one, emitExp(builder, loc, f.polynomial(kT, beyondOne)));
  // NaN is not >= 1 and selects the polynomial.
  Value isLarge = f.compare(LLVM::FCmpPredicate::oge, absolute, one);
  return f.select(isLarge, f.copySign(large, x), small);
}

Value emitTanh(OpBuilder &builder, Location loc, Value x) {
  // For |x| < 0.55, tanh x = x + x^3 H(x^2) with a polynomial H. For |x| >= 0.55, tanh |x| = 1 - 2 / (e^2|x| + 1).
  static constexpr double kH[] = {-0x1.555555555554dp-2,  0x1.1111111110439p-3,  -0x1.ba1ba1b94b2e7p-5,
                                  0x1.664f484dfca25p-6,   -0x1.226e2d9765728p-7, 0x1.d6d25e96f3022p-9,
                                  -0x1.7d8cb7cb8376cp-10, 0x1.3469ca0cfa254p-11, -0x1.e8654dacb18a8p-13,
                                  0x1.5a70ab96edea9p-14,  -0x1.3f8dabebd96ecp-16};
  F64 f{builder, loc};
  Value absolute = f.abs(x), square = f.mul(x, x), one = f.constant(1.0);
  Value small = f.fma(f.mul(x, square), f.polynomial(kH, square), x);
  Value power = emitExp(builder, loc, f.add(absolute, absolute));
  Value large = f.sub(one, f.div(f.constant(2.0), f.add(power, one)));
  Value isLarge = f.compare(LLVM::FCmpPredicate::oge, absolute, f.constant(0.55));
  // For x = -0.0, `small` and `large` are +0.0, so the sign of x is copied.
  return f.copySign(f.select(isLarge, large, small), x);
}

} // namespace hocket::f64
