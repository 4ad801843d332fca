//===- SourceAst.cpp - Python's ast to the compact tree ------------------------------===//
//
// What the language does not have becomes an Unsupported node, and is reported when it is visited: code in a branch
// that is not taken at compile time may hold anything.
//
//===------------------------------------------------------------------------------===//
#include "frontend/SourceAst.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hocket::frontend;
using namespace hocket::frontend::ast;
namespace py = pybind11;

namespace {

class Converter {
public:
  Converter(Function &function, int lineOffset) : function(function), lineOffset(lineOffset) {}

  int declareLocal(llvm::StringRef name) {
    auto [entry, isNew] = slots.try_emplace(name, static_cast<int>(function.locals.size()));
    if (isNew)
      function.locals.push_back(name.str());
    return entry->second;
  }
  /// Loads that came before the first assignment of their name are resolved at the end.
  void resolveLoads() {
    for (Name *name : pendingLoads)
      if (auto entry = slots.find(name->id); entry != slots.end())
        name->slot = entry->second;
  }
  void setPosition(Node &node, py::handle from) {
    node.line = integer(from, "lineno") + lineOffset;
    node.column = integer(from, "col_offset");
    node.endLine = integer(from, "end_lineno") + lineOffset;
    node.endColumn = integer(from, "end_col_offset");
  }
  List<const Stmt *> statements(py::handle list) {
    std::vector<const Stmt *> result;
    for (py::handle item : list)
      result.push_back(statement(item));
    return copy<const Stmt *>(result);
  }

private:
  // Arena and attributes
  template <typename T>
  T *make(py::handle from) {
    T *node = new (function.arena) T();
    node->kind = T::nodeKind;
    setPosition(*node, from);
    return node;
  }
  template <typename T>
  List<T> copy(llvm::ArrayRef<T> items) {
    return items.copy(function.arena);
  }
  llvm::StringRef string(py::handle text) {
    return llvm::StringRef(text.cast<std::string_view>()).copy(function.arena);
  }
  static int integer(py::handle object, const char *name) { return PyLong_AsLong(object.attr(name).ptr()); }
  static llvm::StringRef typeName(py::handle object) {
    llvm::StringRef name = Py_TYPE(object.ptr())->tp_name;
    return name.substr(name.rfind('.') + 1);
  }

  // Expressions
  const Expr *expression(py::handle from);
  const Expr *optionalExpression(py::handle from) { return from.is_none() ? nullptr : expression(from); }
  List<const Expr *> expressions(py::handle list) {
    std::vector<const Expr *> result;
    for (py::handle item : list)
      result.push_back(expression(item));
    return copy<const Expr *>(result);
  }
  const Expr *constant(py::handle from);
  const Expr *name(py::handle from);
  const Expr *call(py::handle from);
  const Expr *compare(py::handle from);
  const Expr *comprehension(py::handle from);
  const Expr *formatString(py::handle from);
  const Expr *sequence(py::handle from, bool isList);
  const Expr *unsupportedExpression(py::handle from);
  static std::optional<BinaryOperator> binaryOperator(py::handle from);
  static UnaryOperator unaryOperator(py::handle from);
  static CompareOperator compareOperator(py::handle from);

  // Statements
  const Stmt *statement(py::handle from);
  const Stmt *ifStatement(py::handle from);
  const Stmt *forStatement(py::handle from);
  const Stmt *whileStatement(py::handle from);
  const Stmt *unsupportedStatement(py::handle from);
  /// Runs `convert` and returns the slots that it bound.
  template <typename F>
  List<int> collectAssigned(F &&convert) {
    collectors.emplace_back();
    convert();
    llvm::SmallSetVector<int, 8> assigned = collectors.pop_back_val();
    if (!collectors.empty())
      collectors.back().insert(assigned.begin(), assigned.end());
    return copy<int>(assigned.getArrayRef());
  }

