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

static Value where(Emitter &e, Arguments &args) {
  Runtime condition = castTo(e, tensorOrScalarAt(e, args, "condition"), DType::Int1);
  bool samePointers = isPointerLike(args["x"]) && isPointerLike(args["y"]) &&
                      args["x"].asRuntime()->type.element == args["y"].asRuntime()->type.element;
  auto [x, y] = samePointers ? broadcastPair(e, "choose between", *args["x"].asRuntime(), *args["y"].asRuntime())
                             : promoteOperands(e, "choose between", args["x"], args["y"]);
  auto [chosen, wideX] = broadcastPair(e, "choose between", condition, x);
  Runtime wideY = broadcastPair(e, "choose between", chosen, y).second;
  return e.make<arith::SelectOp>(wideX.type, chosen.ir, wideX.ir, wideY.ir);
}

/// Raises an error for an invalid value of a flag, such as propagate_nan in maximum(x, y, propagate_nan). If a user has
/// passed a third value instead of the flag, the hint shows the nested call for three values.
[[noreturn]] static void raiseNoFlag(Emitter &e, const Arguments &args, ParameterName parameter,
                                     const std::string &expected) {
  std::string call = "gl." + std::string(args.function);
  e.errorAt(args.where(parameter),
            args.what(parameter) + " must be " + expected + ", not " + args[parameter].describe(),
            {{}, args.indexOf(parameter) == 2 ? "for three values write " + call + "(" + call + "(x, y), z)" : ""});
}

/// Returns the flag propagate_nan: None and PropagateNan.NONE are false, PropagateNan.ALL is true.
static bool propagatesNan(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isNone())
    return false;
  py::object flag = args[parameter].isCompileTime() ? args[parameter].toPython() : py::none();
  py::object choices = languageObject("PropagateNan");
  if (!py::isinstance(flag, choices))
    raiseNoFlag(e, args, parameter, "gl.PropagateNan.ALL or gl.PropagateNan.NONE");
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

template <bool isMax>
static Value extremumBuiltin(Emitter &e, Arguments &args) {
  auto [x, y] = promoteOperands(e, "compare", args["x"], args["y"]);
  rejectFloat8(e, "compare", x.type.dtype());
  return extremum<isMax>(e, x, y, propagatesNan(e, args, "propagate_nan"));
}

static Value clamp(Emitter &e, Arguments &args) {
  bool propagateNan = propagatesNan(e, args, "propagate_nan");
  auto [x, low] = promoteOperands(e, "clamp", args["x"], args["min"]);
  rejectFloat8(e, "clamp", x.type.dtype());
  Runtime raised = extremum<true>(e, x, low, propagateNan);
  auto [value, high] = promoteOperands(e, "clamp", raised, args["max"]);
  return extremum<false>(e, value, high, propagateNan);
}

/// Implements the builtins add, sub and mul, whose `function` is that of the operators +, - and *.
template <Value (*function)(Emitter &, const Value &, const Value &)>
static Value binaryBuiltin(Emitter &e, Arguments &args) {
  if (const Constexpr *flag = args["sanitize_overflow"].asConstexpr(); !flag || !PyBool_Check(flag->object.ptr()))
    raiseNoFlag(e, args, "sanitize_overflow", "True or False");
  llvm::SaveAndRestore check(e.options.sanitizeOverflow,
                             e.options.sanitizeOverflow && args.boolAt(e, "sanitize_overflow"));
  if (args["x"].isCompileTime() && args["y"].isCompileTime())
    return function(e, tensorOrScalarAt(e, args, "x"), args["y"]);
  return function(e, args["x"], args["y"]);
}

template <bool isAnd>
static Value logicalBuiltin(Emitter &e, Arguments &args) {
  return logicalOp(e, isAnd, args["x"], args["y"]);
}

/// Divides and rounds up; compile-time integers give a compile-time integer.
static Value cdiv(Emitter &e, Arguments &args) {
  if (args["x"].isCompileTime() && args["div"].isCompileTime()) {
    int64_t x = args.intAt(e, "x"), divisor = args.intAt(e, "div");
    if (divisor == 0)
      e.errorAt(args.where("div"), "cdiv by zero");
    return Value::constant(py::int_((x + divisor - 1) / divisor));
  }
  // The dividend is x + (div - 1), not (x + div) - 1, because div - 1 is often a constant.
  Value one = Value::constant(py::int_(1));
  Value below = args["div"].isCompileTime() ? Value::constant(py::int_(args.intAt(e, "div") - 1))
                                            : subtractValues(e, args["div"], one);
  return divideIntegers(e, "cdiv", addValues(e, args["x"], below), args["div"]);
}

std::span<const BuiltinEntry> elementwiseBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"add", binaryBuiltin<addValues>, "(x, y, sanitize_overflow=True)"},
      {"cdiv", cdiv, "(x, div)"},
      {"clamp", clamp, "(x, min, max, propagate_nan=None)"},
      {"logical_and", logicalBuiltin<true>, "(x, y)"},
      {"logical_or", logicalBuiltin<false>, "(x, y)"},
      {"maximum", extremumBuiltin<true>, "(x, y, propagate_nan=None)"},
      {"minimum", extremumBuiltin<false>, "(x, y, propagate_nan=None)"},
      {"mul", binaryBuiltin<multiplyValues>, "(x, y, sanitize_overflow=True)"},
      {"sub", binaryBuiltin<subtractValues>, "(x, y, sanitize_overflow=True)"},
      {"where", where, "(condition, x, y)"},
  };
  return entries;
}

} // namespace hocket::frontend
