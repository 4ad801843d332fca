//===- AstStatements.cpp - Statements and functions of Python's ast ----------------------===//
#include "frontend/ast/AstConverter.h"
#include "frontend/ast/CallSignature.h"

using namespace hocket::frontend;
using namespace hocket::frontend::ast;
namespace py = pybind11;

const Stmt *AstConverter::ifStatement(py::handle from) {
  If *node = make<If>(from);
  node->condition = expression(from.attr("test"));
  auto convert = [&] {
    node->body = statements(from.attr("body"));
    node->orElse = statements(from.attr("orelse"));
  };
  node->jumps = collectJumps(convert, /*isLoop=*/false);
  return node;
}

const Stmt *AstConverter::forStatement(py::handle from) {
  For *node = make<For>(from);
  node->iterable = expression(from.attr("iter"));
  inLoopTarget = true;
  node->target = expression(from.attr("target"));
  inLoopTarget = false;
  auto convert = [&] { node->body = statements(from.attr("body")); };
  node->assigned = collectAssigned([&] { node->jumps = collectJumps(convert, /*isLoop=*/true); });
  node->hasElse = py::len(from.attr("orelse")) > 0;
  return node;
}

const Stmt *AstConverter::whileStatement(py::handle from) {
  While *node = make<While>(from);
  auto convert = [&] {
    node->condition = expression(from.attr("test"));
    node->body = statements(from.attr("body"));
  };
  node->assigned = collectAssigned([&] { node->jumps = collectJumps(convert, /*isLoop=*/true); });
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

/// True if `annotation`, a node of Python's AST or None, is `gl.constexpr` or `constexpr`, with or without a subscript,
/// or a text of these.
static bool isConstexprNode(py::handle annotation) {
  if (annotation.is_none())
    return false;
  auto kind = py::type::of(annotation).attr("__name__").cast<std::string>();
  if (kind == "Subscript")
    return isConstexprNode(annotation.attr("value"));
  py::object name = kind == "Attribute" ? annotation.attr("attr")
                    : kind == "Name"    ? annotation.attr("id")
                                        : py::getattr(annotation, "value", py::none());
  return py::isinstance<py::str>(name) && isConstexprText(name.cast<std::string>());
}

int AstConverter::innerFunction(py::handle from) {
  InnerFunction inner;
  std::vector<std::string> names;
  py::object arguments = from.attr("args");
  auto add = [&](py::handle argument, InnerParameter::Kind kind, py::handle defaultValue) {
    if (argument.is_none())
      return;
    names.push_back(argument.attr("arg").cast<std::string>());
    bool hasDefault = defaultValue && !defaultValue.is_none();
    inner.parameters.push_back({names.back(), kind, isConstexprNode(argument.attr("annotation")),
                                hasDefault ? expression(defaultValue) : nullptr});
  };
  py::list positional = arguments.attr("posonlyargs") + arguments.attr("args"), defaults = arguments.attr("defaults");
  for (size_t i = 0; i < positional.size(); ++i) {
    size_t fromEnd = positional.size() - i;
    add(positional[i], InnerParameter::Normal,
        fromEnd <= defaults.size() ? py::object(defaults[defaults.size() - fromEnd]) : py::object());
  }
  add(arguments.attr("vararg"), InnerParameter::VarArgs, {});
  py::list keywordOnly = arguments.attr("kwonlyargs"), keywordDefaults = arguments.attr("kw_defaults");
  for (size_t i = 0; i < keywordOnly.size(); ++i)
    add(keywordOnly[i], InnerParameter::KeywordOnly, py::object(keywordDefaults[i]));
  add(arguments.attr("kwarg"), InnerParameter::VarKeywords, {});
  inner.tree = convertFunction(from, lineOffset, names);
  function.inner.push_back(std::move(inner));
  return static_cast<int>(function.inner.size()) - 1;
}

const Stmt *AstConverter::functionDefinition(py::handle from) {
  FunctionDefinition *node = make<FunctionDefinition>(from);
  node->hasDecorators = py::len(from.attr("decorator_list")) > 0;
  node->index = innerFunction(from);
  node->slot = declareLocal(from.attr("name").cast<std::string>());
  noteBinding(node->slot);
  return node;
}

const Expr *AstConverter::lambda(py::handle from) {
  Lambda *node = make<Lambda>(from);
  node->index = innerFunction(from);
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
    jumps.returns = true;
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
  if (kind == "Break") {
    jumps.breaks = true;
    return make<Break>(from);
  }
  if (kind == "Continue") {
    jumps.continues = true;
    return make<Continue>(from);
  }
  if (kind == "FunctionDef")
    return functionDefinition(from);
  return unsupportedStatement(from, typeName(from));
}

std::unique_ptr<Function> hocket::frontend::ast::convertFunction(py::handle functionDef, int lineOffset,
                                                                 llvm::ArrayRef<std::string> parameters) {
  auto function = std::make_unique<Function>();
  bool isLambda = !py::hasattr(functionDef, "name");
  function->name = isLambda ? "lambda" : functionDef.attr("name").cast<std::string>();
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

  function->body =
      isLambda ? converter.returned(functionDef.attr("body")) : converter.statements(functionDef.attr("body"));
  converter.resolveLoads();
  return function;
}
