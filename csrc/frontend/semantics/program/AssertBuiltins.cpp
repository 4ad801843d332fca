//===- AssertBuiltins.cpp - device_assert, expect_zero ----------------------------===//
//
// StaticBuiltins.cpp defines static_assert.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Comparison.h"
#include "frontend/semantics/operators/Operators.h"

namespace hocket::frontend {

static Value deviceAssert(Emitter &e, Arguments &args) {
  std::string message = args.stringAt(e, "msg");
  Runtime condition = tensorOrScalarAt(e, args, "cond");
  std::optional<Runtime> mask;
  if (!args["mask"].isNone())
    mask = tensorOrScalarAt(e, args, "mask");
  if (!e.options.checksAsserts())
    return Value::none();
  condition = castTo(e, condition, DType::Int1);
  if (mask) {
    // The assertion holds for elements that the mask excludes, so the asserted value is: condition or not mask.
    Value excused = unaryOp(e, UnaryOperator::Not, castTo(e, *mask, DType::Int1));
    condition = *logicalOp(e, /*isAnd=*/false, condition, excused).asRuntime();
  }
  e.create<hk::AssertOp>(condition.ir, message, /*late=*/!e.options.debug);
  return Value::none();
}

static Value expectZero(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "value");
  if (value.type.isPointer())
    e.errorAt(args.where("value"), args.what("value") + " must be numbers, but is " + args["value"].describe());
  Runtime condition = castTo(e, tensorOrScalarAt(e, args, "condition"), DType::Int1);
  if (!e.options.checksAsserts())
    return value;
  Value isZero = compare(e, CompareOperator::Eq, value, Value::constant(py::int_(0)));
  Runtime holds = *logicalOp(e, /*isAnd=*/false, isZero, unaryOp(e, UnaryOperator::Not, condition)).asRuntime();
  e.create<hk::AssertOp>(holds.ir, "expect_zero: a value is not zero where its condition holds",
                         /*late=*/!e.options.debug);
  return value;
}

std::span<const BuiltinEntry> assertBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"device_assert", deviceAssert, "(cond, msg='', mask=None)"},
                                             {"expect_zero", expectZero, "(value, condition)"}};
  return entries;
}

} // namespace hocket::frontend
