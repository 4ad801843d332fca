//===- Frames.h - The functions being emitted, and the place in each ---------------===//
//
// A call of a jit function is emitted in place, with a Frame of its own. The innermost frame says where the emitter is:
// locations of operations and places of errors come from its current node and from the calls that led to it.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_FRAMES_H
#define HOCKET_FRONTEND_EMIT_FRAMES_H

#include "frontend/ast/KernelSource.h"
#include "frontend/emit/Budget.h"
#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// What a local name stands for at the current point.
struct Variable {
  Value value;                      ///< unset: not assigned (yet)
  const ast::Node *where = nullptr; ///< the last assignment
  unsigned version = 0;             ///< differs after every assignment
  bool isConstexpr = false;         ///< annotated `gl.constexpr`
  /// Why an assigned name has no value: it was bound in one branch of a run-time `if`, inside a run-time loop, or is
  /// the variable of such a loop.
  enum Lost : uint8_t { NotLost, InBranch, InLoop, AfterItsLoop } lost = NotLost;
};

/// The activation of one function.
struct Frame {
  Frame(py::handle function, const KernelSource &source, Frame *caller)
      : function(function), source(source), caller(caller), variables(source.tree->locals.size()) {}

  void bind(int slot, Value value, const ast::Node *where, bool isConstexpr = false) {
    variables[slot] = {std::move(value), where, ++lastVersion, isConstexpr, Variable::NotLost};
  }
  /// The name has no value from here on.
  void lose(int slot, const ast::Node *where, Variable::Lost why) {
    variables[slot] = {{}, where, ++lastVersion, false, why};
  }
  /// "`name`", for messages.
  std::string quotedName(int slot) const { return "`" + source.tree->locals[slot] + "`"; }

  py::handle function; ///< the plain Python function
  const KernelSource &source;
  Frame *caller;
  std::optional<mlir::Location> callSite; ///< where the caller calls; none in the kernel
  std::vector<Variable> variables;        ///< by slot
  const ast::Node *current = nullptr;     ///< the expression or statement being visited
  int loopDepth = 0;
  const ast::Node *stage = nullptr; ///< the `with` of the stage that is open in this function

private:
  unsigned lastVersion = 0;
};

/// The Emitter that knows where it is. The parts that visit a kernel's tree share it.
class FrameEmitter : public Emitter {
public:
  using Emitter::Emitter;

  Frame *frame = nullptr; ///< the innermost
  Budget budget{builder};

  /// Stops where going on is no use: the kernel is too large or nested too deeply, or the user pressed Ctrl-C. Asked
  /// wherever the tree is descended.
  void checkLimits();

  /// Makes `node` the current one for as long as it lives.
  class At {
  public:
    At(FrameEmitter &e, const ast::Node *node) : frame(*e.frame), saved(std::exchange(frame.current, node)) {}
    ~At() { frame.current = saved; }

  private:
    Frame &frame;
    const ast::Node *saved;
  };

  SourceRange rangeOf(const ast::Node &node) const { return frame->source.range(node); }

  /// Emits the body of a function whose parameters have been bound in `callee`; its value, None without `return`.
  virtual Value emitBody(Frame &callee) = 0;

  /// Runs `f`, which may raise; a Python exception becomes a CompileError at the current expression.
  template <typename F>
  auto runPython(F &&f) -> decltype(f()) {
    try {
      return f();
    } catch (py::error_already_set &error) {
      raisePythonError(error);
    }
  }
  /// Stops at syntax that the language does not have; `pythonKind` is the class in Python's ast.
  [[noreturn]] void raiseUnsupported(const ast::Node &node, llvm::StringRef pythonKind);

  // Emitter
  mlir::Location loc() override;
  SourceRange here() const override;
  [[noreturn]] void errorAt(SourceRange where, std::string message, ErrorDetails details = {}) override;
  std::string operandText(OperandSide side) const override;
  std::string hintForRuntime(mlir::Value value) override;

private:
  [[noreturn]] void raisePythonError(py::error_already_set &error);

  std::pair<const ast::Node *, const Frame *> lastLocated{nullptr, nullptr};
  std::optional<mlir::Location> lastLocation;
};

} // namespace hocket::frontend

#endif
