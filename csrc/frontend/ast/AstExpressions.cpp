//===- AstExpressions.cpp - Expressions of Python's ast ---------------------------------===//
#include "frontend/ast/AstConverter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hocket::frontend;
using namespace hocket::frontend::ast;
namespace py = pybind11;

const Expr *AstConverter::constant(py::handle from) {
  Constant *node = make<Constant>(from);
  function.constants.push_back(from.attr("value"));
  node->value = function.constants.back().ptr();
  return node;
}

const Expr *AstConverter::name(py::handle from) {
  Name *node = make<Name>(from);
  node->id = string(from.attr("id"));
  node->slot = -1;
  bool isLoad = typeName(from.attr("ctx")) == "Load";
  if (inComprehensionTarget) {
    // The variable of a comprehension exists only inside the comprehension. It therefore has its own slot, even if a
    // local variable has the same name.
    node->slot = static_cast<int>(function.locals.size());
    function.locals.push_back(node->id.str());
    comprehensionNames.emplace_back(node->id.str(), node->slot);
    return node;
  }
  for (auto &[id, slot] : llvm::reverse(comprehensionNames))
    if (id == node->id) {
      node->slot = slot;
      return node;
    }
  if (isLoad) {
    pendingLoads.push_back(node);
    return node;
  }
  node->slot = declareLocal(node->id);
  noteBinding(node->slot);
  return node;
}

const Expr *AstConverter::call(py::handle from) {
  Call *node = make<Call>(from);
  node->callee = expression(from.attr("func"));
  node->arguments = expressions(from.attr("args"));
  std::vector<Keyword> keywords;
  for (py::handle keyword : from.attr("keywords")) {
    py::object name = keyword.attr("arg");
    Keyword item{name.is_none() ? llvm::StringRef() : string(name), expression(keyword.attr("value")), {}};
    setPosition(item.place, keyword);
    keywords.push_back(item);
  }
  node->keywords = copy<Keyword>(keywords);
  return node;
}

std::optional<BinaryOperator> AstConverter::binaryOperator(py::handle from) {
  return llvm::StringSwitch<std::optional<BinaryOperator>>(typeName(from))
      .Case("Add", BinaryOperator::Add)
      .Case("Sub", BinaryOperator::Sub)
      .Case("Mult", BinaryOperator::Mul)
      .Case("Div", BinaryOperator::Div)
      .Case("FloorDiv", BinaryOperator::FloorDiv)
      .Case("Mod", BinaryOperator::Mod)
      .Case("Pow", BinaryOperator::Pow)
      .Case("LShift", BinaryOperator::Shl)
      .Case("RShift", BinaryOperator::Shr)
      .Case("BitAnd", BinaryOperator::And)
      .Case("BitOr", BinaryOperator::Or)
      .Case("BitXor", BinaryOperator::Xor)
      .Case("MatMult", BinaryOperator::MatMul)
      .Default(std::nullopt);
}

UnaryOperator AstConverter::unaryOperator(py::handle from) {
  return llvm::StringSwitch<UnaryOperator>(typeName(from))
      .Case("USub", UnaryOperator::Negate)
      .Case("UAdd", UnaryOperator::Plus)
      .Case("Invert", UnaryOperator::Invert)
      .Default(UnaryOperator::Not);
}

CompareOperator AstConverter::compareOperator(py::handle from) {
  return llvm::StringSwitch<CompareOperator>(typeName(from))
      .Case("Eq", CompareOperator::Eq)
      .Case("NotEq", CompareOperator::Ne)
      .Case("Lt", CompareOperator::Lt)
      .Case("LtE", CompareOperator::Le)
      .Case("Gt", CompareOperator::Gt)
      .Case("GtE", CompareOperator::Ge)
      .Case("Is", CompareOperator::Is)
      .Case("IsNot", CompareOperator::IsNot)
      .Case("In", CompareOperator::In)
      .Default(CompareOperator::NotIn);
}

const Expr *AstConverter::compare(py::handle from) {
  Compare *node = make<Compare>(from);
  py::list operators = from.attr("ops"), others = from.attr("comparators");
  node->left = expression(from.attr("left"));
  node->op = compareOperator(operators[0]);
  node->right = expression(others[0]);
  std::vector<CompareOperator> more;
  std::vector<const Expr *> operands;
  for (size_t i = 1; i < operators.size(); ++i) {
    more.push_back(compareOperator(operators[i]));
    operands.push_back(expression(others[i]));
  }
  node->moreOperators = copy<CompareOperator>(more);
  node->moreOperands = copy<const Expr *>(operands);
  const Binary *middle = more.empty() ? nullptr : llvm::dyn_cast<Binary>(node->right);
  node->hasBitsBetween = middle && (middle->op == BinaryOperator::And || middle->op == BinaryOperator::Or);
  return node;
}

