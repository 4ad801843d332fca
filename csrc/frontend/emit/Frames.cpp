//===- Frames.cpp - Frames of functions being emitted, and error locations ---------===//
#include "frontend/emit/Frames.h"
#include "frontend/ast/UnsupportedSyntax.h"
#include "frontend/values/LanguageObjects.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Location.h"
#include "support/StackRoom.h"

using namespace hocket;
using namespace hocket::frontend;

/// Returns the folder of the package hocket.language.
static const std::string &languageFolder() {
  static const auto *folder = new std::string(
      py::module_::import("hocket.language").attr("__path__").attr("__getitem__")(0).cast<std::string>());
  return *folder;
}

static bool isOfLanguage(llvm::StringRef path) { return path.starts_with(languageFolder()); }

/// Returns the location for an operation that is emitted at the current node. Operations in a jit function of
/// hocket.language have the location of the user's call, so that messages refer to lines of the user's code.
mlir::Location FrameEmitter::loc() {
  if (!frame || !frame->current)
    return builder.getUnknownLoc();
  if (frame->callSite && isOfLanguage(frame->source.file.path()))
    return *frame->callSite;
  std::pair<const ast::Node *, const Frame *> key{frame->current, frame};
  if (key != lastLocated || !lastLocation) {
    const ast::Node &node = *frame->current;
    mlir::Location range = mlir::FileLineColRange::get(context(), frame->source.file.path(), node.line, node.column + 1,
                                                       node.endLine, node.endColumn + 1);
    // The function's name is part of the location, because later passes report call chains in errors.
    mlir::Location place = mlir::NameLoc::get(builder.getStringAttr(frame->source.tree->name), range);
    lastLocation = frame->callSite ? mlir::Location(mlir::CallSiteLoc::get(place, *frame->callSite)) : place;
    lastLocated = key;
  }
  return *lastLocation;
}

void FrameEmitter::checkLimits() {
  if (isStackNearlyFull())
    error("this is nested too deeply", "assign parts of the expression to variables, or move code into functions");
  if (budget.getOperations() > Budget::kMaxOperations)
    error("the kernel is too large: up to here it has more than " + std::to_string(Budget::kMaxOperations) +
              " operations",
          "use range(...) instead of gl.static_range, or launch several kernels");
  if (PyErr_CheckSignals() != 0)
    throw py::error_already_set();
}

SourceRange FrameEmitter::here() const { return frame && frame->current ? rangeOf(*frame->current) : SourceRange(); }

std::string FrameEmitter::operandText(OperandSide side) const {
  if (!frame || !frame->current)
    return {};
  bool isLeft = side == OperandSide::Left;
  const ast::Expr *operand = nullptr;
  if (auto *binary = llvm::dyn_cast<ast::Binary>(frame->current))
    operand = isLeft ? binary->left : binary->right;
  else if (auto *comparison = llvm::dyn_cast<ast::Compare>(frame->current))
    operand = isLeft ? comparison->left : comparison->right;
  else if (auto *assignment = llvm::dyn_cast<ast::AugmentedAssign>(frame->current))
    operand = isLeft ? assignment->target : assignment->value;
  if (!operand || operand->line != operand->endLine)
    return {};
  std::string text =
      frame->source.file.line(operand->line).substr(operand->column, operand->endColumn - operand->column);
  bool isPrimary = llvm::isa<ast::Name, ast::Call, ast::Attribute, ast::Subscript>(operand);
  return isPrimary ? text : "(" + text + ")";
}

std::string FrameEmitter::hintForRuntime(mlir::Value value) {
  if (!value.getDefiningOp<mlir::arith::ConstantOp>())
    return {};
  for (const Frame *active = frame; active; active = active->caller)
    for (auto [name, variable] : llvm::zip(active->source.tree->locals, active->variables)) {
      const Runtime *runtime = variable.value.asRuntime();
      if (runtime && runtime->ir == value && variable.where->kind == ast::Kind::Name)
        return "line " + std::to_string(variable.where->line) + " makes it a run-time value; write `" + name +
               ": gl.constexpr = ...` there";
    }
  return {};
}

// Errors --------------------------------------------------------------------------------------------------------------

/// Adds a note with the value of each parameter of the function of `frame`.
static void describeParameters(const Frame &frame, std::vector<Note> &notes) {
  for (size_t i = 0; i < frame.source.signature->names.size(); ++i)
    notes.push_back({frame.source.signature->names[i], frame.variables[i].value.describe()});
}

