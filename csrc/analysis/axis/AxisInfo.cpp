//===- AxisInfo.cpp - Propagates axis facts through regions ----------------------------===//
//
// The analysis visits operations in program order. A loop-carried value starts with the facts of its initial value. The
// facts of each yielded value are joined into the facts of the loop-carried variable, and the body is visited again,
// until no fact changes. The iteration ends, because the facts are powers of two that can only become smaller. Most
// loops are visited twice.
//
//===------------------------------------------------------------------------------===//
#include "analysis/axis/AxisInfo.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace hocket {

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  auto shaped = dyn_cast<RankedTensorType>(type);
  info.dims.resize(shaped ? std::max<int64_t>(shaped.getRank(), 1) : 1);
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &other) const {
  AxisInfo result;
  for (auto [a, b] : llvm::zip(dims, other.dims)) {
    AxisFacts facts;
    facts.contiguity = std::min(a.contiguity, b.contiguity);
    facts.constancy = std::min(a.constancy, b.constancy);
    // If the joined contiguity is smaller than the contiguity of `f`, a contiguous group of `f` is split into several
    // groups. The first values of the additional groups are only known to be multiples of the joined contiguity.
    auto divisibility = [&](const AxisFacts &f) {
      return f.contiguity == facts.contiguity ? f.divisibility : std::min(f.divisibility, facts.contiguity);
    };
    facts.divisibility = std::min(divisibility(a), divisibility(b));
    result.dims.push_back(facts);
  }
  if (constant && constant == other.constant)
    result.constant = constant;
  result.nonNegative = nonNegative && other.nonNegative;
  return result;
}

void AxisInfo::print(raw_ostream &os) const {
  auto list = [&](StringRef name, int64_t AxisFacts::*field) {
    os << name << " = [";
    llvm::interleaveComma(dims, os, [&](const AxisFacts &facts) {
      if (facts.*field >= kMaxDivisibility)
        os << "any";
      else
        os << facts.*field;
    });
    os << "]";
  };
  list("contiguity", &AxisFacts::contiguity);
  list(", divisibility", &AxisFacts::divisibility);
  list(", constancy", &AxisFacts::constancy);
  if (constant)
    os << ", constant = " << *constant;
}

/// Returns the integers of the attribute `attr`, one for each dimension. `attr` contains one integer for each
/// dimension, or a single integer for all dimensions.
static SmallVector<int64_t> readHint(Attribute attr, unsigned rank) {
  if (auto single = dyn_cast_or_null<IntegerAttr>(attr))
    return SmallVector<int64_t>(rank, single.getInt());
  SmallVector<int64_t> values;
  if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(attr))
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  else if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  return values.size() == rank ? values : SmallVector<int64_t>();
}

static int64_t powerOfTwoDivisor(int64_t value) { return value == 0 ? kMaxDivisibility : (value & -value); }

static void applyHints(Operation *op, AxisInfo &info) {
  auto apply = [&](StringRef name, int64_t AxisFacts::*field) {
    SmallVector<int64_t> values = readHint(op->getAttr(name), info.rank());
    for (auto [facts, value] : llvm::zip(info.dims, values))
      if (value > 0)
        facts.*field = std::max(facts.*field, powerOfTwoDivisor(value));
  };
  apply(hk::kDivisibilityAttr.getName(), &AxisFacts::divisibility);
  apply(hk::kContiguityAttr.getName(), &AxisFacts::contiguity);
  apply(hk::kConstancyAttr.getName(), &AxisFacts::constancy);
}

AxisInfoAnalysis::AxisInfoAnalysis(Operation *function) {
  if (auto interface = dyn_cast<FunctionOpInterface>(function)) {
    for (BlockArgument argument : interface.getArguments()) {
      AxisInfo info = AxisInfo::unknown(argument.getType());
      if (std::optional<int64_t> divisor = hk::kDivisibilityAttr.getOfArgument(interface, argument.getArgNumber()))
        info.dims[0].divisibility = powerOfTwoDivisor(*divisor);
      set(argument, info);
    }
  }
  for (Region &region : function->getRegions())
    visitRegion(region);
}

AxisInfo AxisInfoAnalysis::get(Value value) const {
  auto found = facts.find(value);
  return found == facts.end() ? AxisInfo::unknown(value.getType()) : found->second;
}

