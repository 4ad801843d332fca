//===- WitnessRun.cpp - Searches for executions in which an operation lacks a wait ------------===//
//
// Method: interprets the function many times, each time with different values for arguments and loaded integers.
//         Operations on integers are folded; any other operation with an integer result returns a chosen value. A run
//         stops after a maximum number of operations, so a witness in late iterations is not found.
// Cost:   at most kMostOperations interpreted operations for a function, and only if a need would be an error.
//
//===------------------------------------------------------------------------------===//
#include "transforms/minimize_waits/WitnessRun.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/Predicated.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

using InLoop = GroupsInFlight::InLoop;

/// The values from which runs choose: trip counts of 0, 1 and a few iterations, and sizes of arrays.
static constexpr int64_t kNumbers[] = {2, 3, 1, 0, 5, 4, 8, 100, 1024, 4097};
static constexpr unsigned kUniformRuns = 2 * std::size(kNumbers); ///< number of runs with one value for all integers
static constexpr unsigned kRuns = 160;
static constexpr unsigned kMostOperationsOfRun = 20'000;

namespace {
class Run {
public:
  Run(unsigned number, Operation *start, Operation *op, ArrayRef<InLoop> when)
      : number(number), random(number * 0x9e3779b97f4a7c15ull + 1), start(start), op(op), when(when) {}

  bool reaches(func::FuncOp function);
  unsigned operations() const { return numOperations; }

private:
  /// Identifies an iteration of a loop: the number of the loop's execution, and the number of the iteration in this
  /// execution.
  struct Loop {
    unsigned execution = 0;
    unsigned iteration = 0;
  };
  using Attributes = SmallVector<Attribute, 4>;

  void execute(Block &block);
  void execute(Operation &operation);
  void executeFor(scf::ForOp loop);
  void executeWhile(scf::WhileOp loop);
  void executeIf(scf::IfOp branch);
  void executePartitions(Operation &partitions);
  void compute(Operation &operation);
  /// Called when `op` is executed: ends the search if the access has been started in the iterations that `when`
  /// describes.
  void compare();
  bool isOver() const { return isFound || isStopped; }

  uint64_t draw() {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  }
  Attribute choose(Type type, int64_t factor = 1);
  void bind(ValueRange values, ArrayRef<Attribute> known) {
    for (auto [value, attribute] : llvm::zip(values, known))
      bind(value, attribute);
  }
  void bind(Value value, Attribute known) {
    if (!known)
      known = choose(value.getType());
    if (known)
      values[value] = known;
  }
  Attributes valuesOf(ValueRange operands) const {
    return llvm::map_to_vector<4>(operands, [&](Value value) { return values.lookup(value); });
  }
  /// Returns the value of an integer; stops the run if the value is unknown.
  int64_t numberOf(Value value) {
    auto known = dyn_cast_or_null<IntegerAttr>(values.lookup(value));
    isStopped |= !known;
    if (!known)
      return 0;
    return known.getType().isInteger(1) ? known.getValue().getZExtValue() : known.getValue().getSExtValue();
  }

  unsigned number;
  uint64_t random;
  Operation *start, *op;
  ArrayRef<InLoop> when;
  DenseMap<Value, Attribute> values;
  SmallVector<Loop> loops;
  SmallVector<SmallVector<Loop>> started; ///< for each execution of `start`: the iterations of the loops around `start`
  unsigned numExecutions = 0, numOperations = 0;
  bool isFound = false, isStopped = false;
};
} // namespace

/// Chooses a value of `type`, a multiple of `factor`; null for types other than integers.
Attribute Run::choose(Type type, int64_t factor) {
  if (!type.isIntOrIndex())
    return {};
  bool isUniform = number < kUniformRuns;
  int64_t chosen = kNumbers[isUniform ? number % std::size(kNumbers) : draw() % std::size(kNumbers)] * factor;
  if (type.isInteger(1))
    chosen = isUniform ? number / std::size(kNumbers) : draw() % 2;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, APInt(64, chosen).zextOrTrunc(width));
}

void Run::compare() {
  for (ArrayRef<Loop> earlier : started) {
    bool isSame = true, isBefore = false;
    for (auto [depth, inLoop] : llvm::enumerate(when)) {
      isBefore |= depth >= earlier.size() || earlier[depth].execution != loops[depth].execution;
      unsigned iterations = loops[depth].iteration - (isBefore ? 0 : earlier[depth].iteration);
      iterations = std::min<unsigned>(iterations, GroupsInFlight::kFar);
      isSame &= inLoop == InLoop{isBefore, static_cast<uint8_t>(iterations)};
    }
    isFound |= isSame;
  }
}

