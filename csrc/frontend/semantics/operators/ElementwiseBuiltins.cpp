//===- ElementwiseBuiltins.cpp - where, maximum, minimum, clamp, add, sub, mul, logical_and, logical_or, cdiv -===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Operators.h"
#include "frontend/semantics/operators/Promotion.h"
#include "frontend/values/LanguageObjects.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/SaveAndRestore.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

static bool isPointerLike(const Value &value) { return value.asRuntime() && value.asRuntime()->type.isPointer(); }

/// where(condition, x, y)
static Value where(Emitter &e, Arguments &args) {
  Runtime condition = castTo(e, tensorOrScalarAt(e, args, 0), DType::Int1);
  bool samePointers = isPointerLike(args[1]) && isPointerLike(args[2]) &&
                      args[1].asRuntime()->type.element == args[2].asRuntime()->type.element;
  auto [x, y] = samePointers ? broadcastPair(e, "choose between", *args[1].asRuntime(), *args[2].asRuntime())
                             : promoteOperands(e, "choose between", args[1], args[2]);
  auto [chosen, wideX] = broadcastPair(e, "choose between", condition, x);
  Runtime wideY = broadcastPair(e, "choose between", chosen, y).second;
  return e.make<arith::SelectOp>(wideX.type, chosen.ir, wideX.ir, wideY.ir);
}

/// Raises an error for a third value given to a function of two: it would be the flag.
[[noreturn]] static void raiseNoFlag(Emitter &e, const Arguments &args, size_t index, const std::string &expected) {
  std::string call = "gl." + std::string(args.function);
  e.errorAt(args.where(index), args.what(index) + " must be " + expected + ", not " + args[index].describe(),
            {{}, index == 2 ? "for three values write " + call + "(" + call + "(x, y), z)" : ""});
}

/// Returns the value of the flag: None and PropagateNan.NONE are false, PropagateNan.ALL is true.
static bool propagatesNan(Emitter &e, const Arguments &args, size_t index) {
  if (args[index].isNone())
    return false;
  py::object flag = args[index].isCompileTime() ? args[index].toPython() : py::none();
  py::object choices = languageObject("PropagateNan");
  if (!py::isinstance(flag, choices))
    raiseNoFlag(e, args, index, "gl.PropagateNan.ALL or gl.PropagateNan.NONE");
  return flag.is(choices.attr("ALL"));
}

template <bool isMax>
static Runtime extremum(Emitter &e, const Runtime &x, const Runtime &y, bool propagateNan) {
  DType type = x.type.dtype();
  if (!type.isFloat()) {
    if (type.isSigned())
      return isMax ? e.make<arith::MaxSIOp>(x.type, x.ir, y.ir) : e.make<arith::MinSIOp>(x.type, x.ir, y.ir);
    return isMax ? e.make<arith::MaxUIOp>(x.type, x.ir, y.ir) : e.make<arith::MinUIOp>(x.type, x.ir, y.ir);
  }
  if (propagateNan)
    return isMax ? e.make<arith::MaximumFOp>(x.type, x.ir, y.ir) : e.make<arith::MinimumFOp>(x.type, x.ir, y.ir);
  return isMax ? e.make<arith::MaxNumFOp>(x.type, x.ir, y.ir) : e.make<arith::MinNumFOp>(x.type, x.ir, y.ir);
}

/// maximum(x, y, propagate_nan=None), minimum(x, y, propagate_nan=None)
template <bool isMax>
static Value extremumBuiltin(Emitter &e, Arguments &args) {
  auto [x, y] = promoteOperands(e, "compare", args[0], args[1]);
  rejectFloat8(e, "compare", x.type.dtype());
  return extremum<isMax>(e, x, y, propagatesNan(e, args, 2));
}

/// clamp(x, min, max, propagate_nan=None)
static Value clamp(Emitter &e, Arguments &args) {
  bool propagateNan = propagatesNan(e, args, 3);
  auto [x, low] = promoteOperands(e, "clamp", args[0], args[1]);
  rejectFloat8(e, "clamp", x.type.dtype());
  Runtime raised = extremum<true>(e, x, low, propagateNan);
  auto [value, high] = promoteOperands(e, "clamp", raised, args[2]);
  return extremum<false>(e, value, high, propagateNan);
}

/// add(x, y, sanitize_overflow=True), and sub and mul
template <Value (*function)(Emitter &, const Value &, const Value &)>
static Value binaryBuiltin(Emitter &e, Arguments &args) {
  if (const Constexpr *flag = args[2].asConstexpr(); !flag || !PyBool_Check(flag->object.ptr()))
    raiseNoFlag(e, args, 2, "True or False");
  llvm::SaveAndRestore check(e.options.sanitizeOverflow, e.options.sanitizeOverflow && args.boolAt(e, 2));
  if (args[0].isCompileTime() && args[1].isCompileTime())
    return function(e, tensorOrScalarAt(e, args, 0), args[1]);
  return function(e, args[0], args[1]);
}

template <bool isAnd>
static Value logicalBuiltin(Emitter &e, Arguments &args) {
  return logicalOp(e, isAnd, args[0], args[1]);
}

/// cdiv(x, div): compile-time integers give a compile-time integer.
static Value cdiv(Emitter &e, Arguments &args) {
  if (args[0].isCompileTime() && args[1].isCompileTime()) {
    int64_t x = args.intAt(e, 0), divisor = args.intAt(e, 1);
    if (divisor == 0)
      e.errorAt(args.where(1), "cdiv by zero");
    return Value::constant(py::int_((x + divisor - 1) / divisor));
  }
  // x + (div - 1), with div - 1 computed first, because it is often a constant.
  Value one = Value::constant(py::int_(1));
  Value below =
      args[1].isCompileTime() ? Value::constant(py::int_(args.intAt(e, 1) - 1)) : subtractValues(e, args[1], one);
  return divideIntegers(e, "cdiv", addValues(e, args[0], below), args[1]);
}

std::span<const BuiltinEntry> elementwiseBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"add", binaryBuiltin<addValues>},
      {"cdiv", cdiv},
      {"clamp", clamp},
      {"logical_and", logicalBuiltin<true>},
      {"logical_or", logicalBuiltin<false>},
      {"maximum", extremumBuiltin<true>},
      {"minimum", extremumBuiltin<false>},
      {"mul", binaryBuiltin<multiplyValues>},
      {"sub", binaryBuiltin<subtractValues>},
      {"where", where},
  };
  return entries;
}

} // namespace hocket::frontend
