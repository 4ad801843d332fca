//===- BankConflictBuiltins.cpp - bank_conflicts -----------------------------------===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/BankConflicts.h"
#include "frontend/values/LanguageObjects.h"

namespace hocket::frontend {

/// Returns the target whose name is argument `parameter`, or the kernel's target if the argument is None.
static const TargetInfo &targetAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isNone())
    return e.target;
  return targetNamed(args.stringAt(e, parameter));
}

/// Returns argument `parameter`, which must be the type of a tensor or of shared memory, such as x.type. For a run-time
/// value such as x, raises an error whose hint is to append .type.
static py::object typeAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].asRuntime())
    e.errorAt(args.where(parameter), args.what(parameter) + " must be a type, but is " + args[parameter].describe(),
              {{}, "append .type to it"});
  py::object type = args.constexprAt(e, parameter);
  bool isShared = parameter == "shared_ty";
  const char *wanted = isShared ? "shared_memory_descriptor_type" : "distributed_type";
  if (!py::isinstance(type, languageObject(wanted)))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a gl." + std::string(wanted) + ", but is " + args[parameter].describe(),
              {{}, isShared ? "pass the type of shared memory: smem.type" : "pass the type of a tensor: x.type"});
  return type;
}

static Value bankConflicts(Emitter &e, Arguments &args) {
  py::object tensor = typeAt(e, args, "distr_ty"), shared = typeAt(e, args, "shared_ty"),
             access = args.constexprAt(e, "access");
  try {
    return Value::constant(
        py::int_(mostExtra(answer(e.context(), {tensor, shared, access}, targetAt(e, args, "target")))));
  } catch (const BankQuestionError &error) {
    static constexpr ParameterName kParameters[] = {"distr_ty", "shared_ty", "access", "target"};
    ParameterName invalid = kParameters[error.argument];
    e.errorAt(args.where(invalid), args.what(invalid) + ": " + error.what(), {{}, error.hint});
  }
}

std::span<const BuiltinEntry> bankConflictBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"bank_conflicts", bankConflicts, "(distr_ty, shared_ty, access='load', target=None)"}};
  return entries;
}

} // namespace hocket::frontend
