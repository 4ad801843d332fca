//===- KernelEmitter.h - Walks a kernel's tree and emits `hk` IR -------------------===//
//
// One visit per statement: names that a loop may bind are known from the tree, so a loop's body need not be visited to
// find what it carries. Calls of jit functions are emitted in place, each with a Frame of its own.
//
//   KernelEmitter.cpp      frames, locations, errors
//   Names.cpp              locals, closures, globals
//   Expressions.cpp        one function per kind of expression
//   CompileTime.cpp        operators on Python objects
//   Statements.cpp         assignment, return, assert
//   Branches.cpp           if, and merging what its branches bind
//   Loops.cpp              for, and what loops carry
//   WhileLoops.cpp         while
//   Contexts.cpp           with
//   Calls.cpp              calls of anything
//   PythonBuiltins.cpp     len, range, min, isinstance, static_assert, ...
//   UnsupportedSyntax.cpp  what to write instead
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_KERNELEMITTER_H
#define HOCKET_FRONTEND_KERNELEMITTER_H

#include "frontend/Frontend.h"
#include "frontend/ast/KernelSource.h"
#include "frontend/ast/SourceAst.h"
#include "frontend/emit/CallSignature.h"
#include "frontend/semantics/operators/Operators.h"

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

  py::handle function; ///< the plain Python function
  const KernelSource &source;
  Frame *caller;
  std::optional<mlir::Location> callSite; ///< where the caller calls; none in the kernel
  std::vector<Variable> variables;        ///< by slot
  const ast::Node *current = nullptr;     ///< the expression or statement being visited
  int loopDepth = 0;
  const ast::Node *stage = nullptr; ///< the `with` of the stage that is open in this function
};

/// Statements to visit after a list of statements ends without `return`.
struct Continuation {
  ast::List<const ast::Stmt *> statements;
  const Continuation *next;
};

class KernelEmitter final : public Emitter {
public:
  KernelEmitter(mlir::MLIRContext *context, const TargetInfo &target, EmitOptions options)
      : Emitter(context, target, options) {}

  // Emitter
  mlir::Location loc() override;
  [[noreturn]] void errorAt(SourceRange where, std::string message, ErrorDetails details = {}) override;
  SourceRange here() const override;
  std::string operandText(OperandSide side) const override;
  Value call(const Value &callee, std::vector<Value> arguments) override;

  /// Emits the body of a function whose parameters have been bound in `frame`; its value, None without `return`.
  Value emitBody(Frame &frame);

private:
  /// Makes `node` the current one for as long as it lives.
  class At {
  public:
    At(KernelEmitter &e, const ast::Node *node) : frame(*e.frame), saved(std::exchange(frame.current, node)) {}
    ~At() { frame.current = saved; }

  private:
    Frame &frame;
    const ast::Node *saved;
  };
  SourceRange rangeOf(const ast::Node &node) const { return frame->source.range(node); }

  std::string hintForRuntime(mlir::Value value) override;

  // KernelEmitter.cpp: Python called from here
  /// Runs `f`, which may raise; a Python exception becomes a CompileError at the current expression.
  template <typename F>
  auto runPython(F &&f) -> decltype(f()) {
    try {
      return f();
    } catch (py::error_already_set &error) {
      raisePythonError(error);
    }
  }
  [[noreturn]] void raisePythonError(py::error_already_set &error);

  // Names.cpp
  Value loadName(const ast::Name &name);
  Value loadFreeName(const ast::Name &name);
  [[noreturn]] void raiseUnbound(const ast::Name &name, const Variable &variable);
  [[noreturn]] void raiseUnknownName(const ast::Name &name);
  void bind(int slot, Value value, const ast::Node &where, bool isConstexpr = false);

  // Expressions.cpp
  Value visit(const ast::Expr *expr);
  Value visitKind(const ast::Expr *expr);
  Value visitAttribute(const ast::Attribute &node);
  Value visitSubscript(const ast::Subscript &node);
  Value visitBinary(BinaryOperator op, const Value &left, const Value &right);
  Value visitUnary(const ast::Unary &node);
  Value visitLogical(const ast::Logical &node);
  Value visitCompare(const ast::Compare &node);
  Value visitConditional(const ast::Conditional &node);
  Value visitSequence(const ast::Sequence &node);
  Value visitComprehension(const ast::Comprehension &node);
  void forget(const ast::Expr *target);
  Value visitFormatString(const ast::FormatString &node);
  std::string formatPiece(const ast::FormatPiece &piece);
  SubscriptItem subscriptItem(const ast::Expr *expr);
  /// The compile-time value of a slice expression: a Python `slice`.
  py::object pythonSlice(const ast::Slice &node);
  /// The values of something iterated at compile time.
  std::vector<Value> iterate(const ast::Expr *iterable);

