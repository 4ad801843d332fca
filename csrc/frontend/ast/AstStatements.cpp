//===- AstStatements.cpp - Statements and functions of Python's ast ----------------------===//
#include "frontend/ast/AstConverter.h"

using namespace hocket::frontend;
using namespace hocket::frontend::ast;
namespace py = pybind11;

const Stmt *AstConverter::ifStatement(py::handle from) {
  If *node = make<If>(from);
  bool outerReturn = std::exchange(sawReturn, false);
  node->condition = expression(from.attr("test"));
  node->body = statements(from.attr("body"));
  node->orElse = statements(from.attr("orelse"));
  node->hasReturn = sawReturn;
  sawReturn |= outerReturn;
  return node;
}

const Stmt *AstConverter::forStatement(py::handle from) {
  For *node = make<For>(from);
  node->iterable = expression(from.attr("iter"));
  node->target = expression(from.attr("target"));
  node->assigned = collectAssigned([&] { node->body = statements(from.attr("body")); });
  node->hasElse = py::len(from.attr("orelse")) > 0;
  return node;
}

const Stmt *AstConverter::whileStatement(py::handle from) {
  While *node = make<While>(from);
  node->assigned = collectAssigned([&] {
    node->condition = expression(from.attr("test"));
    node->body = statements(from.attr("body"));
  });
  node->hasElse = py::len(from.attr("orelse")) > 0;
  return node;
}

const Stmt *AstConverter::withStatement(py::handle from) {
  With *node = make<With>(from);
  std::vector<ContextManager> items;
  for (py::handle item : from.attr("items"))
    items.push_back({expression(item.attr("context_expr")), optionalExpression(item.attr("optional_vars"))});
  node->items = copy<ContextManager>(items);
  node->body = statements(from.attr("body"));
  return node;
}

const Stmt *AstConverter::unsupportedStatement(py::handle from, llvm::StringRef kind) {
  UnsupportedStatement *node = make<UnsupportedStatement>(from);
  node->pythonKind = kind.copy(function.arena);
  return node;
}

const Stmt *AstConverter::statement(py::handle from) {
  if (isStackNearlyFull())
    return unsupportedStatement(from, kNestedTooDeeply);
  llvm::StringRef kind = typeName(from);
  if (kind == "Assign") {
    Assign *node = make<Assign>(from);
    node->value = expression(from.attr("value"));
    node->targets = expressions(from.attr("targets"));
    return node;
  }
  if (kind == "Expr") {
    Expression *node = make<Expression>(from);
    node->value = expression(from.attr("value"));
    return node;
  }
  if (kind == "AnnAssign") {
    AnnotatedAssign *node = make<AnnotatedAssign>(from);
    node->annotation = expression(from.attr("annotation"));
    node->value = optionalExpression(from.attr("value"));
    node->target = expression(from.attr("target"));
    return node;
  }
  if (kind == "AugAssign") {
    AugmentedAssign *node = make<AugmentedAssign>(from);
    node->op = *binaryOperator(from.attr("op"));
    node->value = expression(from.attr("value"));
    node->target = expression(from.attr("target"));
    return node;
  }
  if (kind == "If")
    return ifStatement(from);
  if (kind == "For")
    return forStatement(from);
  if (kind == "While")
    return whileStatement(from);
  if (kind == "With")
    return withStatement(from);
  if (kind == "Return") {
    sawReturn = true;
    Return *node = make<Return>(from);
    node->value = optionalExpression(from.attr("value"));
    return node;
  }
  if (kind == "Assert") {
    Assert *node = make<Assert>(from);
    node->condition = expression(from.attr("test"));
    node->message = optionalExpression(from.attr("msg"));
    return node;
  }
  if (kind == "Pass")
    return make<Pass>(from);
  return unsupportedStatement(from, typeName(from));
}

std::unique_ptr<Function> hocket::frontend::ast::convertFunction(py::handle functionDef, int lineOffset,
                                                                 llvm::ArrayRef<std::string> parameters) {
  auto function = std::make_unique<Function>();
  function->name = functionDef.attr("name").cast<std::string>();
  AstConverter converter(*function, lineOffset);
  converter.setPosition(function->header, functionDef);
  for (const std::string &parameter : parameters)
    converter.declareLocal(parameter);

  py::object arguments = functionDef.attr("args");
  auto addParameter = [&](py::handle argument) {
    if (argument.is_none())
      return;
    Stmt node{};
    converter.setPosition(node, argument);
    function->parameterNodes.push_back(node);
  };
  for (const char *group : {"posonlyargs", "args"})
    for (py::handle argument : arguments.attr(group))
      addParameter(argument);
  addParameter(arguments.attr("vararg"));
  for (py::handle argument : arguments.attr("kwonlyargs"))
    addParameter(argument);
  addParameter(arguments.attr("kwarg"));

  function->body = converter.statements(functionDef.attr("body"));
  converter.resolveLoads();
  return function;
}
