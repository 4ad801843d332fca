//===- Statements.cpp - Assignment, return, assert --------------------------------------===//
#include "dialect/hk/HkDialect.h"
#include "frontend/emit/KernelEmitter.h"
#include "frontend/values/CompileTime.h"
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace hocket;
using namespace hocket::frontend;

std::optional<Value> KernelEmitter::visitBlock(ast::List<const ast::Stmt *> statements, const Continuation *after) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &statement = *statements[i];
    At at(*this, &statement);
    if (auto *node = llvm::dyn_cast<ast::Return>(&statement))
      return visitReturn(*node);
    if (auto *node = llvm::dyn_cast<ast::If>(&statement)) {
      bool visitedRest = false;
      Continuation rest{statements.drop_front(i + 1), after};
      std::optional<Value> returned = visitIf(*node, rest, visitedRest);
      if (returned || visitedRest)
        return returned;
      continue;
    }
    visitSimple(statement);
  }
  return after ? visitBlock(after->statements, after->next) : std::nullopt;
}

void KernelEmitter::visitSimple(const ast::Stmt &statement) {
  llvm::TypeSwitch<const ast::Node *>(&statement)
      .Case([&](const ast::Assign *node) {
        Value value = decay(visit(node->value));
        for (const ast::Expr *target : node->targets)
          assign(target, value);
      })
      .Case([&](const ast::Expression *node) {
        if (!llvm::isa<ast::Constant>(node->value)) // docstrings
          visit(node->value);
      })
      .Case([&](const ast::AugmentedAssign *node) { visitAugmentedAssign(*node); })
      .Case([&](const ast::AnnotatedAssign *node) { visitAnnotatedAssign(*node); })
      .Case([&](const ast::For *node) { visitFor(*node); })
      .Case([&](const ast::While *node) { visitWhile(*node); })
      .Case([&](const ast::With *node) { visitWith(*node); })
      .Case([&](const ast::Assert *node) { visitAssert(*node); })
      .Case([](const ast::Pass *) {})
      .Case([&](const ast::UnsupportedStatement *node) { raiseUnsupported(*node, node->pythonKind); })
      .Default([&](const ast::Node *) { error("this statement is not supported in kernels"); });
}

// Assignment ----------------------------------------------------------------------------------------------------------

Value KernelEmitter::decay(Value value) {
  if (value.asTuple()) {
    std::vector<Value> parts;
    for (const Value &part : value.parts())
      parts.push_back(decay(part));
    return value.withParts(std::move(parts));
  }
  const Constexpr *constant = value.asConstexpr();
  if (!constant)
    return value;
  PyObject *object = constant->object.ptr();
  if (PyLong_Check(object) || PyFloat_Check(object)) // bool is an int
    return toRuntime(value);
  if (PyTuple_Check(object) || PyList_Check(object)) {
    Tuple result;
    if (!PyTuple_CheckExact(object))
      result.pythonClass = py::type::of(constant->object);
    result.elements = std::move(*value.asSequence());
    return decay(std::move(result));
  }
  // Layouts, functions, strings stay what they are: Gluon asks for `x: gl.constexpr = ...` here.
  return value;
}

/// Messages about shared memory call a buffer by the first variable it was given to.
static void nameBuffer(const Value &value, llvm::StringRef name) {
  const Runtime *runtime = value.asRuntime();
  auto buffer = runtime ? runtime->ir.getDefiningOp<hk::LocalAllocOp>() : hk::LocalAllocOp();
  if (buffer && !buffer->hasAttr(hk::HkDialect::kNameAttr))
    buffer->setAttr(hk::HkDialect::kNameAttr, mlir::StringAttr::get(buffer.getContext(), name));
}

