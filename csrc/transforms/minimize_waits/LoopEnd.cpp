//===- LoopEnd.cpp - Branches that end a loop -------------------------------------------------------===//
#include "transforms/minimize_waits/LoopEnd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {

/// Appends `condition` to `conditions`. If `condition` is a conjunction, its operands are appended, too.
static void addConjuncts(Value condition, SmallVectorImpl<Value> &conditions) {
  conditions.push_back(condition);
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    for (Value operand : both->getOperands())
      addConjuncts(operand, conditions);
  if (auto select = condition.getDefiningOp<arith::SelectOp>();
      select && matchPattern(select.getFalseValue(), m_Zero()))
    for (Value operand : {select.getCondition(), select.getTrueValue()})
      addConjuncts(operand, conditions);
}

LoopEnd::LoopEnd(scf::WhileOp loop) : body(loop.getAfterBody()) {
  auto carried = dyn_cast<BlockArgument>(loop.getConditionOp().getCondition());
  if (carried && carried.getOwner() == loop.getBeforeBody())
    addConjuncts(loop.getYieldedValues()[carried.getArgNumber()], conditions);
}

/// Returns v if `value` is computed as the negation of v; null otherwise.
static Value negated(Value value) {
  auto exclusive = value.getDefiningOp<arith::XOrIOp>();
  return exclusive && matchPattern(exclusive.getRhs(), m_One()) ? exclusive.getLhs() : Value();
}

/// True if both values compare the same operands, with equal predicates, or with opposite predicates if `isInverted`.
static bool isComparison(Value value, Value other, bool isInverted) {
  auto one = value.getDefiningOp<arith::CmpIOp>(), two = other.getDefiningOp<arith::CmpIOp>();
  if (!one || !two || one.getLhs() != two.getLhs() || one.getRhs() != two.getRhs())
    return false;
  arith::CmpIPredicate wanted = one.getPredicate();
  return two.getPredicate() == (isInverted ? arith::invertPredicate(wanted) : wanted);
}

static bool areOpposite(Value one, Value other) {
  return negated(one) == other || negated(other) == one || isComparison(one, other, /*isInverted=*/true);
}

std::optional<unsigned> LoopEnd::regionThatLeaves(Operation *op) const {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch->getBlock() != body)
    return std::nullopt;
  for (Value condition : conditions) {
    if (areOpposite(condition, branch.getCondition()))
      return 0;
    if (condition == branch.getCondition() || isComparison(condition, branch.getCondition(), /*isInverted=*/false))
      return 1;
  }
  return std::nullopt;
}

bool LoopEnd::endsAtOnce() const {
  return llvm::any_of(conditions, [](Value condition) { return matchPattern(condition, m_Zero()); });
}

} // namespace hocket
