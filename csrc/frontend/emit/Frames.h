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
  /// Why an assigned name has no value: it was bound in one branch of a run-time `if`, inside a run-time loop, is the
  /// variable of such a loop, or of another loop inside one.
  enum Lost : uint8_t { NotLost, InBranch, InLoop, AfterItsLoop, InnerTarget } lost = NotLost;
};

/// What the statements emitted so far have done about the rest of the function, kept in variables after the locals and
/// fields: whether the rest of this iteration is skipped, this loop ends, the function returns (bools, known now or
/// when the kernel runs), and what it returns.
enum class Jump : uint8_t { Skips, Breaks, Returns, Result };

/// The activation of one function.
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
  /// The name has no value from here on.
  void lose(int slot, const ast::Node *where, Variable::Lost why) {
    variables[slot] = {{}, where, ++lastVersion, false, why};
  }
  /// "`name`", for messages.
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

  py::handle function; ///< the plain Python function; of an inner function, the one around it
  const KernelSource &source;
  Frame *caller;
  std::optional<mlir::Location> callSite; ///< where the caller calls; none in the kernel
  std::vector<std::string> fields;        ///< of the aggregate whose `__init__` this is
  py::object building;                    ///< its class, or null
  std::vector<Variable> variables;        ///< by slot: locals, fields, jumps
  const ast::Node *current = nullptr;     ///< the expression or statement being visited
  const ast::Node *stage = nullptr;       ///< the `with` of the stage that is open in this function
  const ast::Node *loop = nullptr;        ///< the innermost loop, unrolled or not
  int runtimeLoops = 0;                   ///< how many are around
  const ast::Node *breaking = nullptr;    ///< the innermost loop, if statements in it may end it early at run time
  /// What the end of an iteration needs: the slots that the innermost run-time loop carries. Null: all.
  const std::vector<int> *needed = nullptr;
  Frame *definer = nullptr; ///< of an inner function: where its other names are looked up
  /// Whether this frame is still there, for the functions that are defined in it.
  std::shared_ptr<Frame *> self = std::make_shared<Frame *>(this);

private:
  static constexpr size_t kNumJumps = 4;
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
