//===- Loops.cpp - Visitors of for and while --------------------------------------------===//
//
// CarriedNames.h defines the names that a run-time loop carries. Ranges.h defines how `range` becomes the bounds of an
// scf.for.
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/Loops.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/emit/Assignment.h"
#include "frontend/emit/BreakingLoops.h"
#include "frontend/emit/CarriedNames.h"
#include "frontend/values/LanguageObjects.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace hocket;
using namespace hocket::frontend;
namespace scf = mlir::scf;

void LoopEmitter::visitBody(ast::List<const ast::Stmt *> body) {
  e.frame->setJump(Jump::Skips, Value::constant(py::bool_(false)));
  visitStatements(body);
}

void LoopEmitter::visitFor(const ast::For &node) {
  if (node.hasElse)
    e.error("`else` after a loop is not supported in kernels");
  auto *iterable = llvm::dyn_cast<ast::Call>(node.iterable);
  if (!iterable)
    return visitSequence(node);

  Value callee = expressions.visit(iterable->callee);
  py::object function = callee.isCompileTime() ? callee.toPython() : py::none();
  std::string builtin = builtinName(function);
  FrameEmitter::At at(e, iterable);
  if (function.ptr() == reinterpret_cast<PyObject *>(&PyRange_Type))
    return visitRange(node, expressions.visitArguments(*iterable), {});
  if (builtin == "range") {
    CallArguments arguments = expressions.visitArguments(*iterable);
    LoopOptions options = takeLoopOptions(arguments);
    return visitRange(node, arguments, options);
  }
  if (builtin == "static_range")
    return unroll(node, expressions.visitArguments(*iterable));
  return visitSequence(node);
}

[[noreturn]] static void raiseTooLarge(FrameEmitter &e, const UnrollEstimate &estimate, uint64_t trips) {
  char operations[32];
  snprintf(operations, sizeof operations, "%.0f", estimate.total());
  e.error("unrolling the " + std::to_string(trips) + " iterations of this loop would make about " + operations +
              " operations, but a loop may make " + std::to_string(Budget::kMaxUnrolled),
          "use `range`, which makes a loop at run time");
}

void LoopEmitter::unroll(const ast::For &node, const CallArguments &arguments) {
  auto bounds = rangeArguments(e, "gl.static_range", arguments);
  int64_t start = e.requireInt(bounds[0].value, "the start of gl.static_range", bounds[0].where);
  int64_t stop = e.requireInt(bounds[1].value, "the end of gl.static_range", bounds[1].where);
  int64_t step = e.requireInt(bounds[2].value, "the step of gl.static_range", bounds[2].where);
  if (step == 0)
    e.errorAt(bounds[2].where, "the step of gl.static_range is 0", {});
  bool hasTrips = step > 0 ? start < stop : start > stop;
  uint64_t distance = step > 0 ? uint64_t(stop) - uint64_t(start) : uint64_t(start) - uint64_t(stop);
  uint64_t stride = step > 0 ? uint64_t(step) : -uint64_t(step);
  uint64_t trips = hasTrips ? (distance - 1) / stride + 1 : 0;
  int64_t i = start;
  emitTrips(node, trips, [&] {
    Value index = Value::constant(py::int_(i));
    llvm::AddOverflow(i, step, i); // only the increment after the last iteration can overflow, and its result is unused
    return index;
  });
}

/// Emits an unrolled loop over a tuple, a list or another iterable that is known at compile time.
void LoopEmitter::visitSequence(const ast::For &node) {
  Value iterable = expressions.visit(node.iterable);
  const Constexpr *constant = iterable.asConstexpr();
  bool isIterable = iterable.asSequence() || (constant && py::isinstance<py::iterable>(constant->object) &&
                                              !py::isinstance<py::str>(constant->object));
  if (!isIterable)
    e.errorAt(e.rangeOf(*node.iterable),
              "a loop in a kernel can iterate over range, gl.static_range, tuples and lists, but not over " +
                  iterable.describe(),
              {{}, "use range(...) for a loop at run time, gl.static_range(...) to unroll"});
  std::vector<Value> elements = expressions.elementsOf(iterable, node.iterable);
  size_t next = 0;
  emitTrips(node, elements.size(), [&] { return elements[next++]; });
}

/// Emits the body of an unrolled loop `trips` times. For each iteration, `nextValue` returns the value of the loop's
/// target.
void LoopEmitter::emitTrips(const ast::For &node, uint64_t trips, llvm::function_ref<Value()> nextValue) {
  UnrollEstimate estimate(e.budget, trips);
  FrameEmitter::At at(e, &node);
  LoopScope scope(e, node, node.jumps.breaks || node.jumps.returns);
  for (uint64_t i = 0; i < trips; ++i) {
    Value value = nextValue();
    unlessBroken(e, [&] {
      assign(e, node.target, value);
      visitBody(node.body);
      return Value::none();
    });
    checkStages(e);
    estimate.finishTrip();
    if (estimate.isTooLarge())
      raiseTooLarge(e, estimate, trips);
    if (e.frame->isKnown(Jump::Breaks, true))
      return;
  }
}

