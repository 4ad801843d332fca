//===- Frames.h - Frames of functions being emitted, and error locations -----------===//
//
// A call of a jit function is emitted in place, with its own Frame. The current node of the innermost frame, and the
// call chain, determine the locations of operations and errors.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_FRAMES_H
#define HOCKET_FRONTEND_EMIT_FRAMES_H

#include "frontend/ast/KernelSource.h"
#include "frontend/emit/Budget.h"
#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// State of a local variable at the statement that is being emitted.
struct Variable {
  Value value;                      ///< unset if the variable has no value at this statement
  const ast::Node *where = nullptr; ///< node of the last assignment to the variable
  unsigned version = 0;             ///< changes with every assignment to the variable
  bool isConstexpr = false;         ///< true if the variable is annotated as `gl.constexpr`
  /// Reason why a variable that was assigned has no value. InBranch: only one branch of a run-time `if` assigns the
  /// variable. InLoop: only the body of a run-time loop assigns the variable. AfterItsLoop: the variable is the target
  /// of a run-time loop that has ended. InnerTarget: the variable was a constant before a run-time loop, and is the
  /// target of a loop inside that run-time loop.
  enum Lost : uint8_t { NotLost, InBranch, InLoop, AfterItsLoop, InnerTarget } lost = NotLost;
};

/// Effects of the emitted `break`, `continue` and `return` statements on the code that follows. Skips, Breaks and
/// Returns are compile-time or run-time bools. Skips is true if the rest of the loop iteration is skipped. Breaks is
/// true if the loop ends. Returns is true if the function returns. Result is the value that the function returns.
/// Frame::variables stores these four values after the local variables and the fields.
enum class Jump : uint8_t { Skips, Breaks, Returns, Result };

/// State of one call of a function while the function's body is emitted.
struct Frame {
  Frame(py::handle function, const KernelSource &source, Frame *caller, std::vector<std::string> fields = {})
      : function(function), source(source), caller(caller), fields(std::move(fields)),
        variables(source.tree->locals.size() + this->fields.size() + kNumJumps) {
    for (Jump jump : {Jump::Skips, Jump::Breaks, Jump::Returns})
      setJump(jump, Value::constant(py::bool_(false)));
  }
  Frame(const Frame &) = delete;

  void bind(int slot, Value value, const ast::Node *where, bool isConstexpr = false) {
    variables[slot] = {std::move(value), where, ++lastVersion, isConstexpr, Variable::NotLost};
  }
  /// Marks the variable in `slot` as having no value after the current statement, for the reason `why`.
  void lose(int slot, const ast::Node *where, Variable::Lost why) {
    variables[slot] = {{}, where, ++lastVersion, false, why};
  }
  /// Returns the name of the variable in `slot` in backticks, for messages.
  std::string quotedName(int slot) const {
    size_t numLocals = source.tree->locals.size(), index = slot;
    if (index < numLocals)
      return "`" + source.tree->locals[index] + "`";
    return index - numLocals < fields.size() ? "`self." + fields[index - numLocals] + "`" : "`return`";
  }
  int fieldSlot(size_t index) const { return static_cast<int>(source.tree->locals.size() + index); }
  int jumpSlot(Jump jump) const { return static_cast<int>(variables.size() - kNumJumps) + static_cast<int>(jump); }
  const Value &jump(Jump jump) const { return variables[jumpSlot(jump)].value; }
  void setJump(Jump jump, Value value) { bind(jumpSlot(jump), std::move(value), current); }
  bool isKnown(Jump kind, bool truth) const {
    const Constexpr *known = jump(kind).asConstexpr();
    return known && (known->object.ptr() == Py_True) == truth;
  }

  py::handle function; ///< Python function without decorator; for an inner function, the enclosing Python function
  const KernelSource &source;
  Frame *caller;
  std::optional<mlir::Location> callSite; ///< location of the call of this function; absent for the kernel
  std::vector<std::string> fields;        ///< names of the aggregate's fields if this function is an `__init__`
  py::object building;                    ///< aggregate class if this function is its `__init__`; otherwise null
  std::vector<Variable> variables;        ///< variables, indexed by slot: local variables, fields, jumps
  const ast::Node *current = nullptr;     ///< expression or statement that is being emitted
  const ast::Node *stage = nullptr;       ///< open `with gl.warp_pipeline_stage(...)` of this function, or null
  const ast::Node *loop = nullptr;     ///< innermost loop around the current node: a run-time loop or an unrolled loop
  int runtimeLoops = 0;                ///< number of run-time loops around the current node
  const ast::Node *breaking = nullptr; ///< innermost loop if it has a `break` or `return` of its own; otherwise null
  /// Error for a warp pipeline stage in the loop `breaking`; raised if a jump can end this loop at run time.
  std::exception_ptr refusedStage;
  /// Slots of the variables that the innermost run-time loop carries. Only the carried variables are needed at the end
  /// of an iteration. If `needed` is null, all variables are needed.
  const std::vector<int> *needed = nullptr;
  Frame *definer = nullptr; ///< for an inner function, the frame in which the function's free names are looked up
  /// Pointer to this frame. Each inner function holds a weak_ptr to `self`, which expires when the frame ends.
  std::shared_ptr<Frame *> self = std::make_shared<Frame *>(this);

private:
  static constexpr size_t kNumJumps = 4;
  unsigned lastVersion = 0;
};

/// The part of the Emitter that tracks the current node and the frames. All visitors of a kernel's tree share one
/// FrameEmitter.
class FrameEmitter : public Emitter {
public:
  using Emitter::Emitter;

  Frame *frame = nullptr; ///< frame of the innermost call that is being emitted
  Budget budget{builder};

  /// Raises an error if the kernel is too large or nested too deeply, or if the user has pressed Ctrl-C. Called at
  /// every level of the recursion over the kernel's syntax tree.
  void checkLimits();

  /// RAII scope in which `node` is the current node of the innermost frame.
  class At {
  public:
    At(FrameEmitter &e, const ast::Node *node) : frame(*e.frame), saved(std::exchange(frame.current, node)) {}
    ~At() { frame.current = saved; }

  private:
    Frame &frame;
    const ast::Node *saved;
  };

  SourceRange rangeOf(const ast::Node &node) const { return frame->source.range(node); }

  /// Emits the body of a function whose parameters have been bound in `callee`. Returns the return value of the
  /// function, which is None without a `return`.
  virtual Value emitBody(Frame &callee) = 0;

  /// Runs `f`, which calls Python. Converts a Python exception to a CompileError at the current node.
  template <typename F>
  auto runPython(F &&f) -> decltype(f()) {
    try {
      return f();
    } catch (py::error_already_set &error) {
      raisePythonError(error);
    }
  }
  /// Raises an error for syntax that the language lacks. `pythonKind` is the class of `node` in Python's ast.
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
