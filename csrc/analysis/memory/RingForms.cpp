//===- RingForms.cpp - Derives slot indices as functions of the iteration ----------===//
//
// Derives the *linear form* of an index, a linear function of the iteration number (RingSlots.h). The operations that
// compute the index are traced back to constants, the induction variable and loop-carried values. A value that cannot
// be analyzed becomes an unknown term of the linear form.
//
//===------------------------------------------------------------------------------===//
#include "analysis/memory/CounterRestart.h"
#include "analysis/memory/RingSlots.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace hocket {

scf::ForOp continuedLoop(scf::ForOp loop) {
  Attribute series = hk::kSeriesAttr.getAttr(loop);
  if (!series)
    return {};
  Operation *op = loop->getPrevNode();
  while (op && isMemoryEffectFree(op) && !isa<scf::ForOp>(op))
    op = op->getPrevNode();
  auto front = dyn_cast_or_null<scf::ForOp>(op);
  bool isFirst = front && hk::kSeriesAttr.getAttr(front) == series;
  return isFirst && front.getUpperBound() == loop.getLowerBound() ? front : scf::ForOp();
}

Value initInFirstLoop(LoopLikeOpInterface loop, BlockArgument variable) {
  Value init = loop.getTiedLoopInit(variable)->get();
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  scf::ForOp first = counted ? continuedLoop(counted) : scf::ForOp();
  if (!first)
    return init;
  if (init.getDefiningOp() != first)
    return {};
  return first.getInitArgs()[cast<OpResult>(init).getResultNumber()];
}

/// Returns 2^`exponent` if the exponent is a constant from 0 to 31; nullopt otherwise.
static std::optional<int64_t> powerOfTwo(Value exponent) {
  std::optional<int64_t> constant = hk::constantOf(exponent);
  return constant && *constant >= 0 && *constant < 32 ? std::optional(int64_t(1) << *constant) : std::nullopt;
}

class RingIndexBuilder {
public:
  explicit RingIndexBuilder(LoopLikeOpInterface loop) : loop(loop) {}
  RingIndex build(Value value);
  RingIndex ofTrips(scf::ForOp counted);

private:
  RingIndex term(Value value);
  RingIndex ofResult(scf::ForOp left, OpResult result);
  RingIndex ofOperation(Operation *op);
  RingIndex ofArgument(BlockArgument argument);
  RingIndex ofInduction(scf::ForOp counted);
  RingIndex ofCarried(BlockArgument variable);
  std::optional<RingIndex> ofRotation(BlockArgument variable);
  RingIndex ofFollower(BlockArgument variable, RingIndex next);
  RingIndex ofRemainder(Operation *op);
  RingIndex ofChoice(Value result, Value condition, Value whenTrue, Value whenFalse);
  RingIndex ofIf(scf::IfOp branch, OpResult result);
  RingIndex ofQuotient(Operation *op, std::optional<int64_t> divisor);
  bool isFixed(Value value);

  LoopLikeOpInterface loop; ///< null for an index that is not in a loop
  /// Loop-carried variables whose linear forms are being derived. If such a variable is reached again, the variable
  /// becomes an unknown term.
  llvm::SmallPtrSet<Value, 2> followed;
  unsigned numFollowed = 0;
  llvm::SmallDenseMap<Value, bool> fixed;
};

/// True if the value is loop-invariant: defined outside of the loop, or computed only from loop-invariant values.
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
  if (std::optional<int64_t> constant = hk::constantOf(value))
    return constantIndex(*constant, &RingIndex::offset);
  // Counters of at least 32 bits are assumed not to overflow; narrower counters may overflow.
  if (auto type = dyn_cast<IntegerType>(value.getType()); type && type.getWidth() < 32)
    return term(value);
  if (++numFollowed > kFollowedValues)
    return term(value);
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return ofIf(branch, cast<OpResult>(value));
  if (auto left = value.getDefiningOp<scf::ForOp>())
    return ofResult(left, cast<OpResult>(value));
  if (Operation *op = value.getDefiningOp())
    return ofOperation(op);
  return ofArgument(cast<BlockArgument>(value));
}

