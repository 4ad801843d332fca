//===- Ranges.cpp - Loop bounds from the arguments of range --------------------------===//
#include "frontend/emit/Ranges.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/ForeignNames.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Promotion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace hocket;
using namespace hocket::frontend;
namespace arith = mlir::arith;

std::array<CallArguments::Positional, 3> hocket::frontend::rangeArguments(Emitter &e, std::string_view name,
                                                                          const CallArguments &arguments) {
  size_t count = arguments.positional.size();
  if (!arguments.keywords.empty())
    e.errorAt(arguments.keywords[0].nameWhere,
              std::string(name) + " takes no argument `" + arguments.keywords[0].name + "`",
              {{}, hintForKeyword(arguments.keywords[0].name)});
  if (count < 1 || count > 3)
    e.error(std::string(name) + " takes 1 to 3 arguments, but " + std::to_string(count) + " are given");
  CallArguments::Positional zero{Value::constant(py::int_(0)), e.here()}, one{Value::constant(py::int_(1)), e.here()};
  const auto &given = arguments.positional;
  if (count == 1)
    return {zero, given[0], one};
  return {given[0], given[1], count == 3 ? given[2] : one};
}

/// True if the operations that define `value` prove that it is positive: hk.num_programs, positive constants, and sums,
/// products, minima and extensions of these.
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

/// Changes the ascending bounds `bounds` for the run-time value `step`: the loop descends if `step` is negative, and
/// has no iterations if `step` is 0.
static void turnBySign(Emitter &e, RangeBounds &bounds, const Runtime &step) {
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
    e.create<hk::AssertOp>(isRight, "the step of range is 0", /*late=*/false);
  }
  bounds.upper = select(isZero, bounds.lower, bounds.upper);
}

/// Makes the loop count its iterations from 0 if the distance between its compile-time bounds does not fit into a
/// signed number of the loop's type. MLIR would treat such a loop as empty.
static void countTrips(Emitter &e, RangeBounds &bounds) {
  llvm::APInt lower, upper, step;
  bool isKnown = mlir::matchPattern(bounds.lower.ir, mlir::m_ConstantInt(&lower)) &&
                 mlir::matchPattern(bounds.upper.ir, mlir::m_ConstantInt(&upper)) &&
                 mlir::matchPattern(bounds.step.ir, mlir::m_ConstantInt(&step));
  if (!isKnown || bounds.type.isUnsigned() || lower.sge(upper) || (upper - lower).isStrictlyPositive())
    return;
  llvm::APInt trips = (upper - lower - 1).udiv(step) + 1;
  if (!trips.isStrictlyPositive())
    e.error("this range has more iterations than " + std::to_string(lower.getBitWidth()) + " bits can count",
            "use a larger step, or two loops");
  bounds.trips = e.intConstant(trips.getSExtValue(), bounds.type);
}

RangeBounds hocket::frontend::emitRangeBounds(Emitter &e, const CallArguments &arguments) {
  auto given = rangeArguments(e, "range", arguments);
  static constexpr const char *names[] = {"the start of range", "the end of range", "the step of range"};
  DType type = DType::Int32;
  auto direction = RangeBounds::Up;
  int64_t step = 1;
  if (given[2].value.isCompileTime()) {
    step = e.requireInt(given[2].value, names[2], given[2].where);
    if (step == 0)
      e.errorAt(given[2].where, "the step of range is 0");
    direction = step < 0 ? RangeBounds::Down : RangeBounds::Up;
  }
  std::vector<Runtime> values;
  for (int i = 0; i < 3; ++i) {
    const Runtime *runtime = given[i].value.asRuntime();
    bool isInteger =
        runtime && runtime->type.isScalar() && !runtime->type.isPointer() && runtime->type.dtype().isInteger();
    if (given[i].value.isCompileTime())
      e.requireInt(given[i].value, names[i], given[i].where);
    else if (!isInteger)
      e.errorAt(given[i].where, std::string(names[i]) + " must be an integer, not " + given[i].value.describe(),
                {{}, runtime && runtime->type.isScalar() ? "`//` divides integers; x.to(gl.int32) converts" : ""});
    values.push_back(e.toRuntime(given[i].value, names[i]));
    DType boundType = values[i].type.dtype();
    type = i == 0 && !boundType.isBool() ? boundType : promoteIntegers(type, boundType);
  }
  RangeBounds bounds{castTo(e, values[0], type), castTo(e, values[1], type), castTo(e, values[2], type), type,
                     direction};
  if (direction == RangeBounds::Down) {
    std::swap(bounds.lower, bounds.upper);
    // Negating the smallest signed number gives the number itself. The loop interprets its step as unsigned, so this
    // number is the right step.
    bounds.step = e.intConstant(llvm::SignExtend64(-uint64_t(step), type.bitWidth()), type);
  } else if (!isPositive(values[2].ir)) {
    turnBySign(e, bounds, values[2]);
  }
  countTrips(e, bounds);
  return bounds;
}

Runtime hocket::frontend::rangeIndex(Emitter &e, const RangeBounds &bounds, mlir::Value induction) {
  Runtime index{induction, bounds.type};
  if (bounds.trips) {
    Runtime distance = e.make<arith::MulIOp>(bounds.type, index.ir, bounds.step.ir);
    index = e.make<arith::AddIOp>(bounds.type, bounds.lower.ir, distance.ir);
  }
  if (bounds.direction == RangeBounds::Up)
    return index;
  Runtime sum = e.make<arith::AddIOp>(bounds.type, bounds.lower.ir, bounds.upper.ir);
  Runtime backward = e.make<arith::SubIOp>(bounds.type, sum.ir, index.ir);
  return bounds.isDown ? e.make<arith::SelectOp>(bounds.type, bounds.isDown, backward.ir, index.ir) : backward;
}
