//===- RingForms.cpp - How the index of a ring's slot depends on the iteration -----===//
//
// From values to the forms of RingSlots.h: the operations that compute an index are followed back to constants, the
// loop's variable and what the loop carries. What is not understood is a term.
//
//===------------------------------------------------------------------------------===//
#include "analysis/shared/RingSlots.h"
#include "dialect/hk/MemDescViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace hocket {

scf::ForOp continuedLoop(scf::ForOp loop) {
  Attribute series = loop->getAttr(hk::HkDialect::kSeriesAttr);
  if (!series)
    return {};
  Operation *op = loop->getPrevNode();
  while (op && isMemoryEffectFree(op) && !isa<scf::ForOp>(op))
    op = op->getPrevNode();
  auto front = dyn_cast_or_null<scf::ForOp>(op);
  bool isFirst = front && front->getAttr(hk::HkDialect::kSeriesAttr) == series;
  return isFirst && front.getUpperBound() == loop.getLowerBound() ? front : scf::ForOp();
}

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.getSignificantBits() > 32)
    return std::nullopt;
  return constant.getSExtValue();
}

/// So many values are followed for one index. Sums of sums have exponentially many ways, and slots are not chosen so.
static constexpr unsigned kFollowedValues = 256;

class RingIndexBuilder {
public:
  explicit RingIndexBuilder(scf::ForOp loop) : loop(loop) {}
  RingIndex build(Value value);

private:
  RingIndex term(Value value);
  RingIndex ofOperation(Operation *op);
  RingIndex ofInduction();
  RingIndex ofCarried(BlockArgument variable);
  RingIndex ofFollower(BlockArgument variable, RingIndex next);
  Value initOf(BlockArgument variable);
  RingIndex ofRemainder(Operation *op);
  RingIndex ofChoice(Value result, Value condition, Value whenTrue, Value whenFalse);
  RingIndex ofIf(scf::IfOp branch, OpResult result);
  RingIndex ofDivision(arith::DivSIOp division);
  bool isFixed(Value value);

  scf::ForOp loop;
  /// Variables of the loop that are being followed: terms meanwhile.
  llvm::SmallPtrSet<Value, 2> followed;
  unsigned numFollowed = 0;
  llvm::SmallDenseMap<Value, bool> fixed;
};

