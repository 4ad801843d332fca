//===- MathBuiltins.cpp - Mathematical functions ----------------------------------===//
//
// Each function becomes one operation of the dialects `math` or `arith`, for the types that Gluon allows.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Promotion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace hocket::frontend {
namespace arith = mlir::arith;
namespace math = mlir::math;

/// Raises an error unless the elements are float32 or float64. Narrower floats are not converted implicitly.
static void requireWideFloat(Emitter &e, const Arguments &args, const ValueType &type) {
  DType dtype = type.dtype();
  if (!type.isPointer() && (dtype == DType::Float32 || dtype == DType::Float64))
    return;
  e.error(std::string(args.function) + " needs float32 or float64, but this is " + type.toString(),
          type.isPointer() ? "read the memory first: gl.load(pointer)" : "convert first: x.to(gl.float32)");
}

template <typename OpTy>
static Value unaryMath(Emitter &e, Arguments &args) {
  Runtime x = tensorOrScalarAt(e, args, "x");
  requireWideFloat(e, args, x.type);
  return e.make<OpTy>(x.type, x.ir);
}

/// Marks the operation that defines `result` as correctly rounded.
static Runtime roundNearest(Runtime result) {
  mlir::Operation *op = result.ir.getDefiningOp();
  hk::kRoundNearestAttr.set(op);
  return result;
}

/// Implements a correctly rounded float32 function, such as sqrt_rn. The function without _rn is faster, but has a
/// larger rounding error.
template <typename OpTy>
static Value roundedMath(Emitter &e, Arguments &args) {
  Runtime x = tensorOrScalarAt(e, args, "x");
  if (x.type.isPointer() || x.type.dtype() != DType::Float32)
    e.error(std::string(args.function) + " needs float32, but this is " + x.type.toString());
  return roundNearest(e.make<OpTy>(x.type, x.ir));
}

static Value exp2(Emitter &e, Arguments &args) {
  Runtime x = tensorOrScalarAt(e, args, "x");
  requireWideFloat(e, args, x.type);
  return e.make<math::Exp2Op>(
      x.type, x.ir, args.boolAt(e, "flush_denormals") ? arith::FastMathFlags::afn : arith::FastMathFlags::none);
}

static Value abs(Emitter &e, Arguments &args) {
  Runtime x = tensorOrScalarAt(e, args, "x");
  if (x.type.isPointer())
    e.error("abs needs numbers, but this is " + x.type.toString());
  DType dtype = x.type.dtype();
  rejectFloat8(e, "take the absolute value of", dtype);
  if (dtype.isFloat())
    return e.make<math::AbsFOp>(x.type, x.ir);
  return dtype.isSigned() ? e.make<math::AbsIOp>(x.type, x.ir) : x;
}

static Value fma(Emitter &e, Arguments &args) {
  // All three operands are converted to their common type. The first two calls of promoteOperands determine the common
  // type. The third call converts x and y to the common type.
  auto [x, y] = promoteOperands(e, "multiply", args["x"], args["y"]);
  auto [product, z] = promoteOperands(e, "add", x, args["z"]);
  auto [wideX, wideY] = promoteOperands(e, "multiply", product, y);
  DType dtype = wideX.type.dtype();
  if (!dtype.isFloat() || dtype.isFloat8())
    e.error("fma needs floats, but these are " + wideX.type.toString(), "for integers write x * y + z");
  return e.make<math::FmaOp>(wideX.type, wideX.ir, wideY.ir, z.ir);
}

static void requireFloats(Emitter &e, const Arguments &args, const Runtime &quotient, std::string_view types) {
  e.error(std::string(args.function) + " needs " + std::string(types) + ", but these are " + quotient.type.toString());
}

/// Divides floats like the operator `/`. If `ieee_rounding` is true, the quotient is correctly rounded.
static Value fdiv(Emitter &e, Arguments &args) {
  bool isRounded = args.boolAt(e, "ieee_rounding");
  auto [x, y] = promoteOperands(e, "divide", args["x"], args["y"]);
  if (!x.type.dtype().isFloat() || x.type.dtype().isFloat8())
    requireFloats(e, args, x, "floats");
  Runtime quotient = e.make<arith::DivFOp>(x.type, x.ir, y.ir);
  return isRounded ? roundNearest(quotient) : quotient;
}

static Value divRn(Emitter &e, Arguments &args) {
  auto [x, y] = promoteOperands(e, "divide", args["x"], args["y"]);
  if (x.type.dtype() != DType::Float32)
    requireFloats(e, args, x, "float32");
  return roundNearest(e.make<arith::DivFOp>(x.type, x.ir, y.ir));
}

static Value umulhi(Emitter &e, Arguments &args) {
  auto [x, y] = promoteOperands(e, "multiply", args["x"], args["y"], {.isInteger = true});
  DType dtype = x.type.dtype();
  if (dtype.bitWidth() < 32)
    e.error("umulhi needs integers of 32 or 64 bits, but these are " + x.type.toString());
  return e.make<hk::MulHiOp>(x.type, x.ir, y.ir);
}

std::span<const BuiltinEntry> mathBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"abs", abs, "(x)"},
      {"ceil", unaryMath<math::CeilOp>, "(x)"},
      {"cos", unaryMath<math::CosOp>, "(x)"},
      {"div_rn", divRn, "(x, y)"},
      {"erf", unaryMath<math::ErfOp>, "(x)"},
      {"exp", unaryMath<math::ExpOp>, "(x)"},
      {"exp2", exp2, "(x, *, flush_denormals=False)"},
      {"fdiv", fdiv, "(x, y, ieee_rounding=False)"},
      {"floor", unaryMath<math::FloorOp>, "(x)"},
      {"fma", fma, "(x, y, z)"},
      {"log", unaryMath<math::LogOp>, "(x)"},
      {"log2", unaryMath<math::Log2Op>, "(x)"},
      {"rsqrt", unaryMath<math::RsqrtOp>, "(x)"},
      {"sin", unaryMath<math::SinOp>, "(x)"},
      {"sqrt", unaryMath<math::SqrtOp>, "(x)"},
      {"sqrt_rn", roundedMath<math::SqrtOp>, "(x)"},
      {"tanh", unaryMath<math::TanhOp>, "(x)"},
      {"umulhi", umulhi, "(x, y)"},
  };
  return entries;
}

} // namespace hocket::frontend
