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

/// Value of a local name at the statement that is being visited.
struct Variable {
  Value value;                      ///< unset if the name has no value here
  const ast::Node *where = nullptr; ///< the last assignment to the name
  unsigned version = 0;             ///< number that changes with every assignment
  bool isConstexpr = false;         ///< true if annotated as `gl.constexpr`
  /// Reason why an assigned name has no value. InBranch: the name was bound in only one branch of a run-time `if`.
  /// InLoop: the name was bound inside a run-time loop. AfterItsLoop: the name was the variable of a run-time loop that
  /// has ended. InnerTarget: the name was the variable of a loop inside a run-time loop.
  enum Lost : uint8_t { NotLost, InBranch, InLoop, AfterItsLoop, InnerTarget } lost = NotLost;
};

/// State that emitted `break`, `continue` and `return` statements leave for the rest of the function. Skips, Breaks and
/// Returns are compile-time or run-time bools. Skips: the rest of the iteration is skipped. Breaks: the loop ends.
/// Returns: the function returns. Result is the value that the function returns. The frame stores the state as
/// variables after the locals and fields.
enum class Jump : uint8_t { Skips, Breaks, Returns, Result };

/// The state of one call of a function that is being emitted.
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
  /// Marks the name as having no value after the current statement.
  void lose(int slot, const ast::Node *where, Variable::Lost why) {
    variables[slot] = {{}, where, ++lastVersion, false, why};
  }
  /// Returns the name in backticks, for messages.
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

  py::handle function; ///< the plain Python function; for an inner function, the enclosing function
  const KernelSource &source;
  Frame *caller;
  std::optional<mlir::Location> callSite; ///< location of the call; absent for the kernel itself
  std::vector<std::string> fields;        ///< fields of the aggregate whose `__init__` this is
  py::object building;                    ///< class whose `__init__` this is, or null
  std::vector<Variable> variables;        ///< variables by slot: locals, fields, jumps
  const ast::Node *current = nullptr;     ///< the expression or statement being visited
  const ast::Node *stage = nullptr;       ///< the open `with` of a stage in this function
  const ast::Node *loop = nullptr;        ///< the innermost loop, unrolled or not
  int runtimeLoops = 0;                   ///< number of enclosing run-time loops
  const ast::Node *breaking = nullptr;    ///< the innermost loop, if it has a `break` or `return` of its own
  std::exception_ptr refusedStage;        ///< error of a stage in `breaking`, raised if a jump can end that loop
  /// Slots of the variables that the innermost run-time loop carries. Only the carried variables are needed at the end
  /// of an iteration. Null means all variables.
  const std::vector<int> *needed = nullptr;
  Frame *definer = nullptr; ///< for an inner function, the frame in which its free names are looked up
  /// Pointer to this frame, or null after the frame has ended. Inner functions check the pointer.
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

  Frame *frame = nullptr; ///< the innermost frame
  Budget budget{builder};

  /// Raises an error if the kernel is too large or nested too deeply, or if the user has pressed Ctrl-C. Called at
  /// every level of the recursion over the kernel's tree.
  void checkLimits();

  /// Scope in which `node` is the current node.
  class At {
  public:
    At(FrameEmitter &e, const ast::Node *node) : frame(*e.frame), saved(std::exchange(frame.current, node)) {}
    ~At() { frame.current = saved; }

  private:
    Frame &frame;
    const ast::Node *saved;
  };

  SourceRange rangeOf(const ast::Node &node) const { return frame->source.range(node); }

  /// Emits the body of a function whose parameters have been bound in `callee`. Returns the value that the function
  /// returns; None if it has no `return`.
  virtual Value emitBody(Frame &callee) = 0;

  /// Runs `f`, which calls Python; a Python exception becomes a CompileError at the current expression.
  template <typename F>
  auto runPython(F &&f) -> decltype(f()) {
    try {
      return f();
    } catch (py::error_already_set &error) {
      raisePythonError(error);
    }
  }
  /// Raises an error for syntax that the language lacks; `pythonKind` is the class in Python's ast.
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
