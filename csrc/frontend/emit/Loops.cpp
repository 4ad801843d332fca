//===- Loops.cpp - for, and what loops carry ------------------------------------------------===//
//
// A run-time loop carries the names that its body binds and that had a value before it. Both are known before the body
// is visited, so it is visited once; afterwards the carried values must have kept their types.
//
// `range` with a negative step known at compile time runs forward and counts backward:
//     for i in range(a, b, -s)   =>   scf.for %f = b to a step s { i = a + b - f ... }
// With a step that the kernel learns when it runs, the bounds and i are selected by its sign, and a step of 0 makes no
// iteration (with debug=True it fails an assertion). Steps that are visibly positive cost nothing.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/emit/KernelEmitter.h"
#include "frontend/values/LanguageObjects.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace hocket;
using namespace hocket::frontend;
namespace scf = mlir::scf;
namespace arith = mlir::arith;

/// Iterations in flight, or in one: more would only make the compiler slow.
static constexpr int64_t kMostIterations = 256;

/// Wishes of gl.range; 0 where there is none.
struct KernelEmitter::LoopOptions {
  int32_t numStages = 0;
  int32_t unrollFactor = 0;
};

void KernelEmitter::visitFor(const ast::For &node) {
  if (node.hasElse)
    error("`else` after a loop is not supported in kernels");
  const char *advice = "use range(...) for a loop at run time, gl.static_range(...) to unroll";
  auto *iterable = llvm::dyn_cast<ast::Call>(node.iterable);
  if (!iterable)
    errorAt(rangeOf(*node.iterable), "a loop in a kernel iterates over range or gl.static_range only", {{}, advice});

  Value callee = visit(iterable->callee);
  py::object function = callee.isCompileTime() ? callee.toPython() : py::none();
  std::string builtin = builtinName(function);
  At at(*this, iterable);
  if (function.ptr() == reinterpret_cast<PyObject *>(&PyRange_Type))
    return emitRangeLoop(node, visitArguments(*iterable), {});
  if (builtin == "range") {
    CallArguments arguments = visitArguments(*iterable);
    LoopOptions options = takeLoopOptions(arguments);
    return emitRangeLoop(node, arguments, options);
  }
  if (builtin == "static_range")
    return unroll(node, visitArguments(*iterable));
  error("a loop in a kernel iterates over range or gl.static_range only", advice);
}

/// start, stop and step of range(...) and static_range(...).
static std::array<CallArguments::Positional, 3> rangeBounds(KernelEmitter &e, std::string_view name,
                                                            const CallArguments &arguments) {
  size_t count = arguments.positional.size();
  if (!arguments.keywords.empty())
    e.errorAt(arguments.keywords[0].nameWhere,
              std::string(name) + " takes no argument `" + arguments.keywords[0].name + "`");
  if (count < 1 || count > 3)
    e.error(std::string(name) + " takes 1 to 3 arguments, but " + std::to_string(count) + " are given");
  CallArguments::Positional zero{Value::constant(py::int_(0)), e.here()}, one{Value::constant(py::int_(1)), e.here()};
  const auto &given = arguments.positional;
  if (count == 1)
    return {zero, given[0], one};
  return {given[0], given[1], count == 3 ? given[2] : one};
}

void KernelEmitter::unroll(const ast::For &node, const CallArguments &arguments) {
  auto bounds = rangeBounds(*this, "gl.static_range", arguments);
  int64_t start = requireInt(bounds[0].value, "the start of gl.static_range", bounds[0].where);
  int64_t stop = requireInt(bounds[1].value, "the end of gl.static_range", bounds[1].where);
  int64_t step = requireInt(bounds[2].value, "the step of gl.static_range", bounds[2].where);
  if (step == 0)
    errorAt(bounds[2].where, "the step of gl.static_range is 0", {});
  At at(*this, &node);
  ++frame->loopDepth;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    assign(node.target, Value::constant(py::int_(i)));
    visitBlock(node.body);
  }
  --frame->loopDepth;
}

// Carried values ------------------------------------------------------------------------------------------------------

KernelEmitter::Carried KernelEmitter::carriedInto(ast::List<int> assigned) {
  Carried carried;
  for (int slot : assigned) {
    Variable &variable = frame->variables[slot];
    if (!variable.value)
      continue;
    carried.slots.push_back(slot);
    carried.initial.push_back(decay(variable.value));
    flatten(carried.initial.back(), carried.flat);
  }
  return carried;
}

void KernelEmitter::bindCarried(const Carried &carried, mlir::ValueRange values) {
  for (auto [slot, initial] : llvm::zip(carried.slots, carried.initial)) {
    Variable &variable = frame->variables[slot];
    variable = {unflatten(initial, values), variable.where, ++lastVersion, false, Variable::NotLost};
  }
}