/// The same in all iterations: from outside, or computed of nothing else.
bool RingIndexBuilder::isFixed(Value value) {
  value = hk::lookThroughRegions(value);
  if (!loop || loop.isDefinedOutsideOfLoop(value))
    return true;
  if (auto known = fixed.find(value); known != fixed.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  return fixed[value] = op && op->getNumRegions() == 0 && isPure(op) &&
                        llvm::all_of(op->getOperands(), [&](Value operand) { return isFixed(operand); });
}

static RingIndex constantIndex(int64_t value, int64_t RingIndex::*offset) {
  RingIndex index;
  index.*offset = value;
  return index;
}

RingIndex RingIndexBuilder::term(Value value) {
  RingIndex index;
  index.terms[value] = 1;
  index.varies = !isFixed(value);
  return index;
}

RingIndex RingIndexBuilder::build(Value value) {
  value = hk::lookThroughRegions(value);
  if (std::optional<int64_t> constant = constantOf(value))
    return constantIndex(*constant, &RingIndex::offset);
  // Counters of 32 bits do not overflow in practice; narrower ones do.
  if (auto type = dyn_cast<IntegerType>(value.getType()); type && type.getWidth() < 32)
    return term(value);
  if (++numFollowed > kFollowedValues)
    return term(value);
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return ofIf(branch, cast<OpResult>(value));
  if (Operation *op = value.getDefiningOp())
    return ofOperation(op);
  if (loop && value == loop.getInductionVar())
    return ofInduction();
  auto argument = cast<BlockArgument>(value);
  if (loop && argument.getOwner() == loop.getBody() && !followed.contains(argument))
    return ofCarried(argument);
  return term(value);
}

RingIndex RingIndexBuilder::ofOperation(Operation *op) {
  auto combine = [&](int64_t sign) {
    RingIndex sum = build(op->getOperand(0)), other = build(op->getOperand(1));
    return sum += other *= sign;
  };
  return llvm::TypeSwitch<Operation *, RingIndex>(op)
      .Case([&](arith::AddIOp) { return combine(1); })
      .Case([&](arith::SubIOp) { return combine(-1); })
      .Case([&](arith::MulIOp) {
        std::optional<int64_t> factor = constantOf(op->getOperand(1));
        return factor ? build(op->getOperand(0)) *= *factor : term(op->getResult(0));
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return ofRemainder(op); })
      .Case([&](arith::AndIOp) {
        std::optional<int64_t> mask = constantOf(op->getOperand(1));
        if (!mask || !llvm::isPowerOf2_64(uint64_t(*mask) + 1))
          return term(op->getResult(0));
        RingIndex index = build(op->getOperand(0));
        index.reduceModulo(*mask + 1);
        return index;
      })
      .Case([&](arith::XOrIOp) { // without carry: the lowest bit of a sum
        RingIndex index = combine(1);
        index.reduceModulo(2);
        return index;
      })
      .Case([&](arith::SelectOp select) {
        return ofChoice(select, select.getCondition(), select.getTrueValue(), select.getFalseValue());
      })
      .Case([&](arith::DivSIOp division) { return ofDivision(division); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>([&](auto) { return build(op->getOperand(0)); })
      .Default([&](Operation *) { return term(op->getResult(0)); });
}

RingIndex RingIndexBuilder::ofRemainder(Operation *op) {
  std::optional<int64_t> divisor = constantOf(op->getOperand(1));
  if (!divisor || *divisor <= 0)
    return term(op->getResult(0));
  RingIndex index = build(op->getOperand(0));
  bool mayBeNegative = index.modulus != 0 || index.offset < 0 || index.step < 0 ||
                       llvm::any_of(index.terms, [](auto &term) { return term.second < 0; });
  // Taken as unsigned, a number below 0 is 2^32 more.
  if (isa<arith::RemUIOp>(op) && mayBeNegative)
    index.reduceModulo(int64_t(1) << 32);
  index.reduceModulo(*divisor);
  return index;
}

RingIndex RingIndexBuilder::ofInduction() {
  std::optional<int64_t> step = constantOf(loop.getStep());
  if (!step)
    return term(loop.getInductionVar());
  // The lower bound is the same in all iterations, whatever it is made of.
  scf::ForOp first = continuedLoop(loop);
  RingIndex index = RingIndexBuilder(loop).build((first ? first : loop).getLowerBound());
  index.step += *step;
  return index;
}

/// What `variable` is in iteration 0. Null if that is another loop's, which did not count this variable.
Value RingIndexBuilder::initOf(BlockArgument variable) {
  Value init = loop.getTiedLoopInit(variable)->get();
  scf::ForOp first = continuedLoop(loop);
  if (!first)
    return init;
  if (init.getDefiningOp() != first)
    return {};
  return first.getInitArgs()[cast<OpResult>(init).getResultNumber()];
}

/// A variable whose next value is itself plus a constant; with another coefficient than 1, modulo that minus 1.
RingIndex RingIndexBuilder::ofCarried(BlockArgument variable) {
  Value init = initOf(variable);
  if (!init)
    return term(variable);
  followed.insert(variable);
  RingIndex next = build(loop.getTiedLoopYieldedValue(variable)->get());
  followed.erase(variable);
  int64_t coefficient = next.terms.lookup(variable);
  if (coefficient == 0 && next.step != 0)
    return ofFollower(variable, next);
  next.terms.erase(variable);
  next.reduceModulo(coefficient - 1);
  bool addsConstant = next.terms.empty() && next.step == 0;
  if (!addsConstant || next.modulus == 1)
    return term(variable);
  RingIndex index = build(init);
  index.step += next.offset;
  index.modulus = std::gcd(index.modulus, next.modulus);
  return index;
}

/// A variable that takes the value of another counter, if it starts one step after it: a follower.
RingIndex RingIndexBuilder::ofFollower(BlockArgument variable, RingIndex next) {
  next.offset -= next.step;
  RingIndex difference = build(initOf(variable));
  (difference *= -1) += next;
  // What is known of both is known of the follower.
  next.modulus = difference.modulus;
  bool isBehind = difference.terms.empty() && !next.varies && next.modulus != 1 &&
                  (next.modulus == 0 ? difference.offset == 0 : difference.offset % next.modulus == 0);
  return isBehind ? next : term(variable);
}

/// A counter that starts anew: x == n ? 0 : x is x modulo n.
RingIndex RingIndexBuilder::ofChoice(Value result, Value condition, Value whenTrue, Value whenFalse) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  Value whenEqual = whenTrue, otherwise = whenFalse;
  if (compare && compare.getPredicate() == arith::CmpIPredicate::ne)
    std::swap(whenEqual, otherwise);
  else if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return term(result);
  std::optional<int64_t> end = constantOf(compare.getRhs()), restart = constantOf(whenEqual);
  if (!end || !restart)
    return term(result);
  // `otherwise` may be the value compared, or differ from it by a constant: x == n - 1 ? 0 : x + 1.
  RingIndex index = build(otherwise), difference = build(compare.getLhs());
  (difference *= -1) += index;
  if (!difference.terms.empty() || difference.step != 0)
    return term(result);
  index.reduceModulo(*end + difference.offset - *restart);
  // By so much the difference may be another than the one we see.
  index.reduceModulo(difference.modulus);
  return index;
}

/// The same with branches that choose, which may also compute.
RingIndex RingIndexBuilder::ofIf(scf::IfOp branch, OpResult result) {
  unsigned number = result.getResultNumber();
  return ofChoice(result, branch.getCondition(), branch.thenYield().getOperand(number),
                  branch.elseYield().getOperand(number));
}

RingIndex RingIndexBuilder::ofDivision(arith::DivSIOp division) {
  std::optional<int64_t> divisor = constantOf(division.getRhs());
  RingIndex index = build(division.getLhs());
  bool isExact = divisor && *divisor > 0 && index.modulus == 0 && index.terms.empty() && index.offset % *divisor == 0 &&
                 index.step % *divisor == 0;
  if (!isExact)
    return term(division.getResult());
  index.offset /= *divisor;
  index.step /= *divisor;
  return index;
}

RingIndex RingIndex::of(Value index, scf::ForOp loop) { return RingIndexBuilder(loop).build(index); }

} // namespace hocket
