//===- BankConflictBuiltins.cpp - bank_conflicts -----------------------------------===//
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/layouts/BankConflicts.h"
#include "frontend/values/LanguageObjects.h"

namespace hocket::frontend {

/// Returns the target called `target`, or the kernel's if it is None.
static const TargetInfo &targetAt(Emitter &e, const Arguments &args, size_t index) {
  if (args[index].isNone())
    return e.target;
  return targetNamed(args.stringAt(e, index));
}

/// Returns a compile-time type; for a value, raises an error with a hint on how to get its type.
static py::object typeAt(Emitter &e, const Arguments &args, size_t index) {
  if (args[index].asRuntime())
    e.errorAt(args.where(index), args.what(index) + " must be a type, but is " + args[index].describe(),
              {{}, "append .type to it"});
  py::object type = args.constexprAt(e, index);
  bool isShared = index == 1;
  const char *wanted = isShared ? "shared_memory_descriptor_type" : "distributed_type";
  if (!py::isinstance(type, languageObject(wanted)))
    e.errorAt(args.where(index),
              args.what(index) + " must be a gl." + std::string(wanted) + ", but is " + args[index].describe(),
              {{}, isShared ? "pass the type of shared memory: smem.type" : "pass the type of a tensor: x.type"});
  return type;
}

/// bank_conflicts(distr_ty, shared_ty, access="load", target=None)
static Value bankConflicts(Emitter &e, Arguments &args) {
  py::object tensor = typeAt(e, args, 0), shared = typeAt(e, args, 1), access = args.constexprAt(e, 2);
  try {
    return Value::constant(py::int_(mostExtra(answer(e.context(), {tensor, shared, access}, targetAt(e, args, 3)))));
  } catch (const BankQuestionError &error) {
    e.errorAt(args.where(error.argument), args.what(error.argument) + ": " + error.what(), {{}, error.hint});
  }
}

std::span<const BuiltinEntry> bankConflictBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"bank_conflicts", bankConflicts}};
  return entries;
}

} // namespace hocket::frontend