/// Moves an error in a jit function of hocket.language to the user's call of the function. The message of a static
/// assertion is kept, because it is written for users. Other errors concern values that users do not know. The notes of
/// such an error are replaced by the values of the function's parameters and the function's name, and the hint is
/// removed.
static const Frame *leaveLanguage(const Frame *frame, SourceRange &where, std::string &message, ErrorDetails &details) {
  const Frame *user = frame, *called = nullptr;
  while (user && user->caller && isOfLanguage(user->source.file.path()))
    called = std::exchange(user, user->caller);
  if (user == frame || !user->current)
    return frame;
  if (llvm::StringRef text = message; text.consume_front(kFailedAssertion))
    message = text.str();
  else {
    details.hint.clear();
    details.notes.clear();
    describeParameters(*called, details.notes);
    llvm::StringRef file = llvm::StringRef(frame->source.file.path()).drop_front(languageFolder().size());
    details.notes.push_back({"inside", frame->source.tree->name + " of hocket/language" + file.str()});
  }
  where = user->source.range(*user->current);
  return user;
}

void FrameEmitter::errorAt(SourceRange where, std::string message, ErrorDetails details) {
  const Frame *innermost = leaveLanguage(frame, where, message, details);
  Diagnostic diagnostic;
  if (where.file) {
    diagnostic.file = where.file->path();
    diagnostic.line = where.line;
    diagnostic.column = where.column;
    diagnostic.sourceLine = where.file->line(where.line);
    bool isOneLine = where.endLine == where.line;
    diagnostic.endColumn = isOneLine ? where.endColumn : static_cast<int>(diagnostic.sourceLine.size());
  }
  diagnostic.message = std::move(message);
  diagnostic.notes = std::move(details.notes);
  diagnostic.hint = std::move(details.hint);
  for (const Frame *callee = innermost; callee && callee->caller; callee = callee->caller) {
    const Frame &caller = *callee->caller;
    diagnostic.callChain.push_back({callee->source.tree->name, caller.source.file.path(),
                                    caller.current ? caller.current->line : 0, caller.source.tree->name});
  }
  throw CompileError(std::move(diagnostic));
}

/// Returns the source location of the innermost Python frame of `error` outside of hocket.language; empty if there is
/// no such frame.
static std::string raisedAt(py::error_already_set &error) {
  std::string place;
  for (py::object trace = error.trace(); trace && !trace.is_none(); trace = trace.attr("tb_next")) {
    py::object code = trace.attr("tb_frame").attr("f_code");
    auto file = code.attr("co_filename").cast<std::string>();
    if (!isOfLanguage(file) && !file.starts_with("<")) // "<string>": generated code, for example of dataclasses
      place = displayPath(file) + ":" + py::str(trace.attr("tb_lineno")).cast<std::string>() + " in " +
              code.attr("co_name").cast<std::string>();
  }
  return place;
}

void FrameEmitter::raisePythonError(py::error_already_set &error) {
  if (!error.matches(PyExc_Exception))
    throw error; // KeyboardInterrupt and similar exceptions are not converted
  auto message = py::str(error.value()).cast<std::string>();
  // The message of an exception of these classes is understandable without the name of the class. The message of a
  // KeyError, for example, is not.
  bool isPlain = false;
  for (PyObject *type : {PyExc_ValueError, PyExc_TypeError, PyExc_ZeroDivisionError, PyExc_NotImplementedError})
    isPlain |= Py_TYPE(error.value().ptr()) == reinterpret_cast<PyTypeObject *>(type);
  if (!isPlain || message.empty())
    message = std::string(Py_TYPE(error.value().ptr())->tp_name) + (message.empty() ? "" : ": " + message);
  ErrorDetails details;
  // Python exceptions that Hocket raises have the format "text", newline, "  hint: ...".
  if (auto [text, hint] = llvm::StringRef(message).split("\n  hint: "); !hint.empty()) {
    details.hint = hint.str();
    message = text.str();
  }
  if (std::string place = raisedAt(error); !place.empty())
    details.notes.push_back({"raised at", place});
  this->error(std::move(message), std::move(details));
}

void FrameEmitter::raiseUnsupported(const ast::Node &node, llvm::StringRef pythonKind) {
  SourceRange where = rangeOf(node);
  if (where.endLine != where.line) {
    // Underlines only the first word of a statement that spans several lines.
    std::string line = where.file->line(where.line);
    where.endLine = where.line;
    where.endColumn = static_cast<int>(line.find_first_of(" (:", where.column));
    if (where.endColumn < 0)
      where.endColumn = static_cast<int>(line.size());
  }
  ast::UnsupportedSyntax syntax = ast::unsupportedSyntax(pythonKind);
  errorAt(where, syntax.message, {{}, syntax.hint});
}
