//===- Operators.cpp - Binary, unary and logical operators of run-time values -----===//
#include "frontend/semantics/operators/Operators.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/VendorNames.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Promotion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

/// Raises an error for a shift by a compile-time number that is negative or not less than the width of `type`. Such a
/// shift is a mistake, although its result is defined.
static void checkShiftAmount(Emitter &e, DType type, py::handle amount, bool isLeft) {
  if (PyBool_Check(amount.ptr()))
    return;
  auto bits = amount.cast<int64_t>(); // promoteOperands has checked that the number fits into `type`
  if (bits >= 0 && bits < type.bitWidth())
    return;
  std::string what = "a shift of " + std::string(type.name()) + " by " + std::to_string(bits) + " bits ";
  if (bits < 0)
    e.error(what + "moves every bit out, as any negative number does",
            {{}, "shift the other way: x " + std::string(isLeft ? ">>" : "<<") + " " + std::to_string(-bits)});
  bool isWide = bits < 64;
  e.error(what + "moves every bit out",
          {{},
           isWide ? "convert first: x.to(gl." + std::string(type.isSigned() ? "int64" : "uint64") + ")"
                  : "the number of bits must be less than the width"});
}

static Runtime shift(Emitter &e, bool isLeft, const Value &left, const Value &right) {
  auto [a, b] = promoteOperands(e, "shift", left, right, {.isInteger = true});
  if (const Constexpr *constant = right.asConstexpr())
    checkShiftAmount(e, a.type.dtype(), constant->object, isLeft);
  if (isLeft)
    return e.make<arith::ShLIOp>(a.type, a.ir, b.ir);
  if (a.type.dtype().isSigned())
    return e.make<arith::ShRSIOp>(a.type, a.ir, b.ir);
  return e.make<arith::ShRUIOp>(a.type, a.ir, b.ir);
}

template <typename OpTy>
static Runtime bitwise(Emitter &e, const Value &left, const Value &right) {
  auto [a, b] = promoteOperands(e, "combine the bits of", left, right, {.isInteger = true});
  return e.make<OpTy>(a.type, a.ir, b.ir);
}

Value binaryOp(Emitter &e, BinaryOperator op, const Value &left, const Value &right) {
  switch (op) {
  case BinaryOperator::Add:
    return addValues(e, left, right);
  case BinaryOperator::Sub:
    return subtractValues(e, left, right);
  case BinaryOperator::Mul:
    return multiplyValues(e, left, right);
  case BinaryOperator::Div:
    return divideValues(e, left, right);
  case BinaryOperator::FloorDiv:
    return divideIntegers(e, spelling(op), left, right);
  case BinaryOperator::Mod:
    return remainderOfIntegers(e, spelling(op), left, right);
  case BinaryOperator::Shl:
  case BinaryOperator::Shr:
    return shift(e, op == BinaryOperator::Shl, left, right);
  case BinaryOperator::And:
    return bitwise<arith::AndIOp>(e, left, right);
  case BinaryOperator::Or:
    return bitwise<arith::OrIOp>(e, left, right);
  case BinaryOperator::Xor:
    return bitwise<arith::XOrIOp>(e, left, right);
  case BinaryOperator::Pow:
    e.error("`**` is not supported on run-time values",
            "for x > 0 use gl.exp2(gl.log2(x) * y); powers of two of integers are 1 << y, squares x * x");
  case BinaryOperator::MatMul:
    e.error("`@` is not supported", "call the MMA function of the GPU: " + matrixUnitsOf(e.target));
  }
  throw InternalError("binary operator without semantics");
}

Value unaryOp(Emitter &e, UnaryOperator op, const Value &operand) {
  Runtime value = toTensorOrScalar(e, operand, "the operand of `" + std::string(spelling(op)) + "`");
  if (value.type.isPointer() && op != UnaryOperator::Not)
    e.error("`" + std::string(spelling(op)) + "` is not supported on pointers");
  DType dtype = value.type.dtype();
  switch (op) {
  case UnaryOperator::Plus:
    return value;
  case UnaryOperator::Negate:
    rejectFloat8(e, "negate", dtype);
    if (dtype.isFloat())
      return e.make<arith::NegFOp>(value.type, value.ir);
    return e.make<arith::SubIOp>(value.type, filledLike(e, value.type, 0).ir, value.ir);
  case UnaryOperator::Invert:
    if (dtype.isFloat())
      e.error("`~` needs an integer, but this is " + value.type.toString());
    return e.make<arith::XOrIOp>(value.type, value.ir, filledLike(e, value.type, -1).ir);
  case UnaryOperator::Not: {
    Runtime truth = castTo(e, value, DType::Int1);
    return e.make<arith::XOrIOp>(truth.type, truth.ir, filledLike(e, truth.type, -1).ir);
  }
  }
  throw InternalError("unary operator without semantics");
}

static Runtime asBools(Emitter &e, const Value &value) {
  return castTo(e, toTensorOrScalar(e, value, "an operand of `and` or `or`"), DType::Int1);
}

Value logicalOp(Emitter &e, bool isAnd, const Value &left, const Value &right) {
  auto [a, b] = broadcastPair(e, "combine", asBools(e, left), asBools(e, right));
  if (isAnd)
    return e.make<arith::AndIOp>(a.type, a.ir, b.ir);
  return e.make<arith::OrIOp>(a.type, a.ir, b.ir);
}

} // namespace hocket::frontend
