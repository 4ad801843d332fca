//===- Emitter.h - Interface of the emitter for the semantics of operators and builtins -===//
//
// The Emitter builds IR for the expression being visited, and raises CompileErrors at the expression's location. The
// code for operators and builtins calls only this interface. FrameEmitter and KernelEmitter, which visit the statements
// and expressions of a kernel, implement the interface.
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

/// Prefix of the message of a failed `static_assert`.
constexpr llvm::StringLiteral kFailedAssertion = "static assertion failed: ";

/// Notes and a hint, which an error message shows below the source line.
struct ErrorDetails {
  std::vector<Note> notes;
  std::string hint;
};

struct EmitOptions {
  int numWarps = 4;
#define OPTION(type, member, value, name, attribute) type member = value;
#include "frontend/semantics/EmitOptions.def"
  bool emulated = false; ///< true for the emulator, which checks device asserts also without `debug`

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
  /// `isInPartition` is true while a function passed to gl.warp_specialize is emitted. `worker` is the name of the
  /// worker's function; `worker` is empty in the default partition and outside of gl.warp_specialize.
  bool isInPartition = false;
  std::string worker;
  /// Handles of the named barriers that the kernel has allocated so far.
  std::vector<py::object> namedBarriers;

  mlir::MLIRContext *context() const { return builder.getContext(); }
  /// Returns the MLIR location of the current expression, including the call sites of the jit functions that contain
  /// it.
  virtual mlir::Location loc() = 0;
  /// `e.create<arith::AddIOp>(a, b)`: creates an operation at the insertion point, with `loc()`.
  template <typename OpTy, typename... Args>
  OpTy create(Args &&...args) {
    return OpTy::create(builder, loc(), std::forward<Args>(args)...);
  }
  /// Creates an operation and wraps its single result: `e.make<arith::AddIOp>(type, a, b)`.
  template <typename OpTy, typename... Args>
  Runtime make(ValueType type, Args &&...args) {
    return Runtime{create<OpTy>(std::forward<Args>(args)...)->getResult(0), std::move(type)};
  }

  /// Raises a CompileError at the current expression, or at `where`.
  [[noreturn]] void error(std::string message, ErrorDetails details = {}) { errorAt(here(), message, details); }
  [[noreturn]] void error(std::string message, std::string hint) { errorAt(here(), message, {{}, hint}); }
  [[noreturn]] virtual void errorAt(SourceRange where, std::string message, ErrorDetails details = {}) = 0;
  /// Returns a hint if an assignment turned a constant into the run-time value `value`; empty for other values. The
  /// hint shows how to keep the constant.
  virtual std::string hintForRuntime(mlir::Value value) = 0;
  /// Returns the source range of the current expression.
  virtual SourceRange here() const = 0;
  /// Returns the source text of an operand of the current expression, for hints, such as `gl.max(x, axis=1)`. If a
  /// subscript such as `[:, None]` cannot be appended to the operand directly, the text is in parentheses. The result
  /// is empty unless the current expression is a binary operator on a single line.
  enum class OperandSide : uint8_t { Left, Right };
  virtual std::string operandText(OperandSide side) const { return {}; }

  /// Calls a jit function, whose body is emitted inline, a builtin, a bound method or a compile-time Python callable.
  /// For the combine function of a reduction, the caller must first set the insertion point into the region of the
  /// reduction.
  virtual Value call(const Value &callee, std::vector<Value> arguments) = 0;

  /// Converts a compile-time number or bool to a run-time scalar. An int becomes int32, uint32, int64 or uint64 by its
  /// range, a float becomes float32, and a bool becomes int1. Returns run-time values unchanged. For any other value,
  /// raises an error in which `what` describes the value.
  Runtime toRuntime(const Value &value, std::string_view what = "this value");
  /// Returns a constant of the type `type` for a Python int, bool or float, as in `scalarConstant(0, DType::Int64)`.
  /// Raises an error if `type` is an integer type and `number` is out of its range.
  Runtime scalarConstant(py::handle number, DType type);
  Runtime intConstant(int64_t value, DType type = DType::Int32);

  /// Returns the Python object of a compile-time value; raises an error with a hint if the value is a run-time value.
  /// `what` describes the value in the error, as in "`end` of arange".
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

/// Sets the emitter's worker name and number of warps while the function of a worker is emitted; resets both at the end
/// of the scope.
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
