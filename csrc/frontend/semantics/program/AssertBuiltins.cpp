//===- AssertBuiltins.cpp - device_assert, expect_zero ----------------------------===//
//
// Checks of compile-time values are in PythonBuiltins.cpp.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Comparison.h"
#include "frontend/semantics/operators/Operators.h"

namespace hocket::frontend {

/// device_assert(cond, msg="", mask=None)
static Value deviceAssert(Emitter &e, Arguments &args) {
  std::string message = args.stringAt(e, 1);
  Runtime condition = tensorOrScalarAt(e, args, 0);
  std::optional<Runtime> mask;
  if (!args[2].isNone())
    mask = tensorOrScalarAt(e, args, 2);
  if (!e.options.checksAsserts())
    return Value::none();
  condition = castTo(e, condition, DType::Int1);
  if (mask) {
    // Masked elements pass: condition or not mask.
    Value excused = unaryOp(e, UnaryOperator::Not, castTo(e, *mask, DType::Int1));
    condition = *logicalOp(e, /*isAnd=*/false, condition, excused).asRuntime();
  }
  e.create<hk::AssertOp>(condition.ir, message, /*late=*/!e.options.debug);
  return Value::none();
}

/// expect_zero(value, condition)
static Value expectZero(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  if (value.type.isPointer())
    e.errorAt(args.where(0), args.what(0) + " must be numbers, but is " + args[0].describe());
  Runtime condition = castTo(e, tensorOrScalarAt(e, args, 1), DType::Int1);
  if (!e.options.checksAsserts())
    return value;
  Value isZero = compare(e, CompareOperator::Eq, value, Value::constant(py::int_(0)));
  Runtime holds = *logicalOp(e, /*isAnd=*/false, isZero, unaryOp(e, UnaryOperator::Not, condition)).asRuntime();
  e.create<hk::AssertOp>(holds.ir, "expect_zero: a value is not zero where its condition holds",
                         /*late=*/!e.options.debug);
  return value;
}

std::span<const BuiltinEntry> assertBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"device_assert", deviceAssert}, {"expect_zero", expectZero}};
  return entries;
}

} // namespace hocket::frontend