void KernelEmitter::assign(const ast::Expr *target, Value value) {
  At at(*this, target);
  if (auto *name = llvm::dyn_cast<ast::Name>(target)) {
    nameBuffer(value, name->id.str());
    return bind(name->slot, std::move(value), *target);
  }
  if (auto *sequence = llvm::dyn_cast<ast::Sequence>(target))
    return unpack(*sequence, value);
  if (llvm::isa<ast::Starred>(target))
    error("`*` in the targets of an assignment is not supported in kernels", "take the parts by index: rest = t[1:]");
  if (llvm::isa<ast::Subscript>(target))
    error("cannot assign to elements: tensors and tuples do not change",
          "use gl.where for tensors in registers, gl.store for memory, smem.store for shared memory");
  if (llvm::isa<ast::Attribute>(target))
    error("cannot assign to attributes in kernels", "use a local name");
  error("cannot assign to this expression");
}

void KernelEmitter::unpack(const ast::Sequence &targets, const Value &value) {
  for (const ast::Expr *target : targets.elements)
    if (llvm::isa<ast::Starred>(target))
      assign(target, {});
  std::optional<std::vector<Value>> elements = value.asSequence();
  if (!elements)
    error("cannot unpack " + value.describe() + " into " + std::to_string(targets.elements.size()) + " names");
  if (elements->size() != targets.elements.size())
    error("cannot unpack " + std::to_string(elements->size()) + " values into " +
          std::to_string(targets.elements.size()) + " names");
  for (auto [target, element] : llvm::zip(targets.elements, *elements))
    assign(target, element);
}

void KernelEmitter::visitAugmentedAssign(const ast::AugmentedAssign &node) {
  auto *name = llvm::dyn_cast<ast::Name>(node.target);
  if (!name)
    return assign(node.target, {}); // says what to do instead
  Value left = visit(node.target);
  bind(name->slot, decay(visitBinary(node.op, left, visit(node.value))), node);
}

void KernelEmitter::visitAnnotatedAssign(const ast::AnnotatedAssign &node) {
  Value annotation = visit(node.annotation);
  bool isConstexpr = annotation.isCompileTime() && annotation.toPython().is(languageObject("constexpr"));
  if (!node.value) {
    if (isConstexpr)
      error("a `gl.constexpr` needs its value where it is declared");
    return; // a bare annotation says nothing
  }
  Value value = visit(node.value);
  auto *name = llvm::dyn_cast<ast::Name>(node.target);
  if (!isConstexpr || !name)
    return assign(node.target, decay(std::move(value)));

  if (!value.isCompileTime())
    requireConstexpr(value, "the value of `" + name->id.str() + ": gl.constexpr`", rangeOf(*node.value));
  const Variable &variable = frame->variables[name->slot];
  if (variable.value && variable.where != &node)
    error("`" + name->id.str() + "` already has a value (line " + std::to_string(variable.where->line) +
              "), so it cannot become a constexpr",
          "use another name");
  bind(name->slot, std::move(value), node, /*isConstexpr=*/true);
}

// Return and assert ---------------------------------------------------------------------------------------------------

Value KernelEmitter::visitReturn(const ast::Return &node) {
  if (frame->loopDepth > 0)
    error("`return` inside a loop is not supported in kernels",
          "keep the result in a variable and return it after the loop");
  if (frame->stage)
    error("`return` inside a stage of a warp pipeline is not supported",
          "keep the result in a variable and return it after the stage");
  Value value = node.value ? decay(visit(node.value)) : Value::none();
  if (!frame->caller && !value.isNone())
    error("a kernel returns nothing, but this returns " + value.describe(), "store results with gl.store");
  return value;
}

void KernelEmitter::visitAssert(const ast::Assert &node) {
  Value condition = visit(node.condition);
  Value message = node.message ? visit(node.message) : Value::constant(py::str(""));
  if (condition.isCompileTime()) {
    if (runPython([&] { return isTrue(condition.toPython()); }))
      return;
    std::string text = node.message ? requireString(message, "the message of an assert", rangeOf(*node.message)) : "";
    error("this assertion is false at compile time" + (text.empty() ? "" : ": " + text));
  }
  CallArguments arguments;
  arguments.positional.push_back({std::move(condition), rangeOf(*node.condition)});
  arguments.positional.push_back({std::move(message), rangeOf(node.message ? *node.message : *node.condition)});
  callBuiltin(languageObject("device_assert"), std::move(arguments));
}
