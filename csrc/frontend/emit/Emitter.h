//===- Emitter.h - What the semantics of operators and builtins work with ---------===//
//
// Builds IR at the place of the expression being visited, and stops with a CompileError there. Which expression that
// is, semantics need not know: the visitors of statements and expressions implement this class (FrameEmitter,
// KernelEmitter).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMITTER_H
#define HOCKET_FRONTEND_EMITTER_H

#include "frontend/ast/SourceFile.h"
#include "frontend/values/Value.h"
#include "mlir/IR/Builders.h"
#include "support/CompileError.h"
#include "target/TargetInfo.h"
#include <optional>

namespace hocket::frontend {

/// What the message of a failed `static_assert` begins with.
constexpr llvm::StringLiteral kFailedAssertion = "static assertion failed: ";

/// What stands under an error's source line.
struct ErrorDetails {
  std::vector<Note> notes;
  std::string hint;
};

struct EmitOptions {
  int numWarps = 4;
  int numCtas = 1;                 ///< blocks of a cluster
  bool debug = false;              ///< check device asserts and slots of rings
  bool emulated = false;           ///< check device asserts: they cost nothing that matters
  bool fpFusion = true;            ///< let a * b + c round once
  std::string skipPasses;          ///< code generation passes to leave out, separated by commas
  bool keepWaits = false;          ///< neither remove nor relax waits that the kernel writes
  std::optional<int> maxnreg = {}; ///< registers per lane, at most (NVIDIA)
  int wavesPerEu = 0;              ///< waves that should fit on a SIMD unit, 0 where it does not matter (AMD)
  int numStages = 0;               ///< iterations in flight of loops that copy tiles, 0 where it does not matter

  bool checksAsserts() const { return debug || emulated; }
};

class Emitter {
public:
  Emitter(mlir::MLIRContext *context, const TargetInfo &target, EmitOptions options)
      : builder(context), target(target), options(options) {}
  virtual ~Emitter() = default;

  mlir::OpBuilder builder;
  const TargetInfo &target;
  EmitOptions options;
  /// Of gl.warp_specialize; the name of the worker's function, empty in the default partition and outside.
  bool isInPartition = false;
  std::string worker;
  /// The handles of the named barriers that the kernel has allocated so far.
  std::vector<py::object> namedBarriers;

  mlir::MLIRContext *context() const { return builder.getContext(); }
  /// The location of the current expression, with the calls that led to it.
  virtual mlir::Location loc() = 0;
  /// `e.create<arith::AddIOp>(a, b)`: at the insertion point, with `loc()`.
  template <typename OpTy, typename... Args>
  OpTy create(Args &&...args) {
    return OpTy::create(builder, loc(), std::forward<Args>(args)...);
  }
  /// Wraps the single result of a new operation: `e.make<arith::AddIOp>(type, a, b)`.
  template <typename OpTy, typename... Args>
  Runtime make(ValueType type, Args &&...args) {
    return Runtime{create<OpTy>(std::forward<Args>(args)...)->getResult(0), std::move(type)};
  }

  /// Stops with a CompileError at the current expression, or at `where`.
  [[noreturn]] void error(std::string message, ErrorDetails details = {}) { errorAt(here(), message, details); }
  [[noreturn]] void error(std::string message, std::string hint) { errorAt(here(), message, {{}, hint}); }
  [[noreturn]] virtual void errorAt(SourceRange where, std::string message, ErrorDetails details = {}) = 0;
  /// How the assignment that made a constant a run-time value could keep it known; empty when there is none.
  virtual std::string hintForRuntime(mlir::Value value) = 0;
  /// The range of the current expression.
  virtual SourceRange here() const = 0;
  /// The text of an operand of the current expression, for hints: `gl.max(x, axis=1)`. In parentheses where a subscript
  /// could not follow; empty when the current expression is no binary operator, or spans lines.
  enum class OperandSide : uint8_t { Left, Right };
  virtual std::string operandText(OperandSide side) const { return {}; }

  /// Calls a jit function (emitted in place), a builtin, a bound method or a compile-time Python callable.
  /// The combine function of a reduction: set the insertion point into its region first.
  virtual Value call(const Value &callee, std::vector<Value> arguments) = 0;

  /// A compile-time number or bool as a run-time scalar: int32, uint32, int64 or uint64 by its range, float32, int1.
  /// Run-time values pass. Anything else is an error that names `what`.
  Runtime toRuntime(const Value &value, std::string_view what = "this value");
  /// A constant of a given type (int, bool and float objects): `scalarConstant(0, DType::Int64)`. Checks the range.
  Runtime scalarConstant(py::handle number, DType type);
  Runtime intConstant(int64_t value, DType type = DType::Int32);

  /// The Python object of a value that must be known now; otherwise an error with how to make it so. `what` names it:
  /// "`end` of arange".
  py::object requireConstexpr(const Value &value, std::string_view what, SourceRange where);
  py::object requireConstexpr(const Value &value, std::string_view what) {
    return requireConstexpr(value, what, here());
  }
  int64_t requireInt(const Value &value, std::string_view what, SourceRange where);
  bool requireBool(const Value &value, std::string_view what, SourceRange where);
  std::string requireString(const Value &value, std::string_view what, SourceRange where);
  DType requireDType(const Value &value, std::string_view what, SourceRange where);
  std::vector<int64_t> requireInts(const Value &value, std::string_view what, SourceRange where);
};

/// In a worker's function, for as long as it lives.
class WorkerScope {
public:
  WorkerScope(Emitter &e, std::string_view name, int numWarps)
      : e(e), launchWarps(std::exchange(e.options.numWarps, numWarps)) {
    e.worker = name;
  }
  ~WorkerScope() {
    e.options.numWarps = launchWarps;
    e.worker.clear();
  }

private:
  Emitter &e;
  const int launchWarps;
};

} // namespace hocket::frontend

#endif