void Run::compute(Operation &operation) {
  Attributes operands = valuesOf(operation.getOperands());
  SmallVector<OpFoldResult> folded;
  bool isKnown = llvm::all_of(operands, [](Attribute operand) { return operand != nullptr; });
  if (!isKnown || operation.getNumRegions() || failed(operation.fold(operands, folded)) ||
      folded.size() != operation.getNumResults())
    folded.assign(operation.getNumResults(), Attribute());
  for (auto [result, value] : llvm::zip(operation.getResults(), folded)) {
    auto other = dyn_cast_if_present<Value>(value);
    bind(result, other ? values.lookup(other) : dyn_cast_if_present<Attribute>(value));
  }
}

void Run::executeFor(scf::ForOp loop) {
  int64_t at = numberOf(loop.getLowerBound()), end = numberOf(loop.getUpperBound()), step = numberOf(loop.getStep());
  if (isStopped || step <= 0)
    return;
  Attributes carried = valuesOf(loop.getInits());
  loops.push_back({++numExecutions, 0});
  for (; at < end && !isOver(); at += step, ++loops.back().iteration) {
    bind(loop.getInductionVar(), IntegerAttr::get(loop.getInductionVar().getType(), at));
    bind(loop.getRegionIterArgs(), carried);
    execute(*loop.getBody());
    carried = valuesOf(loop.getYieldedValues());
  }
  loops.pop_back();
  bind(loop.getResults(), carried);
}

void Run::executeWhile(scf::WhileOp loop) {
  Attributes carried = valuesOf(loop.getInits());
  loops.push_back({++numExecutions, 0});
  for (; !isOver(); ++loops.back().iteration) {
    bind(loop.getBeforeArguments(), carried);
    execute(*loop.getBeforeBody());
    Attributes passed = valuesOf(loop.getConditionOp().getArgs());
    if (isOver() || !numberOf(loop.getConditionOp().getCondition())) {
      bind(loop.getResults(), passed);
      break;
    }
    bind(loop.getAfterArguments(), passed);
    execute(*loop.getAfterBody());
    carried = valuesOf(loop.getYieldOp()->getOperands());
  }
  loops.pop_back();
}

void Run::executeIf(scf::IfOp branch) {
  bool holds = numberOf(branch.getCondition()) != 0;
  Region &taken = holds ? branch.getThenRegion() : branch.getElseRegion();
  if (isStopped || taken.empty())
    return;
  execute(taken.front());
  bind(branch.getResults(), valuesOf(taken.front().getTerminator()->getOperands()));
}

/// Executes the partitions one after the other, because the integers that a partition computes do not depend on other
/// partitions.
void Run::executePartitions(Operation &partitions) {
  for (Region &region : partitions.getRegions())
    for (Block &block : region)
      execute(block);
  if (isa<hk::WarpSpecializeOp>(partitions))
    bind(partitions.getResults(), valuesOf(partitions.getRegion(0).front().getTerminator()->getOperands()));
}

void Run::execute(Operation &operation) {
  isStopped |= ++numOperations > kMostOperationsOfRun;
  if (&operation == op)
    compare();
  if (&operation == start) {
    auto predicated = dyn_cast<hk::Predicated>(operation);
    Value predicate = predicated ? predicated.getPredicate() : Value();
    if (!predicate || numberOf(predicate))
      started.push_back(loops);
  }
  if (auto loop = dyn_cast<scf::ForOp>(operation)) {
    executeFor(loop);
  } else if (auto loop = dyn_cast<scf::WhileOp>(operation)) {
    executeWhile(loop);
  } else if (auto branch = dyn_cast<scf::IfOp>(operation)) {
    executeIf(branch);
  } else if (auto worker = dyn_cast<hk::WorkerOp>(operation)) {
    bind(worker.getBody().getArguments(), valuesOf(worker.getCaptures()));
    executePartitions(operation);
  } else if (isa<hk::WarpSpecializeOp>(operation)) {
    executePartitions(operation);
  } else {
    if (auto assumed = dyn_cast<hk::AssumeOp>(operation))
      isStopped |= !numberOf(assumed->getOperand(0));
    compute(operation);
  }
}

void Run::execute(Block &block) {
  for (Operation &operation : block) {
    if (isOver())
      return;
    execute(operation);
  }
}

bool Run::reaches(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    std::optional<int64_t> factor = hk::kDivisibilityAttr.getOfArgument(function, argument.getArgNumber());
    if (Attribute chosen = choose(argument.getType(), factor.value_or(1)))
      values[argument] = chosen;
  }
  execute(function.getBody().front());
  return isFound;
}

bool WitnessRuns::reach(Operation *start, Operation *op, ArrayRef<InLoop> when) {
  for (unsigned number = 0; number < kRuns && operationsLeft > 0; ++number) {
    Run run(number, start, op, when);
    if (run.reaches(function))
      return true;
    operationsLeft -= std::min(operationsLeft, run.operations());
  }
  return false;
}

} // namespace hocket