// Loops over range ---------------------------------------------------------------------------------------------------

/// Removes the options of gl.range, such as `num_stages`, from `arguments` and returns them.
LoopEmitter::LoopOptions LoopEmitter::takeLoopOptions(CallArguments &arguments) {
  LoopOptions options;
  auto take = [&](std::string_view name, int32_t &option) {
    auto found = llvm::find_if(arguments.keywords, [&](auto &keyword) { return keyword.name == name; });
    if (found == arguments.keywords.end())
      return;
    std::string what = "`" + found->name + "` of gl.range";
    int64_t number = found->value.isNone() ? 0 : e.requireInt(found->value, what, found->where);
    if (!found->value.isNone() && (number < 1 || number > hk::kMaxIterations))
      e.errorAt(found->where,
                what + " must be 1 to " + std::to_string(hk::kMaxIterations) + ", but is " + std::to_string(number));
    option = static_cast<int32_t>(number);
    arguments.keywords.erase(found);
  };
  take("num_stages", options.numStages);
  take("loop_unroll_factor", options.unrollFactor);
  options.formsStages = takeFormsStages(arguments);
  return options;
}

/// Removes the keyword argument `warp_pipeline` of gl.range from `arguments`. Returns true if the argument is "auto".
bool LoopEmitter::takeFormsStages(CallArguments &arguments) {
  auto found = llvm::find_if(arguments.keywords, [](auto &keyword) { return keyword.name == "warp_pipeline"; });
  if (found == arguments.keywords.end())
    return false;
  const Constexpr *given = found->value.asConstexpr();
  bool isAuto = given && py::isinstance<py::str>(given->object) && py::cast<std::string>(given->object) == "auto";
  if (!isAuto && !found->value.isNone())
    e.errorAt(found->where, "`warp_pipeline` of gl.range must be \"auto\" or None, but is " + found->value.describe(),
              {{}, "\"auto\" lets the compiler form the stages; to write them, use gl.warp_pipeline_stage"});
  arguments.keywords.erase(found);
  return isAuto;
}

/// Sets `in_loop` on the hk.stage_begin operations in the body of `loop`. If a stage is in an inner loop, or no stage
/// is directly in the body, sets kAroundStagesAttr on `loop` instead. The front end sets these attributes, because a
/// later pass removes loops with one iteration.
static void markStages(scf::ForOp loop) {
  llvm::SmallVector<hk::StageBeginOp> own;
  bool isAround = false, hasStages = false;
  loop.getBody()->walk([&](hk::StageBeginOp stage) {
    hasStages = true;
    if (stage->getBlock() == loop.getBody())
      own.push_back(stage);
    isAround |= stage->getParentOfType<mlir::LoopLikeOpInterface>() != loop;
  });
  isAround |= hasStages && own.empty();
  for (hk::StageBeginOp stage : isAround ? llvm::ArrayRef<hk::StageBeginOp>() : own)
    stage.setInLoop(true);
  if (isAround)
    hk::kAroundStagesAttr.set(loop);
}

void LoopEmitter::markCounted(scf::ForOp loop, const RangeBounds &bounds, const LoopOptions &options) {
  if (bounds.type.isUnsigned())
    loop.setUnsignedCmp(true);
  if (options.numStages)
    hk::kNumStagesAttr.set(loop, options.numStages);
  if (options.unrollFactor > 1)
    hk::kUnrollAttr.set(loop, options.unrollFactor);
  markStages(loop);
  if (options.formsStages)
    hk::kAutoStagesAttr.set(loop);
}

void LoopEmitter::visitRange(const ast::For &node, const CallArguments &arguments, const LoopOptions &options) {
  RangeBounds bounds = emitRangeBounds(e, arguments);
  FrameEmitter::At at(e, &node);
  auto *target = llvm::dyn_cast<ast::Name>(node.target);
  if (!target)
    e.errorAt(e.rangeOf(*node.target), "range yields one number for each iteration",
              {{}, "write `for i in range(...)`"});

  if (node.jumps.breaks || node.jumps.returns)
    return visitBreakingRange(node, bounds, options);
  CarriedNames carried(e, node.assigned, target->slot);
  std::vector<Variable> before = e.frame->variables;
  LoopScope scope(e, node, carried);

  Runtime lower = bounds.lower, upper = bounds.upper, step = bounds.step;
  if (bounds.trips) {
    lower = e.intConstant(0, bounds.type);
    upper = *bounds.trips;
    step = e.intConstant(1, bounds.type);
  }
  auto loop = e.create<scf::ForOp>(lower.ir, upper.ir, step.ir, carried.initial());
  {
    mlir::OpBuilder::InsertionGuard guard(e.builder);
    e.builder.setInsertionPointToStart(loop.getBody());
    Runtime index = rangeIndex(e, bounds, loop.getInductionVar());
    carried.bind(loop.getRegionIterArgs());
    e.frame->bind(target->slot, index, target);
    visitBody(node.body);
    llvm::SmallVector<mlir::Value> next = carried.next("for", node);
    if (!next.empty())
      e.create<scf::YieldOp>(next);
  }
  markCounted(loop, bounds, options);
  forgetLoopNames(e, node.assigned, std::move(before));
  e.frame->lose(target->slot, target, Variable::AfterItsLoop);
  carried.bind(loop.getResults());
}