bool AxisInfoAnalysis::joinInto(Value value, const AxisInfo &info) {
  auto [slot, inserted] = facts.try_emplace(value, info);
  if (inserted)
    return true;
  AxisInfo joined = slot->second.join(info);
  if (joined == slot->second)
    return false;
  slot->second = std::move(joined);
  return true;
}

void AxisInfoAnalysis::visitRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      visitOperation(&op);
}

void AxisInfoAnalysis::visitOperation(Operation *op) {
  if (isa<scf::ForOp>(op))
    return visitFor(op);
  if (isa<scf::WhileOp>(op))
    return visitWhile(op);
  if (isa<scf::IfOp>(op))
    return visitIf(op);
  if (isa<hk::WarpSpecializeOp>(op))
    return visitPartitions(op);
  // The regions of other operations, such as reductions, are not visited, because nothing is known about their block
  // arguments.
  SmallVector<AxisInfo, 4> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  for (OpResult result : op->getResults()) {
    AxisInfo info = transferAxisInfo(op, result.getResultNumber(), operands);
    applyHints(op, info);
    set(result, std::move(info));
  }
}

void AxisInfoAnalysis::visitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  AxisInfo induction = AxisInfo::unknown(loop.getInductionVar().getType());
  AxisInfo lower = get(loop.getLowerBound()), step = get(loop.getStep());
  induction.dims[0].divisibility = std::min(lower.dims[0].divisibility, step.dims[0].divisibility);
  induction.nonNegative = lower.nonNegative;
  set(loop.getInductionVar(), induction);

  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, get(init));
  bool changed = true;
  while (changed) {
    visitRegion(loop.getRegion());
    changed = false;
    for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      changed |= joinInto(argument, get(yielded));
  }
  for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    set(result, get(argument));
}

void AxisInfoAnalysis::visitWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  for (auto [argument, init] : llvm::zip(loop.getBeforeArguments(), loop.getInits()))
    set(argument, get(init));
  bool changed = true;
  while (changed) {
    visitRegion(loop.getBefore());
    scf::ConditionOp condition = loop.getConditionOp();
    for (auto [argument, passed] : llvm::zip(loop.getAfterArguments(), condition.getArgs()))
      set(argument, get(passed));
    visitRegion(loop.getAfter());
    changed = false;
    for (auto [argument, yielded] : llvm::zip(loop.getBeforeArguments(), loop.getYieldOp().getResults()))
      changed |= joinInto(argument, get(yielded));
  }
  for (auto [result, passed] : llvm::zip(loop.getResults(), loop.getConditionOp().getArgs()))
    set(result, get(passed));
}

void AxisInfoAnalysis::visitIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  visitRegion(branch.getThenRegion());
  if (branch.getElseRegion().empty())
    return;
  visitRegion(branch.getElseRegion());
  for (auto [result, a, b] :
       llvm::zip(branch.getResults(), branch.thenYield().getResults(), branch.elseYield().getResults()))
    set(result, get(a).join(get(b)));
}

void AxisInfoAnalysis::visitPartitions(Operation *op) {
  auto partitions = cast<hk::WarpSpecializeOp>(op);
  visitRegion(partitions.getBody());
  Operation *yield = partitions.getBody().front().getTerminator();
  for (auto [result, yielded] : llvm::zip_equal(partitions.getResults(), yield->getOperands()))
    set(result, get(yielded));
  for (hk::WorkerOp worker : partitions.getWorkerOps()) {
    for (auto [argument, captured] : llvm::zip_equal(worker.getBody().getArguments(), worker.getCaptures()))
      set(argument, get(captured));
    visitRegion(worker.getBody());
  }
}

AccessShape chooseAccess(const AxisInfo &pointers, const AxisInfo *mask, unsigned elementBits, unsigned maxBits) {
  AccessShape best;
  if (elementBits < 8 || maxBits < elementBits)
    return best;
  for (unsigned dim = 0; dim < pointers.rank(); ++dim) {
    const AxisFacts &facts = pointers.dims[dim];
    int64_t width = std::min<int64_t>(facts.contiguity, maxBits / elementBits);
    width = std::min(width, std::max<int64_t>(facts.divisibility * 8 / elementBits, 1));
    if (mask)
      width = std::min(width, mask->dims[dim].constancy);
    if (width > best.width)
      best = {dim, width};
  }
  return best;
}

} // namespace hocket
