//===- Casts.cpp - Conversions of elements: castTo, and `cast` / `x.to` -----------===//
//
//   float   -> float      truncf or extf; two operations, through float32, for some pairs of types (floatToFloat)
//   float   -> int        rounds towards zero; to bool: x != 0
//   int     -> float      of a signed or unsigned integer, according to the source type
//   int     -> int        truncation, or sign or zero extension, according to the source type; to bool: x != 0
//   pointer -> int        the address as an int64, which is then converted as int -> int
//   int     -> pointer    only `cast`: the integer is first converted to int64
//   pointer -> pointer    only `cast`: changes the element type
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/operators/Casts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Promotion.h"
#include "frontend/values/LanguageObjects.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

template <typename OpTy>
static Runtime convert(Emitter &e, const Runtime &value, ElementType element) {
  ValueType type = value.type.withElement(element);
  return e.make<OpTy>(type, type.toMlir(e.context()), value.ir);
}

/// Returns a constant of the type `type` whose elements are all 0.
static Runtime zeroLike(Emitter &e, const ValueType &type) {
  mlir::Type ir = type.toMlir(e.context());
  return e.make<arith::ConstantOp>(type, e.builder.getZeroAttr(ir));
}

static Runtime isNonZero(Emitter &e, const Runtime &value) {
  ValueType type = value.type.withElement(DType::Int1);
  Runtime zero = zeroLike(e, value.type);
  if (value.type.dtype().isFloat())
    return e.make<arith::CmpFOp>(type, arith::CmpFPredicate::UNE, value.ir, zero.ir);
  return e.make<arith::CmpIOp>(type, arith::CmpIPredicate::ne, value.ir, zero.ir);
}

static Runtime resizeFloat(Emitter &e, const Runtime &value, DType to) {
  return value.type.dtype().bitWidth() < to.bitWidth() ? convert<arith::ExtFOp>(e, value, to)
                                                       : convert<arith::TruncFOp>(e, value, to);
}

static Runtime floatToFloat(Emitter &e, const Runtime &value, DType to) {
  DType from = value.type.dtype();
  // A conversion between two float types of the same width goes through float32, because neither type contains all
  // values of the other. A conversion between float8 and bfloat16 or float64 also goes through float32.
  bool isFloat8 = from.isFloat8() || to.isFloat8();
  DType other = from.isFloat8() ? to : from;
  bool direct = from.bitWidth() != to.bitWidth() && (!isFloat8 || other == DType::Float16 || other == DType::Float32);
  return resizeFloat(e, direct ? value : resizeFloat(e, value, DType::Float32), to);
}

static Runtime intToInt(Emitter &e, const Runtime &value, DType to) {
  DType from = value.type.dtype();
  if (from.bitWidth() == to.bitWidth())
    return Runtime{value.ir, value.type.withElement(to)}; // no operation: MLIR's integers are signless
  if (from.bitWidth() > to.bitWidth())
    return convert<arith::TruncIOp>(e, value, to);
  return from.isSigned() ? convert<arith::ExtSIOp>(e, value, to) : convert<arith::ExtUIOp>(e, value, to);
}

Runtime castTo(Emitter &e, const Runtime &value, DType to) {
  if (value.type.isPointer()) {
    Runtime address = convert<hk::PtrToIntOp>(e, value, DType::Int64);
    if (to.isFloat())
      e.error("cannot convert a pointer to " + std::string(to.name()));
    return castTo(e, address, to);
  }
  DType from = value.type.dtype();
  if (from == to)
    return value;
  if (to.isBool())
    return isNonZero(e, from.isFloat8() ? floatToFloat(e, value, DType::Float32) : value);
  if (from.isFloat() && to.isFloat())
    return floatToFloat(e, value, to);
  if (from.isFloat()) {
    Runtime wide = from.isFloat8() ? floatToFloat(e, value, DType::Float32) : value;
    return to.isSigned() ? convert<arith::FPToSIOp>(e, wide, to) : convert<arith::FPToUIOp>(e, wide, to);
  }
  if (to.isFloat8())
    return castTo(e, castTo(e, value, DType::Float32), to);
  if (to.isFloat())
    return from.isSigned() ? convert<arith::SIToFPOp>(e, value, to) : convert<arith::UIToFPOp>(e, value, to);
  return intToInt(e, value, to);
}