const Expr *AstConverter::comprehension(py::handle from) {
  Comprehension *node = make<Comprehension>(from);
  py::list generators = from.attr("generators");
  py::object generator = generators[0];
  node->hasSeveralGenerators = generators.size() > 1;
  node->iterable = expression(generator.attr("iter")); // the iterable is evaluated outside of the comprehension's scope
  size_t outerNames = comprehensionNames.size();
  inComprehensionTarget = true;
  node->target = expression(generator.attr("target"));
  inComprehensionTarget = false;
  node->conditions = expressions(generator.attr("ifs"));
  node->element = expression(from.attr("elt"));
  comprehensionNames.resize(outerNames);
  return node;
}

const Expr *AstConverter::formatString(py::handle from) {
  FormatString *node = make<FormatString>(from);
  std::vector<FormatPiece> pieces;
  for (py::handle piece : from.attr("values")) {
    if (typeName(piece) != "FormattedValue") {
      pieces.push_back({expression(piece), 0, nullptr});
      continue;
    }
    int conversion = integer(piece, "conversion");
    pieces.push_back({expression(piece.attr("value")), static_cast<char>(conversion < 0 ? 0 : conversion),
                      optionalExpression(piece.attr("format_spec"))});
  }
  node->pieces = copy<FormatPiece>(pieces);
  return node;
}

const Expr *AstConverter::sequence(py::handle from, bool isList) {
  Sequence *node = make<Sequence>(from);
  node->isList = isList;
  node->elements = expressions(from.attr("elts"));
  return node;
}

const Expr *AstConverter::unsupportedExpression(py::handle from, llvm::StringRef kind) {
  UnsupportedExpression *node = make<UnsupportedExpression>(from);
  node->pythonKind = kind.copy(function.arena);
  return node;
}

const Expr *AstConverter::expression(py::handle from) {
  if (isStackNearlyFull())
    return unsupportedExpression(from, kNestedTooDeeply);
  llvm::StringRef kind = typeName(from);
  if (kind == "Name")
    return name(from);
  if (kind == "Constant")
    return constant(from);
  if (kind == "Attribute") {
    Attribute *node = make<Attribute>(from);
    node->base = expression(from.attr("value"));
    node->name = string(from.attr("attr"));
    return node;
  }
  if (kind == "Call")
    return call(from);
  if (kind == "BinOp") {
    Binary *node = make<Binary>(from);
    node->left = expression(from.attr("left"));
    node->op = *binaryOperator(from.attr("op"));
    node->right = expression(from.attr("right"));
    return node;
  }
  if (kind == "Compare")
    return compare(from);
  if (kind == "Subscript") {
    Subscript *node = make<Subscript>(from);
    node->base = expression(from.attr("value"));
    node->index = expression(from.attr("slice"));
    return node;
  }
  if (kind == "UnaryOp") {
    Unary *node = make<Unary>(from);
    node->op = unaryOperator(from.attr("op"));
    node->operand = expression(from.attr("operand"));
    return node;
  }
  if (kind == "Tuple" || kind == "List")
    return sequence(from, kind == "List");
  if (kind == "Slice") {
    Slice *node = make<Slice>(from);
    node->lower = optionalExpression(from.attr("lower"));
    node->upper = optionalExpression(from.attr("upper"));
    node->step = optionalExpression(from.attr("step"));
    return node;
  }
  if (kind == "BoolOp") {
    Logical *node = make<Logical>(from);
    node->isAnd = typeName(from.attr("op")) == "And";
    node->operands = expressions(from.attr("values"));
    return node;
  }
  if (kind == "IfExp") {
    Conditional *node = make<Conditional>(from);
    node->condition = expression(from.attr("test"));
    node->whenTrue = expression(from.attr("body"));
    node->whenFalse = expression(from.attr("orelse"));
    return node;
  }
  if (kind == "ListComp")
    return comprehension(from);
  if (kind == "JoinedStr")
    return formatString(from);
  if (kind == "NamedExpr") {
    NamedExpression *node = make<NamedExpression>(from);
    node->value = expression(from.attr("value"));
    node->target = llvm::cast<Name>(expression(from.attr("target")));
    return node;
  }
  if (kind == "Starred") {
    Starred *node = make<Starred>(from);
    node->value = expression(from.attr("value"));
    return node;
  }
  if (kind == "Lambda")
    return lambda(from);
  return unsupportedExpression(from, typeName(from));
}
