// static_assert, static_print, static_range, device_assert.
#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/Broadcast.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/Conversions.h"
#include "frontend/semantics/Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

/// static_assert(cond, msg="")
static Value staticAssert(Emitter &e, Arguments &args) {
  py::object condition = args.constexprAt(e, 0);
  int truth = PyObject_IsTrue(condition.ptr());
  if (truth < 0)
    throw py::error_already_set();
  if (!truth) {
    std::string message = args.stringAt(e, 1);
    e.error("static assertion failed" + (message.empty() ? "" : ": " + message));
  }
  return Value::none();
}

/// static_print(*values, sep=" ", end="\n")
static Value staticPrint(Emitter &e, Arguments &args) {
  py::list texts;
  for (const Value &value : args[0].asSequence().value_or(std::vector<Value>()))
    texts.append(value.isCompileTime() ? py::object(py::str(value.toPython())) : py::object(py::str(value.describe())));
  py::print(*py::tuple(texts), py::arg("sep") = args.stringAt(e, 1), py::arg("end") = args.stringAt(e, 2),
            py::arg("flush") = true);
  return Value::none();
}

/// static_range(...) anywhere but in the head of a `for`, which does not evaluate it as a call.
static Value staticRange(Emitter &e, Arguments &) {
  e.error("static_range can only be what a `for` statement iterates over",
          "write `for i in gl.static_range(n):`, or range(n) for a compile-time sequence");
}

/// device_assert(cond, msg="", mask=None)
static Value deviceAssert(Emitter &e, Arguments &args) {
  std::string message = args.stringAt(e, 1);
  if (!e.options.debug)
    return Value::none();
  Runtime condition = castTo(e, tensorOrScalarAt(e, args, 0), DType::Int1);
  if (!args[2].isNone()) {
    // What is masked off passes: condition or not mask.
    Value excused = unaryOp(e, UnaryOperator::Not, castTo(e, tensorOrScalarAt(e, args, 2), DType::Int1));
    condition = *logicalOp(e, /*isAnd=*/false, condition, excused).asRuntime();
  }
  e.create<hk::AssertOp>(condition.ir, message);
  return Value::none();
}

std::span<const BuiltinEntry> checkBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"device_assert", deviceAssert},
      {"static_assert", staticAssert},
      {"static_print", staticPrint},
      {"static_range", staticRange},
  };
  return entries;
}

} // namespace hocket::frontend
