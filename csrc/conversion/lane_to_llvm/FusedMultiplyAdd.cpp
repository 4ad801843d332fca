//===- FusedMultiplyAdd.cpp - Emulates a fused multiply-add of narrow floats --------------===//
#include "conversion/lane_to_llvm/FusedMultiplyAdd.h"

#include "conversion/hk_to_lane/math/ExtendFloat.h"
#include "conversion/hk_to_lane/math/Formula.h"

using namespace mlir;

namespace hocket {

Value emitNarrowFma(OpBuilder &builder, Location loc, Value x, Value y, Value z) {
  Formula<float> f{builder, loc};
  Formula<double> d{builder, loc};
  auto wide = [&](Value value) { return extendFloat(builder, loc, value, d.type()); };

  // The multiplication in f64 is exact, and sum + error = product + z holds exactly (Knuth's TwoSum).
  Value product = d.mul(wide(x), wide(y)), addend = wide(z);
  Value sum = d.add(product, addend);
  Value ofAddend = d.sub(sum, product);
  Value error = d.add(d.sub(product, d.sub(sum, ofAddend)), d.sub(addend, ofAddend));

  // The part of the sum that is lost by rounding to f32.
  Value rounded = LLVM::FPTruncOp::create(builder, loc, f.type(), sum);
  Value left = d.sub(sum, wide(rounded));
  Value isLeft = d.compare(LLVM::FCmpPredicate::one, left, d.constant(0));
  Value rest = d.select(isLeft, left, error);

  // Rounds to odd: if the sum is not exact and its last bit is 0, it is replaced by the adjacent number in the
  // direction of the lost part, whose last bit is 1.
  Value bits = f.bits(rounded);
  Value isInexact = d.compare(LLVM::FCmpPredicate::one, rest, d.constant(0));
  Value isEven = f.compare(LLVM::ICmpPredicate::eq, f.bitAnd(bits, f.integer(1)), f.integer(0));
  Value isNegative = f.compare(LLVM::ICmpPredicate::slt, bits, f.integer(0));
  Value isRestNegative = d.compare(LLVM::FCmpPredicate::olt, rest, d.constant(0));
  Value isInwards = LLVM::XOrOp::create(builder, loc, isNegative, isRestNegative);
  Value stepped = f.integerAdd(bits, f.select(isInwards, f.integer(-1), f.integer(1)));
  Value isStep = LLVM::AndOp::create(builder, loc, isInexact, isEven);
  Value odd = f.fromBits(f.select(isStep, stepped, bits));
  return LLVM::FPTruncOp::create(builder, loc, x.getType(), odd);
}

} // namespace hocket
