//===- StaticBuiltins.cpp - static_assert, static_print: builtins that emit no IR -----===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/values/CompileTime.h"

namespace hocket::frontend {

static Value staticAssert(Emitter &e, Arguments &args) {
  if (!args["cond"].isCompileTime())
    e.errorAt(args.where("cond"), "the condition of gl.static_assert must be known at compile time, but is not",
              {{}, "use `assert` to check at run time"});
  if (isTrue(args["cond"].toPython()))
    return Value::none();
  std::string message = py::str(args.constexprAt(e, "msg")).cast<std::string>();
  e.error(message.empty() ? "static assertion failed" : kFailedAssertion.str() + message);
}

/// Prints while the kernel is compiled; run-time values are printed as their types.
static Value staticPrint(Emitter &e, Arguments &args) {
  py::list shown;
  for (const Value &value : args["values"].parts())
    shown.append(value.isCompileTime() ? value.toPython() : py::object(py::str(value.describe())));
  py::dict options;
  options["sep"] = args.constexprAt(e, "sep");
  options["end"] = args.constexprAt(e, "end");
  py::module_::import("builtins").attr("print")(*shown, **options);
  return Value::none();
}

/// Raises an error for range or static_range outside of a `for` statement. In a `for` statement, range and static_range
/// are evaluated without a call of their builtins.
static Value rangeOutsideFor(Emitter &e, Arguments &args) {
  e.error("gl." + std::string(args.function) + " can only be used in `for x in ...`");
}

std::span<const BuiltinEntry> staticBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"range", rangeOutsideFor,
       "(start, stop=None, step=1, *, num_stages=None, loop_unroll_factor=None, "
       "warp_pipeline=None)"},
      {"static_assert", staticAssert, "(cond, msg='')"},
      {"static_print", staticPrint, "(*values, sep=' ', end='\\n')"},
      {"static_range", rangeOutsideFor, "(start, stop=None, step=1)"},
  };
  return entries;
}

} // namespace hocket::frontend
