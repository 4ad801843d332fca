//===- ProfilerBuiltins.cpp - profiler.scope, mark, begin, end -------------------------===//
//
// Arguments are always checked; records are emitted only if the kernel is profiled. This file emits the record that
// begins a scope; Statements.cpp emits the record that ends the scope.
//
//===------------------------------------------------------------------------------===//
#include "dialect/prof/ProfDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Casts.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket::frontend {

/// True if the kernel is profiled. Raises an error if the call is in a function that is applied to elements, such as
/// the combine function of a reduction, because each warp has its own records.
static bool isProfiled(Emitter &e, const Arguments &args) {
  mlir::Operation *around = e.builder.getInsertionBlock()->getParentOp();
  if (llvm::isa<hk::ElementRegion>(around) || around->getParentOfType<hk::ElementRegion>())
    e.error(std::string(args.function) +
                " cannot be used in a function that is applied to elements, such as that of a reduction",
            "put the call that applies the function into a scope");
  return prof::kConfigAttr.isOn(around->getParentOfType<mlir::ModuleOp>());
}

/// Returns the argument `name`, which must fit into one line of a timeline or trace.
static std::string nameAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  std::string name = args.stringAt(e, parameter);
  auto isControl = [](unsigned char character) { return character < 0x20 || character == 0x7f; };
  if (name.empty() || llvm::any_of(name, isControl))
    e.errorAt(args.where(parameter), args.what(parameter) + " must be one line of text, without control characters");
  return name;
}

/// Returns the argument `payload` as an i32; null for None.
static mlir::Value payloadAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isNone())
    return {};
  Runtime payload = e.toRuntime(args[parameter], args.what(parameter));
  if (!payload.type.isScalar() || payload.type.isPointer() || payload.type.dtype().isFloat())
    e.errorAt(args.where(parameter), args.what(parameter) + " must be an integer, not " + args[parameter].describe(),
              {{}, "the profiler keeps its lowest 20 bits, or 8 with clock=44"});
  return castTo(e, payload, DType::Int32).ir;
}

namespace {
struct When {
  mlir::Value condition; ///< i1 that enables the record at run time; null if the record is unconditional
  bool isNever = false;
};
} // namespace

static When whenAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isCompileTime())
    return {{}, !args.boolAt(e, parameter)};
  return {toCondition(e, args[parameter], args.what(parameter)).ir};
}

static void record(Emitter &e, const Arguments &args, prof::RecordKind kind, prof::SiteKind site) {
  std::string name = nameAt(e, args, "name");
  mlir::Value payload = payloadAt(e, args, "payload");
  When when = whenAt(e, args, "when");
  if (isProfiled(e, args) && !when.isNever)
    e.create<prof::RecordOp>(kind, name, payload, when.condition, site);
}

static Value scope(Emitter &e, Arguments &args) {
  record(e, args, prof::RecordKind::Begin, prof::SiteKind::Scope);
  return Value::none();
}

static Value mark(Emitter &e, Arguments &args) {
  record(e, args, prof::RecordKind::Mark, prof::SiteKind::Mark);
  return Value::none();
}

static Value begin(Emitter &e, Arguments &args) {
  std::string name = nameAt(e, args, "name");
  mlir::Value payload = payloadAt(e, args, "payload");
  When when = whenAt(e, args, "when");
  if (!isProfiled(e, args) || when.isNever)
    return e.intConstant(0);
  return e.make<prof::BeginOp>(DType(DType::Int32), name, payload, when.condition, mlir::IntegerAttr());
}

static Value end(Emitter &e, Arguments &args) {
  const Runtime *token = args["token"].asRuntime();
  if (!token || !token->type.isScalar() || token->type.isPointer() || token->type.dtype() != DType(DType::Int32))
    e.errorAt(args.where("token"),
              args.what("token") + " must be a result of profiler.begin, not " + args["token"].describe(),
              {{}, "before the first interval begins, use gl.profiler.null_token()"});
  if (isProfiled(e, args))
    e.create<prof::EndOp>(token->ir);
  return Value::none();
}

static Value nullToken(Emitter &e, Arguments &) { return e.intConstant(0); }

std::span<const BuiltinEntry> profilerBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"profiler.begin", begin, "(name, payload=None, *, when=True)"}, {"profiler.end", end, "(token)"},
      {"profiler.mark", mark, "(name, payload=None, *, when=True)"},   {"profiler.null_token", nullToken, "()"},
      {"profiler.scope", scope, "(name, payload=None, *, when=True)"},
  };
  return entries;
}

} // namespace hocket::frontend