llvm::SmallVector<mlir::Value> KernelEmitter::carriedOut(const Carried &carried, std::string_view keyword,
                                                         const ast::Node &loop) {
  llvm::SmallVector<mlir::Value> flat;
  for (auto [slot, initial] : llvm::zip(carried.slots, carried.initial)) {
    Variable &variable = frame->variables[slot];
    std::string name = "`" + frame->source.tree->locals[slot] + "`";
    if (!variable.value) {
      bool isInnerVariable = variable.lost == Variable::AfterItsLoop;
      errorAt(rangeOf(*variable.where), name + " may have no value in the next iteration of the loop",
              {{},
               isInnerVariable ? "give the variable of this inner loop another name"
                               : "assign it in both branches of the `if`"});
    }
    if (!sameForm(initial, variable.value)) {
      bool areScalars = initial.asRuntime() && initial.asRuntime()->type.isScalar() && variable.value.asRuntime();
      std::string hint = !initial.asRuntime() || !variable.value.asRuntime() ? "use two names"
                         : areScalars ? "give " + name + " its final type before the loop, or use two names"
                                      : "convert the new value, or use two names";
      errorAt(rangeOf(*variable.where),
              name + " changes its type in this iteration of the `" + std::string(keyword) + "` loop of line " +
                  std::to_string(loop.line),
              {describeMismatch("before", initial, "after", variable.value), hint});
    }
    flatten(variable.value, flat);
  }
  return flat;
}

/// Names that a run-time loop binds and that it does not carry have no value behind it.
void KernelEmitter::forgetLoopNames(ast::List<int> assigned, std::vector<Variable> before) {
  std::vector<Variable> after = std::exchange(frame->variables, std::move(before));
  for (int slot : assigned)
    if (!frame->variables[slot].value)
      frame->variables[slot] = {{}, after[slot].where, ++lastVersion, false, Variable::InLoop};
}

// range ---------------------------------------------------------------------------------------------------------------

namespace {
struct RangeBounds {
  Runtime lower, upper, step;
  DType type;
  enum Direction { Up, Down, Unknown } direction;
  mlir::Value isDown = nullptr; ///< i1, where the direction is unknown
};
} // namespace

/// Whether `value` cannot be zero or negative, seen from the operations that make it: numbers of programs, constants
/// and what is made of these.
static bool isPositive(mlir::Value value, int depth = 0) {
  constexpr int kDeepest = 8;
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth > kDeepest)
    return false;
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op)) {
    auto number = llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue());
    return number && number.getValue().isStrictlyPositive();
  }
  if (llvm::isa<hk::NumProgramsOp>(op))
    return true;
  bool keepsSign = llvm::isa<arith::ExtSIOp, arith::ExtUIOp, arith::AddIOp, arith::MulIOp, arith::MinSIOp>(op);
  return keepsSign && llvm::all_of(op->getOperands(), [&](mlir::Value part) { return isPositive(part, depth + 1); });
}

/// Makes `bounds`, which run upwards, run in the direction that the sign of `step` says.
static void turnBySign(KernelEmitter &e, RangeBounds &bounds, const Runtime &step) {
  auto zeroOf = [&](const Runtime &number) { return e.intConstant(0, number.type.dtype()); };
  auto select = [&](mlir::Value condition, const Runtime &a, const Runtime &b) {
    return e.make<arith::SelectOp>(a.type, condition, a.ir, b.ir);
  };
  if (step.type.dtype().isSigned()) {
    Runtime zero = zeroOf(step);
    bounds.direction = RangeBounds::Unknown;
    bounds.isDown = e.create<arith::CmpIOp>(arith::CmpIPredicate::slt, step.ir, zero.ir);
    Runtime lower = select(bounds.isDown, bounds.upper, bounds.lower);
    bounds.upper = select(bounds.isDown, bounds.lower, bounds.upper);
    bounds.lower = lower;
    Runtime size = select(bounds.isDown, e.make<arith::SubIOp>(step.type, zero.ir, step.ir), step);
    bounds.step = castTo(e, size, bounds.type);
  }
  mlir::Value isZero = e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, bounds.step.ir, zeroOf(bounds.step).ir);
  if (e.options.debug) {
    mlir::Value isRight = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, bounds.step.ir, zeroOf(bounds.step).ir);
    e.create<hk::AssertOp>(isRight, "the step of range is 0");
  }
  bounds.upper = select(isZero, bounds.lower, bounds.upper);
}

