//===- Comparison.cpp - Comparisons of run-time values ----------------------------===//
#include "frontend/semantics/operators/Comparison.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Promotion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

/// Returns the predicate of a float comparison. The predicate for != is unordered: the result is true if an operand is
/// NaN. All other predicates are ordered: the result is false if an operand is NaN.
static arith::CmpFPredicate floatPredicate(CompareOperator op) {
  switch (op) {
  case CompareOperator::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOperator::Ne:
    return arith::CmpFPredicate::UNE;
  case CompareOperator::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOperator::Le:
    return arith::CmpFPredicate::OLE;
  case CompareOperator::Gt:
    return arith::CmpFPredicate::OGT;
  case CompareOperator::Ge:
    return arith::CmpFPredicate::OGE;
  default:
    throw InternalError("comparison without semantics");
  }
}

static arith::CmpIPredicate integerPredicate(CompareOperator op, bool isSigned) {
  switch (op) {
  case CompareOperator::Eq:
    return arith::CmpIPredicate::eq;
  case CompareOperator::Ne:
    return arith::CmpIPredicate::ne;
  case CompareOperator::Lt:
    return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case CompareOperator::Le:
    return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case CompareOperator::Gt:
    return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  case CompareOperator::Ge:
    return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  default:
    throw InternalError("comparison without semantics");
  }
}

/// Converts pointers to uint64, for a comparison. Returns other values unchanged.
static Value asAddress(Emitter &e, const Value &value) {
  const Runtime *runtime = value.asRuntime();
  if (!runtime || !runtime->type.isPointer())
    return value;
  return castTo(e, *runtime, DType::UInt64);
}

Value compare(Emitter &e, CompareOperator op, const Value &left, const Value &right) {
  bool isEquality = op == CompareOperator::Eq || op == CompareOperator::Ne;
  if (isEquality && (left.isNone() || right.isNone()))
    return Value::constant(py::bool_(op == CompareOperator::Ne));
  auto [a, b] = promoteOperands(e, "compare", asAddress(e, left), asAddress(e, right));
  // float8 values are compared as float32, which represents them exactly.
  if (a.type.dtype().isFloat8()) {
    a = castTo(e, a, DType::Float32);
    b = castTo(e, b, DType::Float32);
  }
  ValueType type = a.type.withElement(DType::Int1);
  if (a.type.dtype().isFloat())
    return e.make<arith::CmpFOp>(type, floatPredicate(op), a.ir, b.ir);
  return e.make<arith::CmpIOp>(type, integerPredicate(op, a.type.dtype().isSigned()), a.ir, b.ir);
}

} // namespace hocket::frontend