  Function &function;
  int lineOffset;
  llvm::StringMap<int> slots;
  std::vector<Name *> pendingLoads;
  llvm::SmallVector<llvm::SmallSetVector<int, 8>, 4> collectors;
  /// Names bound by the comprehensions around the current expression, innermost last.
  std::vector<std::pair<std::string, int>> comprehensionNames;
  bool inComprehensionTarget = false;
  bool sawReturn = false;
};

// Expressions ---------------------------------------------------------------------------------------------------------

const Expr *Converter::constant(py::handle from) {
  Constant *node = make<Constant>(from);
  function.constants.push_back(from.attr("value"));
  node->value = function.constants.back().ptr();
  return node;
}

const Expr *Converter::name(py::handle from) {
  Name *node = make<Name>(from);
  node->id = string(from.attr("id"));
  node->slot = -1;
  bool isLoad = typeName(from.attr("ctx")) == "Load";
  if (inComprehensionTarget) {
    // A comprehension's variables live in it only: a slot of their own, whatever else bears the name.
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
  if (!collectors.empty())
    collectors.back().insert(node->slot);
  return node;
}

const Expr *Converter::call(py::handle from) {
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

std::optional<BinaryOperator> Converter::binaryOperator(py::handle from) {
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

UnaryOperator Converter::unaryOperator(py::handle from) {
  return llvm::StringSwitch<UnaryOperator>(typeName(from))
      .Case("USub", UnaryOperator::Negate)
      .Case("UAdd", UnaryOperator::Plus)
      .Case("Invert", UnaryOperator::Invert)
      .Default(UnaryOperator::Not);
}

CompareOperator Converter::compareOperator(py::handle from) {
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

const Expr *Converter::compare(py::handle from) {
  Compare *node = make<Compare>(from);
  py::list operators = from.attr("ops"), others = from.attr("comparators");
  node->left = expression(from.attr("left"));
  node->op = compareOperator(operators[0]);
  node->right = expression(others[0]);
  node->isChain = operators.size() > 1;
  return node;
}

const Expr *Converter::comprehension(py::handle from) {
  Comprehension *node = make<Comprehension>(from);
  py::list generators = from.attr("generators");
  py::object generator = generators[0];
  node->hasSeveralGenerators = generators.size() > 1;
  node->iterable = expression(generator.attr("iter")); // evaluated outside
  size_t outerNames = comprehensionNames.size();
  inComprehensionTarget = true;
  node->target = expression(generator.attr("target"));
  inComprehensionTarget = false;
  node->conditions = expressions(generator.attr("ifs"));
  node->element = expression(from.attr("elt"));
  comprehensionNames.resize(outerNames);
  return node;
}

const Expr *Converter::formatString(py::handle from) {
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

const Expr *Converter::sequence(py::handle from, bool isList) {
  Sequence *node = make<Sequence>(from);
  node->isList = isList;
  node->elements = expressions(from.attr("elts"));
  return node;
}

const Expr *Converter::unsupportedExpression(py::handle from) {
  UnsupportedExpression *node = make<UnsupportedExpression>(from);
  node->pythonKind = typeName(from).copy(function.arena);
  return node;
}

const Expr *Converter::expression(py::handle from) {
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
  return unsupportedExpression(from);
}

// Statements ----------------------------------------------------------------------------------------------------------

const Stmt *Converter::ifStatement(py::handle from) {
  If *node = make<If>(from);
  bool outerReturn = std::exchange(sawReturn, false);
  node->condition = expression(from.attr("test"));
  node->body = statements(from.attr("body"));
  node->orElse = statements(from.attr("orelse"));
  node->hasReturn = sawReturn;
  sawReturn |= outerReturn;
  return node;
}

const Stmt *Converter::forStatement(py::handle from) {
  For *node = make<For>(from);
  node->iterable = expression(from.attr("iter"));
  node->target = expression(from.attr("target"));
  node->assigned = collectAssigned([&] { node->body = statements(from.attr("body")); });
  node->hasElse = py::len(from.attr("orelse")) > 0;
  return node;
}

const Stmt *Converter::whileStatement(py::handle from) {
  While *node = make<While>(from);
  node->assigned = collectAssigned([&] {
    node->condition = expression(from.attr("test"));
    node->body = statements(from.attr("body"));
  });
  node->hasElse = py::len(from.attr("orelse")) > 0;
  return node;
}

const Stmt *Converter::unsupportedStatement(py::handle from) {
  UnsupportedStatement *node = make<UnsupportedStatement>(from);
  node->pythonKind = typeName(from).copy(function.arena);
  return node;
}

const Stmt *Converter::statement(py::handle from) {
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
  return unsupportedStatement(from);
}

} // namespace

std::unique_ptr<Function> hocket::frontend::ast::convertFunction(py::handle functionDef, int lineOffset,
                                                                 llvm::ArrayRef<std::string> parameters) {
  auto function = std::make_unique<Function>();
  function->name = functionDef.attr("name").cast<std::string>();
  Converter converter(*function, lineOffset);
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
