//===- AssertBuiltins.cpp - device_assert -----------------------------------------===//
//
// The checks of compile-time values are in PythonBuiltins.cpp.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Operators.h"

namespace hocket::frontend {

/// device_assert(cond, msg="", mask=None)
static Value deviceAssert(Emitter &e, Arguments &args) {
  std::string message = args.stringAt(e, 1);
  if (!e.options.checksAsserts())
    return Value::none();
  Runtime condition = castTo(e, tensorOrScalarAt(e, args, 0), DType::Int1);
  if (!args[2].isNone()) {
    // What is masked off passes: condition or not mask.
    Value excused = unaryOp(e, UnaryOperator::Not, castTo(e, tensorOrScalarAt(e, args, 2), DType::Int1));
    condition = *logicalOp(e, /*isAnd=*/false, condition, excused).asRuntime();
  }
  e.create<hk::AssertOp>(condition.ir, message, /*late=*/!e.options.debug);
  return Value::none();
}

std::span<const BuiltinEntry> assertBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"device_assert", deviceAssert}};
  return entries;
}

} // namespace hocket::frontend