// while ---------------------------------------------------------------------------------------------------------------

/// Returns the value to which `value` folds, such as n for `n * 1`.
static mlir::Value simplified(mlir::Value value) {
  llvm::SmallVector<mlir::OpFoldResult> folded;
  while (mlir::Operation *op = value.getDefiningOp()) {
    folded.clear();
    if (mlir::failed(op->fold(folded)) || folded.empty())
      break;
    auto simpler = llvm::dyn_cast<mlir::Value>(folded[llvm::cast<mlir::OpResult>(value).getResultNumber()]);
    if (!simpler)
      break;
    value = simpler;
  }
  return value;
}

/// True if the condition of `loop` depends neither on memory nor on values that the loop changes, so that the loop
/// never ends.
static bool neverEnds(scf::WhileOp loop) {
  mlir::Block &test = loop.getBefore().front(), &body = loop.getAfter().front();
  scf::ConditionOp condition = loop.getConditionOp();
  auto isKept = [&](mlir::BlockArgument argument) {
    auto next = llvm::dyn_cast<mlir::BlockArgument>(simplified(loop.getYieldOp().getOperand(argument.getArgNumber())));
    return next && next.getOwner() == &body && condition.getArgs()[next.getArgNumber()] == argument;
  };
  llvm::SetVector<mlir::Value> read;
  read.insert(condition.getCondition());
  for (size_t i = 0; i < read.size(); ++i) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(read[i]); argument && argument.getOwner() == &test) {
      if (!isKept(argument))
        return false;
    } else if (mlir::Operation *op = read[i].getDefiningOp(); op && op->getBlock() == &test) {
      if (op->getNumRegions() > 0 || !mlir::isMemoryEffectFree(op))
        return false;
      read.insert(op->operand_begin(), op->operand_end());
    }
  }
  return true;
}

void LoopEmitter::visitWhile(const ast::While &node) {
  if (node.hasElse)
    e.error("`else` after a loop is not supported in kernels");
  if (node.jumps.breaks || node.jumps.returns)
    return visitBreakingWhile(node);
  CarriedNames carried(e, node.assigned);
  LoopScope scope(e, node, carried);
  std::vector<Variable> before = e.frame->variables;
  auto locationsOf = [&](mlir::ValueRange values) { return llvm::SmallVector<mlir::Location>(values.size(), e.loc()); };

  // The condition is emitted first, in a temporary scf.while without results. The condition can bind names with `:=`,
  // so the arguments of the loop body are known only after the condition.
  auto draft = e.create<scf::WhileOp>(mlir::TypeRange(), carried.initial());
  mlir::OpBuilder::InsertionGuard guard(e.builder);
  mlir::Block *test =
      e.builder.createBlock(&draft.getBefore(), {}, carried.initial().getTypes(), locationsOf(carried.initial()));
  carried.bind(test->getArguments());
  std::variant<bool, Runtime> condition = expressions.visitCondition(node.condition, "while");
  if (const bool *known = std::get_if<bool>(&condition)) {
    if (*known)
      e.errorAt(e.rangeOf(*node.condition), "this loop never ends: its condition is true at compile time");
    e.builder.setInsertionPointAfter(draft);
    draft.erase();
    e.frame->variables = std::move(before);
    return;
  }
  CarriedNames forwarded(e, node.assigned);
  carried.next("while", node);
  e.create<scf::ConditionOp>(std::get<Runtime>(condition).ir, forwarded.initial());

  e.builder.setInsertionPoint(draft);
  mlir::TypeRange resultTypes = forwarded.initial().getTypes();
  auto loop = e.create<scf::WhileOp>(resultTypes, carried.initial());
  loop.getBefore().takeBody(draft.getBefore());
  draft.erase();
  mlir::Block *body = e.builder.createBlock(&loop.getAfter(), {}, resultTypes, locationsOf(forwarded.initial()));
  forwarded.bind(body->getArguments());
  visitBody(node.body);
  e.create<scf::YieldOp>(carried.next("while", node));
  if (neverEnds(loop))
    e.errorAt(e.rangeOf(*node.condition),
              "this loop never ends once it begins: nothing that its condition reads changes",
              {{}, "change it in the body; to wait for memory, load in the condition: `while gl.load(flag) == 0`"});

  e.builder.setInsertionPointAfter(loop);
  forgetLoopNames(e, node.assigned, std::move(before));
  forwarded.bind(loop.getResults());
}