Runtime toCondition(Emitter &e, const Value &value, std::string_view what) {
  Runtime runtime = e.toRuntime(value, what);
  if (!runtime.type.isScalar())
    e.error(std::string(what) + " must be a scalar, but is " + runtime.type.toString(),
            "reduce the tensor to a scalar first, or choose elementwise with gl.where");
  return castTo(e, runtime, DType::Int1);
}

[[noreturn]] static void rejectValue(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Constexpr *constant = args[parameter].asConstexpr();
  bool isOtherNumber = constant && !PyType_Check(constant->object.ptr()) &&
                       py::isinstance(constant->object, py::module_::import("numbers").attr("Number"));
  e.errorAt(
      args.where(parameter),
      args.what(parameter) + " must be a number or a tensor, but is " + args[parameter].describe(),
      {{}, isOtherNumber ? "numbers in kernels are int, float and bool: convert this one before it is passed" : ""});
}

Runtime valueAs(Emitter &e, const Arguments &args, ParameterName parameter, DType type) {
  const Constexpr *constant = args[parameter].asConstexpr();
  if (!constant)
    return castTo(e, tensorOrScalarAt(e, args, parameter), type);
  if (!literalType(constant->object))
    rejectValue(e, args, parameter);
  // A float constant such as 1.5 is truncated in a conversion to an integer type, like a run-time float.
  bool isTruncated = PyFloat_Check(constant->object.ptr()) && type.isInteger() && !type.isBool();
  py::object number = isTruncated ? py::object(py::int_(constant->object)) : constant->object;
  return e.scalarConstant(number, type);
}

Runtime toTensorOrScalar(Emitter &e, const Value &value, std::string_view what) {
  Runtime runtime = e.toRuntime(value, what);
  if (runtime.type.isMemDesc())
    e.error(std::string(what) + " must be a number or a tensor, but it is shared memory",
            "read it first: smem.load(layout)");
  return runtime;
}

Runtime tensorOrScalarAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  const Constexpr *constant = args[parameter].asConstexpr();
  if (constant ? !literalType(constant->object) : !args[parameter].asRuntime())
    rejectValue(e, args, parameter);
  Runtime value = e.toRuntime(args[parameter], args.what(parameter));
  if (value.type.isMemDesc())
    e.errorAt(args.where(parameter), args.what(parameter) + " must be a tensor, but it is shared memory",
              {{}, "read it first: smem.load(layout)"});
  return value;
}

static Runtime castPointer(Emitter &e, const Runtime &value, ElementType to) {
  if (value.type.isPointer())
    return value.type.element == to ? value : convert<hk::PtrCastOp>(e, value, to);
  if (!value.type.dtype().isInteger())
    e.error("cannot convert " + value.type.toString() + " to " + to.toString());
  return convert<hk::IntToPtrOp>(e, castTo(e, value, DType::Int64), to);
}

static Runtime bitcast(Emitter &e, const Runtime &value, ElementType to) {
  if (value.type.isPointer() || to.isPointer)
    return to.isPointer ? castPointer(e, value, to) : castTo(e, value, to.dtype);
  DType from = value.type.dtype();
  if (from == to.dtype)
    return value;
  if (from.bitWidth() != to.dtype.bitWidth())
    e.error("cannot reinterpret the bits of " + std::string(from.name()) + " as " + to.toString(),
            "both must have the same width; without bitcast=True the value is converted");
  if (from.isInteger() && to.dtype.isInteger())
    return intToInt(e, value, to.dtype);
  return convert<arith::BitcastOp>(e, value, to);
}

static Value castBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "input");
  py::object object = args.constexprAt(e, "dtype");
  std::optional<ElementType> to = elementTypeFromPython(object);
  if (!to)
    e.errorAt(args.where("dtype"), args.what("dtype") + " must be a dtype, but is " + args["dtype"].describe(),
              {{}, "use one of hocket.language, such as gl.float32"});
  if (!args["fp_downcast_rounding"].isNone() && args.stringAt(e, "fp_downcast_rounding") != "rtne")
    e.errorAt(args.where("fp_downcast_rounding"),
              "only fp_downcast_rounding=\"rtne\" (to nearest, ties to even) is supported");
  if (args.boolAt(e, "bitcast"))
    return bitcast(e, value, *to);
  return to->isPointer ? castPointer(e, value, *to) : castTo(e, value, to->dtype);
}

std::span<const BuiltinEntry> castBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"cast", castBuiltin, "(input, dtype, fp_downcast_rounding=None, bitcast=False)"}};
  return entries;
}

} // namespace hocket::frontend