  // Statements.cpp
  /// Visits statements, then `after`; the returned value when they end in a `return`.
  std::optional<Value> visitBlock(ast::List<const ast::Stmt *> statements, const Continuation *after = nullptr);
  void visitSimple(const ast::Stmt &statement);
  void visitAnnotatedAssign(const ast::AnnotatedAssign &node);
  void visitAugmentedAssign(const ast::AugmentedAssign &node);
  void visitAssert(const ast::Assert &node);
  Value visitReturn(const ast::Return &node);
  void assign(const ast::Expr *target, Value value);
  void unpack(const ast::Sequence &targets, const Value &value);
  /// What an assignment without annotation stores: numbers known at compile time become run-time scalars.
  Value decay(Value value);

  // Branches.cpp
  std::optional<Value> visitIf(const ast::If &node, const Continuation &rest, bool &visitedRest);
  /// A condition that is known now, or else a run-time i1.
  std::variant<bool, Runtime> visitCondition(const ast::Expr *expr, std::string_view keyword);
  using BranchFn = llvm::function_ref<Value()>;
  /// Emits both branches; their results, and the names they bind, are merged. `what` names the result in errors. Names
  /// need not be merged when nothing of the function follows.
  Value emitBranches(const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse, std::string_view what,
                     bool mergeNames = true);
  struct Side;
  struct BranchMerge;
  void mergeVariable(int slot, Side (&sides)[2], BranchMerge &merge);

  // Loops.cpp
  void visitFor(const ast::For &node);
  void unroll(const ast::For &node, const CallArguments &arguments);
  struct LoopOptions;
  /// Takes the keywords of gl.range that are no bounds out of `arguments`.
  LoopOptions takeLoopOptions(CallArguments &arguments);
  void emitRangeLoop(const ast::For &node, const CallArguments &arguments, const LoopOptions &options);
  struct Carried {
    std::vector<int> slots;
    std::vector<Value> initial;
    llvm::SmallVector<mlir::Value> flat; ///< the run-time parts of `initial`
  };
  Carried carriedInto(ast::List<int> assigned);
  void bindCarried(const Carried &carried, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> carriedOut(const Carried &carried, std::string_view keyword, const ast::Node &loop);
  void forgetLoopNames(ast::List<int> assigned, std::vector<Variable> before);

  // WhileLoops.cpp
  void visitWhile(const ast::While &node);

  // Contexts.cpp
  void visitWith(const ast::With &node);
  [[noreturn]] void raiseNoContext(const ast::Expr &manager);
  void checkNotInStage(const ast::Node &call);

  // Calls.cpp
  Value visitCall(const ast::Call &node);
  CallArguments visitArguments(const ast::Call &node);
  Value callValue(const Value &callee, CallArguments arguments);
  Value callJit(py::handle function, CallArguments arguments);
  Value callBuiltin(py::handle stub, CallArguments arguments);
  Value callAtCompileTime(py::handle callable, CallArguments arguments);
  Value makeNamedTuple(py::handle pythonClass, CallArguments arguments);

  // PythonBuiltins.cpp
  /// Nothing for a name that is not one of Python's builtins with a meaning in kernels.
  std::optional<Value> callPythonBuiltin(py::handle function, const CallArguments &arguments);
  /// static_assert, static_print: what needs no IR.
  std::optional<Value> callStaticBuiltin(std::string_view name, Arguments &arguments);
  Value isInstance(const CallArguments &arguments);

  // UnsupportedSyntax.cpp
  [[noreturn]] void raiseUnsupported(const ast::Node &node, llvm::StringRef pythonKind);

  Frame *frame = nullptr;
  unsigned lastVersion = 0;
  std::pair<const ast::Node *, const Frame *> lastLocated{nullptr, nullptr};
  std::optional<mlir::Location> lastLocation;
};

/// Whether `object` is amd.warp_pipeline_stage, what may stand behind `with`.
bool isContextManager(py::handle object);

} // namespace hocket::frontend

#endif
