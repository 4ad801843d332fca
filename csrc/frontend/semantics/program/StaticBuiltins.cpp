//===- StaticBuiltins.cpp - static_assert, static_print: builtins without IR ----------===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/values/CompileTime.h"

namespace hocket::frontend {

/// static_assert(condition, message="")
static Value staticAssert(Emitter &e, Arguments &args) {
  if (!args[0].isCompileTime())
    e.errorAt(args.where(0), "the condition of gl.static_assert must be known at compile time, but is not",
              {{}, "use `assert` to check at run time"});
  if (isTrue(args[0].toPython()))
    return Value::none();
  std::string message = py::str(args.constexprAt(e, 1)).cast<std::string>();
  e.error(message.empty() ? "static assertion failed" : kFailedAssertion.str() + message);
}

/// static_print(*values, sep=" ", end="\n"): run-time values are printed as their types.
static Value staticPrint(Emitter &e, Arguments &args) {
  py::list shown;
  for (const Value &value : args[0].parts())
    shown.append(value.isCompileTime() ? value.toPython() : py::object(py::str(value.describe())));
  py::dict options;
  options["sep"] = args.constexprAt(e, 1);
  options["end"] = args.constexprAt(e, 2);
  py::module_::import("builtins").attr("print")(*shown, **options);
  return Value::none();
}

/// range, static_range: a loop handles them itself.
static Value rangeOutsideFor(Emitter &e, Arguments &args) {
  e.error("gl." + std::string(args.function) + " can only be used in `for x in ...`");
}

std::span<const BuiltinEntry> staticBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"range", rangeOutsideFor},
      {"static_assert", staticAssert},
      {"static_print", staticPrint},
      {"static_range", rangeOutsideFor},
  };
  return entries;
}

} // namespace hocket::frontend