RingIndex RingIndexBuilder::ofArgument(BlockArgument argument) {
  if (!loop)
    return term(argument);
  if (auto counted = dyn_cast<scf::ForOp>(loop.getOperation()); counted && argument == counted.getInductionVar())
    return ofInduction(counted);
  if (auto open = dyn_cast<scf::WhileOp>(loop.getOperation()); open && argument.getOwner() == open.getAfterBody())
    return build(open.getConditionOp().getArgs()[argument.getArgNumber()]);
  bool isCarried = llvm::is_contained(loop.getRegionIterArgs(), argument);
  return isCarried && !followed.contains(argument) ? ofCarried(argument) : term(argument);
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
        std::optional<int64_t> factor = hk::constantOf(op->getOperand(1));
        return factor ? build(op->getOperand(0)) *= *factor : term(op->getResult(0));
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return ofRemainder(op); })
      .Case([&](arith::AndIOp) {
        std::optional<int64_t> mask = hk::constantOf(op->getOperand(1));
        if (!mask || !llvm::isPowerOf2_64(uint64_t(*mask) + 1))
          return term(op->getResult(0));
        RingIndex index = build(op->getOperand(0));
        index.reduceModulo(*mask + 1);
        return index;
      })
      .Case([&](arith::XOrIOp) { // a ^ b and a + b have the same lowest bit
        RingIndex index = combine(1);
        index.reduceModulo(2);
        return index;
      })
      .Case([&](arith::SelectOp select) {
        return ofChoice(select, select.getCondition(), select.getTrueValue(), select.getFalseValue());
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::DivUIOp>(
          [&](auto) { return ofQuotient(op, hk::constantOf(op->getOperand(1))); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return ofQuotient(op, powerOfTwo(op->getOperand(1))); })
      .Case([&](arith::ShLIOp) {
        std::optional<int64_t> factor = powerOfTwo(op->getOperand(1));
        return factor ? build(op->getOperand(0)) *= *factor : term(op->getResult(0));
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>([&](auto) { return build(op->getOperand(0)); })
      .Default([&](Operation *) { return term(op->getResult(0)); });
}

RingIndex RingIndexBuilder::ofRemainder(Operation *op) {
  std::optional<int64_t> divisor = hk::constantOf(op->getOperand(1));
  if (!divisor || *divisor <= 0)
    return term(op->getResult(0));
  RingIndex index = build(op->getOperand(0));
  bool mayBeNegative = index.modulus != 0 || index.offset < 0 || index.step < 0 ||
                       llvm::any_of(index.terms, [](auto &term) { return term.second < 0; });
  // A negative number n, interpreted as an unsigned 32-bit integer, is n + 2^32.
  if (isa<arith::RemUIOp>(op) && mayBeNegative)
    index.reduceModulo(int64_t(1) << 32);
  index.reduceModulo(*divisor);
  return index;
}

RingIndex RingIndexBuilder::ofInduction(scf::ForOp counted) {
  std::optional<int64_t> step = hk::constantOf(counted.getStep());
  if (!step)
    return term(counted.getInductionVar());
  // Relative to `counted`, the lower bound is loop-invariant, even if its linear form is unknown.
  scf::ForOp first = continuedLoop(counted);
  RingIndex index = RingIndexBuilder(counted).build((first ? first : counted).getLowerBound());
  index.step += *step;
  return index;
}

/// Returns the linear form of a loop-carried variable whose value in the next iteration is c * variable + constant.
/// With c = 1, the linear form is exact; with another c, the linear form holds modulo c - 1.
RingIndex RingIndexBuilder::ofCarried(BlockArgument variable) {
  Value init = initInFirstLoop(loop, variable);
  if (!init)
    return term(variable);
  if (std::optional<RingIndex> rotated = ofRotation(variable))
    return *rotated;
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

/// Returns the linear form of a variable that the loop rotates with other variables, as in a, b, c = b, c, a. In
/// iteration k, a has the initial value of the k-th variable. The rotated variable is a counter if these initial values
/// grow by a constant, modulo some number.
std::optional<RingIndex> RingIndexBuilder::ofRotation(BlockArgument variable) {
  SmallVector<int64_t> numbers;
  for (BlockArgument argument : hk::rotatedWith(variable)) {
    Value init = initInFirstLoop(loop, argument);
    std::optional<int64_t> number = init ? hk::constantOf(hk::lookThroughRegions(init)) : std::nullopt;
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.empty())
    return std::nullopt;
  RingIndex index;
  index.offset = numbers[0];
  index.step = numbers[1] - numbers[0];
  for (size_t i = 0; i < numbers.size(); ++i)
    index.reduceModulo(numbers[(i + 1) % numbers.size()] - numbers[i] - index.step);
  return index.modulus == 1 ? std::nullopt : std::optional(index);
}

/// Returns the linear form of a variable that follows a counter: each iteration sets the variable to the value `next`
/// of the counter. The variable must begin one step before the initial value of the counter.
RingIndex RingIndexBuilder::ofFollower(BlockArgument variable, RingIndex next) {
  next.offset -= next.step;
  RingIndex difference = build(initInFirstLoop(loop, variable));
  (difference *= -1) += next;
  // The linear form of the variable holds modulo `difference.modulus`.
  next.modulus = difference.modulus;
  bool isBehind = difference.terms.empty() && !next.varies && next.modulus != 1 &&
                  (next.modulus == 0 ? difference.offset == 0 : difference.offset % next.modulus == 0);
  return isBehind ? next : term(variable);
}

/// Returns the linear form of the result of a selection. If the two values differ by a constant n, as in x >= n ? x - n
/// : x, the result is known modulo n. The result is also known modulo n if a counter restarts at its end, as in x == n
/// ? 0 : x.
RingIndex RingIndexBuilder::ofChoice(Value result, Value condition, Value whenTrue, Value whenFalse) {
  RingIndex index = build(whenTrue), difference = build(whenFalse);
  (difference *= -1) += index;
  if (difference.terms.empty() && difference.step == 0) {
    index.reduceModulo(difference.offset);
    index.reduceModulo(difference.modulus);
    return index;
  }
  std::optional<CounterRestart> counter = CounterRestart::of(condition, whenTrue, whenFalse);
  if (!counter || !counter->isAtEnd())
    return term(result);
  // The value that continues the counter (`otherwise`) differs from the compared value by a constant, such as 1 in x ==
  // n - 1 ? 0 : x + 1.
  index = build(counter->otherwise);
  difference = build(counter->compared);
  (difference *= -1) += index;
  if (!difference.terms.empty() || difference.step != 0)
    return term(result);
  index.reduceModulo(counter->end + difference.offset - counter->restart);
  // The difference is known only modulo `difference.modulus`.
  index.reduceModulo(difference.modulus);
  return index;
}

/// Returns the linear form of a result of an scf.if, which selects one of two yielded values.
RingIndex RingIndexBuilder::ofIf(scf::IfOp branch, OpResult result) {
  unsigned number = result.getResultNumber();
  return ofChoice(result, branch.getCondition(), branch.thenYield().getOperand(number),
                  branch.elseYield().getOperand(number));
}

/// Returns the linear form of a quotient; the form is known if the dividend grows by a multiple of the divisor in each
/// iteration. Dividends are assumed to be non-negative.
RingIndex RingIndexBuilder::ofQuotient(Operation *op, std::optional<int64_t> divisor) {
  Value quotient = op->getResult(0);
  RingIndex index = build(op->getOperand(0));
  if (!divisor || *divisor <= 0 || index.modulus != 0 || !index.terms.empty() || index.step % *divisor != 0 ||
      (index.offset < 0 && index.offset % *divisor != 0))
    return term(quotient);
  index.offset /= *divisor;
  index.step /= *divisor;
  return index;
}

/// Returns the linear form of a result of `left`, another loop: the value of a loop-carried variable after the last
/// iteration.
RingIndex RingIndexBuilder::ofResult(scf::ForOp left, OpResult result) {
  if (loop && !loop.isDefinedOutsideOfLoop(result))
    return term(result);
  RingIndex index = RingIndexBuilder(left).build(left.getRegionIterArg(result.getResultNumber()));
  return index.varies ? term(result) : index.at(ofTrips(left));
}

/// Returns the linear form of the trip count of `counted`. If the trip count is constant or the step is 1, the linear
/// form is computed from the bounds of the loop. For other loops, the linear form is a single term, which represents
/// the unknown trip count. The key of this term in RingIndex::terms is the induction variable.
RingIndex RingIndexBuilder::ofTrips(scf::ForOp counted) {
  scf::ForOp first = continuedLoop(counted);
  RingIndex length = build(counted.getUpperBound()), lower = build((first ? first : counted).getLowerBound());
  length += lower *= -1;
  std::optional<int64_t> step = hk::constantOf(counted.getStep()), number = length.getConstant();
  if (step && *step > 0 && number)
    return RingIndex::ofConstant(std::max<int64_t>(0, llvm::divideCeilSigned(*number, *step)));
  if (step == 1)
    return length;
  RingIndex unknown;
  unknown.terms[counted.getInductionVar()] = 1;
  return unknown;
}

RingIndex RingIndex::ofTrips(scf::ForOp loop) { return RingIndexBuilder({}).ofTrips(loop); }

RingIndex RingIndex::of(Value index, LoopLikeOpInterface loop) { return RingIndexBuilder(loop).build(index); }

} // namespace hocket
