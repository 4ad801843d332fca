//===- CounterRestart.cpp - Recognizes counters that wrap around at their end ------===//
#include "analysis/memory/CounterRestart.h"

#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

namespace {
/// A value, expressed as `base` plus the constant `offset`.
struct Shifted {
  Value base;
  int64_t offset = 0;
};
} // namespace

static Shifted shiftOf(Value value) {
  Shifted shifted{hk::lookThroughRegions(value), 0};
  for (;;) {
    Operation *op = shifted.base.getDefiningOp();
    std::optional<int64_t> added =
        isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) ? hk::constantOf(op->getOperand(1)) : std::nullopt;
    if (!added)
      return shifted;
    shifted.offset += isa<arith::SubIOp>(op) ? -*added : *added;
    shifted.base = hk::lookThroughRegions(op->getOperand(0));
  }
}

std::optional<CounterRestart> CounterRestart::of(Value condition, Value whenTrue, Value whenFalse) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  std::optional<int64_t> number = compare ? hk::constantOf(compare.getRhs()) : std::nullopt;
  std::optional<int64_t> first = hk::constantOf(whenTrue), second = hk::constantOf(whenFalse);
  if (!number || (!first && !second))
    return std::nullopt;
  arith::CmpIPredicate predicate = first ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
  CounterRestart found{compare.getLhs(), first ? whenFalse : whenTrue, first ? *first : *second, *number, 0};
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return found;
  case arith::CmpIPredicate::sgt:
    ++found.end;
    [[fallthrough]];
  case arith::CmpIPredicate::sge:
    found.direction = 1;
    return found;
  case arith::CmpIPredicate::slt:
    --found.end;
    [[fallthrough]];
  case arith::CmpIPredicate::sle:
    found.direction = -1;
    return found;
  default:
    return std::nullopt;
  }
}

std::optional<CounterRestart> CounterRestart::of(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return of(select.getCondition(), select.getTrueValue(), select.getFalseValue());
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch)
    return std::nullopt;
  unsigned number = cast<OpResult>(value).getResultNumber();
  return of(branch.getCondition(), branch.thenYield().getOperand(number), branch.elseYield().getOperand(number));
}

/// Returns an upper bound (direction 1) or a lower bound (direction -1) of the result of a selection.
static std::optional<int64_t> boundOf(const CounterRestart &choice, int direction) {
  Shifted compared = shiftOf(choice.compared), otherwise = shiftOf(choice.otherwise);
  if (choice.direction != direction || compared.base != otherwise.base)
    return std::nullopt;
  int64_t last = choice.end - direction + otherwise.offset - compared.offset;
  return direction > 0 ? std::max(choice.restart, last) : std::min(choice.restart, last);
}

/// Returns an upper bound (direction 1) or a lower bound (direction -1) of `value`. For a loop-carried value, the bound
/// holds in all iterations.
static std::optional<int64_t> boundOf(Value value, int direction) {
  llvm::SmallSetVector<Value, 8> sources;
  std::optional<int64_t> bound;
  sources.insert(value);
  for (size_t i = 0; i < sources.size(); ++i) {
    Value source = hk::lookThroughRegions(sources[i]);
    auto loop = source.getDefiningOp<scf::ForOp>();
    std::optional<unsigned> carried;
    if (loop)
      carried = cast<OpResult>(source).getResultNumber();
    else if (auto argument = dyn_cast<BlockArgument>(source); argument && argument.getArgNumber() > 0)
      if ((loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())))
        carried = argument.getArgNumber() - 1;
    if (carried) {
      sources.insert(loop.getInitArgs()[*carried]);
      sources.insert(loop.getYieldedValues()[*carried]);
      continue;
    }
    std::optional<int64_t> own = hk::constantOf(source);
    if (!own)
      if (std::optional<CounterRestart> choice = CounterRestart::of(source))
        own = boundOf(*choice, direction);
    if (!own)
      return std::nullopt;
    bound = bound ? (direction > 0 ? std::max(*bound, *own) : std::min(*bound, *own)) : *own;
  }
  return bound;
}

bool CounterRestart::isAtEnd() const {
  if (direction == 0)
    return true;
  Shifted counter = shiftOf(compared);
  std::optional<int64_t> bound = boundOf(counter.base, direction);
  return bound && direction * (*bound + counter.offset) <= direction * end;
}

} // namespace hocket