static RangeBounds emitBounds(KernelEmitter &e, const CallArguments &arguments) {
  auto given = rangeBounds(e, "range", arguments);
  static constexpr const char *names[] = {"the start of range", "the end of range", "the step of range"};
  DType type = DType::Int32;
  auto direction = RangeBounds::Up;
  if (given[2].value.isCompileTime()) {
    int64_t step = e.requireInt(given[2].value, names[2], given[2].where);
    if (step == 0)
      e.errorAt(given[2].where, "the step of range is 0");
    direction = step < 0 ? RangeBounds::Down : RangeBounds::Up;
    given[2].value = Value::constant(py::int_(std::abs(step)));
  }
  std::vector<Runtime> values;
  for (int i = 0; i < 3; ++i) {
    const Runtime *runtime = given[i].value.asRuntime();
    bool isInteger =
        runtime && runtime->type.isScalar() && !runtime->type.isPointer() && runtime->type.dtype().isInteger();
    if (given[i].value.isCompileTime())
      e.requireInt(given[i].value, names[i], given[i].where);
    else if (!isInteger)
      e.errorAt(given[i].where, std::string(names[i]) + " must be an integer, not " + given[i].value.describe());
    values.push_back(e.toRuntime(given[i].value, names[i]));
    DType boundType = values[i].type.dtype();
    type = i == 0 && !boundType.isBool() ? boundType : promoteIntegers(type, boundType);
  }
  RangeBounds bounds{castTo(e, values[0], type), castTo(e, values[1], type), castTo(e, values[2], type), type,
                     direction};
  if (direction == RangeBounds::Down)
    std::swap(bounds.lower, bounds.upper);
  else if (!isPositive(values[2].ir))
    turnBySign(e, bounds, values[2]);
  return bounds;
}

KernelEmitter::LoopOptions KernelEmitter::takeLoopOptions(CallArguments &arguments) {
  LoopOptions options;
  auto take = [&](std::string_view name, int32_t &option) {
    auto found = llvm::find_if(arguments.keywords, [&](auto &keyword) { return keyword.name == name; });
    if (found == arguments.keywords.end())
      return;
    std::string what = "`" + found->name + "` of gl.range";
    int64_t number = found->value.isNone() ? 0 : requireInt(found->value, what, found->where);
    if (!found->value.isNone() && (number < 1 || number > kMostIterations))
      errorAt(found->where,
              what + " must be 1 to " + std::to_string(kMostIterations) + ", but is " + std::to_string(number));
    option = static_cast<int32_t>(number);
    arguments.keywords.erase(found);
  };
  take("num_stages", options.numStages);
  take("loop_unroll_factor", options.unrollFactor);
  return options;
}

/// Says whose stages those in `loop` are, while it is still a loop (see HkAmdDialect.td).
static void markStages(scf::ForOp loop) {
  bool hasStages = false, hasOwn = false;
  loop.getBody()->walk([&](hk_amd::StageBeginOp stage) {
    hasStages = true;
    if (stage->getBlock() != loop.getBody())
      return;
    hasOwn = true;
    stage->setAttr(hk_amd::HkAmdDialect::kInLoopAttr, mlir::UnitAttr::get(stage.getContext()));
  });
  if (hasStages && !hasOwn)
    loop->setAttr(hk_amd::HkAmdDialect::kAroundStagesAttr, mlir::UnitAttr::get(loop.getContext()));
}

void KernelEmitter::emitRangeLoop(const ast::For &node, const CallArguments &arguments, const LoopOptions &options) {
  RangeBounds bounds = emitBounds(*this, arguments);
  At at(*this, &node);
  if (!llvm::isa<ast::Name>(node.target))
    errorAt(rangeOf(*node.target), "range gives one number for each iteration", {{}, "write `for i in range(...)`"});
  int targetSlot = llvm::cast<ast::Name>(node.target)->slot;

  std::vector<int> assigned(node.assigned.begin(), node.assigned.end());
  llvm::erase(assigned, targetSlot);
  Carried carried = carriedInto(assigned);
  std::vector<Variable> before = frame->variables;

  auto loop = create<scf::ForOp>(bounds.lower.ir, bounds.upper.ir, bounds.step.ir, carried.flat);
  if (bounds.type.isUnsigned())
    loop.setUnsignedCmp(true);
  if (options.numStages)
    loop->setAttr(hk::HkDialect::kNumStagesAttr, builder.getI32IntegerAttr(options.numStages));
  if (options.unrollFactor > 1)
    loop->setAttr(hk::HkDialect::kUnrollAttr, builder.getI32IntegerAttr(options.unrollFactor));
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Runtime index{loop.getInductionVar(), bounds.type};
    if (bounds.direction != RangeBounds::Up) {
      Runtime sum = make<arith::AddIOp>(bounds.type, bounds.lower.ir, bounds.upper.ir);
      Runtime backward = make<arith::SubIOp>(bounds.type, sum.ir, index.ir);
      index = bounds.isDown ? make<arith::SelectOp>(bounds.type, bounds.isDown, backward.ir, index.ir) : backward;
    }
    bindCarried(carried, loop.getRegionIterArgs());
    bind(targetSlot, index, *node.target);
    ++frame->loopDepth;
    visitBlock(node.body);
    --frame->loopDepth;
    llvm::SmallVector<mlir::Value> next = carriedOut(carried, "for", node);
    if (!next.empty())
      create<scf::YieldOp>(next);
  }
  markStages(loop);
  forgetLoopNames(assigned, std::move(before));
  frame->variables[targetSlot] = {{}, node.target, ++lastVersion, false, Variable::AfterItsLoop};
  bindCarried(carried, loop.getResults());
}
