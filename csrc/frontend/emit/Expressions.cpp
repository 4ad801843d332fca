//===- Expressions.cpp - One function per kind of expression --------------------------===//
//
// What is known at compile time is computed in Python (CompileTime.h), the rest is handed to semantics/.
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/KernelEmitter.h"
#include "frontend/semantics/Attributes.h"
#include "frontend/values/CompileTime.h"
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace hocket;
using namespace hocket::frontend;

Value KernelEmitter::visit(const ast::Expr *expr) {
  At at(*this, expr);
  // Whatever Python raises below, it is told as a mistake in this expression.
  return runPython([&] { return visitKind(expr); });
}

Value KernelEmitter::visitKind(const ast::Expr *expr) {
  return llvm::TypeSwitch<const ast::Node *, Value>(expr)
      .Case([&](const ast::Name *node) { return loadName(*node); })
      .Case([&](const ast::Constant *node) { return Value::constant(py::reinterpret_borrow<py::object>(node->value)); })
      .Case([&](const ast::Call *node) { return visitCall(*node); })
      .Case([&](const ast::Attribute *node) { return visitAttribute(*node); })
      .Case([&](const ast::Binary *node) {
        Value left = visit(node->left);
        return visitBinary(node->op, left, visit(node->right));
      })
      .Case([&](const ast::Compare *node) { return visitCompare(*node); })
      .Case([&](const ast::Subscript *node) { return visitSubscript(*node); })
      .Case([&](const ast::Unary *node) { return visitUnary(*node); })
      .Case([&](const ast::Logical *node) { return visitLogical(*node); })
      .Case([&](const ast::Conditional *node) { return visitConditional(*node); })
      .Case([&](const ast::Sequence *node) { return visitSequence(*node); })
      .Case([&](const ast::Comprehension *node) { return visitComprehension(*node); })
      .Case([&](const ast::FormatString *node) { return visitFormatString(*node); })
      .Case([&](const ast::NamedExpression *node) {
        Value value = decay(visit(node->value));
        bind(node->target->slot, value, *node);
        return value;
      })
      .Case([&](const ast::Slice *node) { return Value::constant(pythonSlice(*node)); })
      .Case([&](const ast::Starred *) -> Value {
        error("`*` can only unpack arguments of a call and elements of a tuple or list");
      })
      .Case([&](const ast::UnsupportedExpression *node) -> Value { raiseUnsupported(*node, node->pythonKind); })
      .Default([&](const ast::Node *) -> Value { error("this expression is not supported in kernels"); });
}

// Attributes and subscripts -------------------------------------------------------------------------------------------

Value KernelEmitter::visitAttribute(const ast::Attribute &node) {
  Value base = visit(node.base);
  return attribute(*this, base, node.name.str());
}

py::object KernelEmitter::pythonSlice(const ast::Slice &node) {
  auto bound = [&](const ast::Expr *expr) -> py::object {
    return expr ? requireConstexpr(visit(expr), "a bound of a slice", rangeOf(*expr)) : py::none();
  };
  py::object lower = bound(node.lower), upper = bound(node.upper), step = bound(node.step);
  return py::reinterpret_steal<py::object>(PySlice_New(lower.ptr(), upper.ptr(), step.ptr()));
}

SubscriptItem KernelEmitter::subscriptItem(const ast::Expr *expr) {
  SourceRange where = rangeOf(*expr);
  if (auto *slice = llvm::dyn_cast<ast::Slice>(expr)) {
    bool isFull = !slice->lower && !slice->upper && !slice->step;
    return {isFull ? SubscriptItem::FullSlice : SubscriptItem::PartialSlice, {}, where};
  }
  Value value = visit(expr);
  if (value.isNone())
    return {SubscriptItem::None, {}, where};
  return {SubscriptItem::Index, std::move(value), where};
}

Value KernelEmitter::visitSubscript(const ast::Subscript &node) {
  Value base = visit(node.base);
  if (base.asRuntime()) {
    llvm::SmallVector<SubscriptItem> items;
    auto *sequence = llvm::dyn_cast<ast::Sequence>(node.index);
    if (sequence && !sequence->isList)
      for (const ast::Expr *element : sequence->elements)
        items.push_back(subscriptItem(element));
    else
      items.push_back(subscriptItem(node.index));
    return subscript(*this, base, items);
  }
  if (base.asBoundMethod())
    error("cannot index " + base.describe());

  py::object index = requireConstexpr(visit(node.index), "the index of a tuple", rangeOf(*node.index));
  const Tuple *tuple = base.asTuple();
  if (!tuple)
    return runPython([&] { return Value::constant(unwrapConstexpr(base.asConstexpr()->object[index])); });
  size_t count = tuple->elements.size();
  if (PyLong_Check(index.ptr())) {
    int64_t position = requireInt(Value::constant(index), "the index of a tuple", rangeOf(*node.index));
    if (position >= static_cast<int64_t>(count) || position < -static_cast<int64_t>(count))
      error("index " + std::to_string(position) + " is out of range for a tuple of " + std::to_string(count));
    return tuple->elements[position < 0 ? position + count : position];
  }
  // A slice: let Python interpret it, by selecting among the positions.
  return runPython([&]() -> Value {
    py::list positions;
    for (size_t i = 0; i < count; ++i)
      positions.append(i);
    Tuple part;
    for (py::handle position : py::object(positions[index]))
      part.elements.push_back(tuple->elements[position.cast<size_t>()]);
    return part;
  });
}

// Operators -----------------------------------------------------------------------------------------------------------

Value KernelEmitter::visitBinary(BinaryOperator op, const Value &left, const Value &right) {
  if (left.isCompileTime() && right.isCompileTime())
    return runPython([&] { return Value::constant(applyBinary(op, left.toPython(), right.toPython())); });
  std::optional<std::vector<Value>> leftItems = left.asSequence(), rightItems = right.asSequence();
  if (op == BinaryOperator::Add && leftItems && rightItems) {
    leftItems->insert(leftItems->end(), rightItems->begin(), rightItems->end());
    return Tuple{std::move(*leftItems), {}};
  }
  if (leftItems || rightItems)
    error("cannot apply `" + std::string(spelling(op)) + "` to " + left.describe() + " and " + right.describe());
  return binaryOp(*this, op, left, right);
}

Value KernelEmitter::visitUnary(const ast::Unary &node) {
  Value operand = visit(node.operand);
  if (operand.isCompileTime())
    return runPython([&] { return Value::constant(applyUnary(node.op, operand.toPython())); });
  return unaryOp(*this, node.op, operand);
}

/// Python's `and` and `or` stop early where the left side decides at compile time.
Value KernelEmitter::visitLogical(const ast::Logical &node) {
  Value result = visit(node.operands.front());
  for (const ast::Expr *operand : node.operands.drop_front()) {
    if (result.isCompileTime()) {
      bool decided = runPython([&] { return isTrue(result.toPython()); }) != node.isAnd;
      if (decided)
        return result;
      result = visit(operand);
      continue;
    }
    result = logicalOp(*this, node.isAnd, result, visit(operand));
  }
  return result;
}

Value KernelEmitter::visitCompare(const ast::Compare &node) {
  if (node.isChain)
    error("chained comparisons are not supported in kernels", "write `a < b and b < c` for `a < b < c`");
  Value left = visit(node.left), right = visit(node.right);
  if (left.isCompileTime() && right.isCompileTime())
    return runPython([&] { return Value::constant(applyCompare(node.op, left.toPython(), right.toPython())); });
  bool isIdentity = node.op == CompareOperator::Is || node.op == CompareOperator::IsNot;
  if (isIdentity && (left.isNone() || right.isNone())) // a run-time value is not None
    return Value::constant(py::bool_(node.op == CompareOperator::IsNot));
  if (isIdentity)
    error("`" + std::string(spelling(node.op)) + "` compares compile-time objects only",
          node.op == CompareOperator::Is ? "use `==` for numbers" : "use `!=` for numbers");
  if (node.op == CompareOperator::In || node.op == CompareOperator::NotIn)
    error("`" + std::string(spelling(node.op)) + "` needs values known at compile time",
          "write the comparisons out: `x == a or x == b`");
  if (left.asTuple() || right.asTuple())
    error("cannot compare " + left.describe() + " with " + right.describe());
  return compare(*this, node.op, left, right);
}

Value KernelEmitter::visitConditional(const ast::Conditional &node) {
  std::variant<bool, Runtime> condition = visitCondition(node.condition, "if");
  if (const bool *known = std::get_if<bool>(&condition))
    return visit(*known ? node.whenTrue : node.whenFalse);
  return emitBranches(
      std::get<Runtime>(condition), [&] { return decay(visit(node.whenTrue)); },
      [&] { return decay(visit(node.whenFalse)); }, "the two values of this conditional expression");
}

// Sequences and strings -----------------------------------------------------------------------------------------------

Value KernelEmitter::visitSequence(const ast::Sequence &node) {
  Tuple tuple;
  if (node.isList)
    tuple.pythonClass = py::type::of(py::list());
  for (const ast::Expr *element : node.elements) {
    if (auto *starred = llvm::dyn_cast<ast::Starred>(element)) {
      std::vector<Value> values = iterate(starred->value);
      tuple.elements.insert(tuple.elements.end(), values.begin(), values.end());
    } else {
      tuple.elements.push_back(visit(element));
    }
  }
  return tuple;
}

std::vector<Value> KernelEmitter::iterate(const ast::Expr *iterable) {
  Value value = visit(iterable);
  At at(*this, iterable);
  if (std::optional<std::vector<Value>> elements = value.asSequence())
    return std::move(*elements);
  if (const Constexpr *constant = value.asConstexpr(); constant && py::isinstance<py::iterable>(constant->object))
    return runPython([&] {
      std::vector<Value> elements;
      for (py::handle element : constant->object)
        elements.push_back(Value::constant(unwrapConstexpr(element)));
      return elements;
    });
  error("cannot iterate over " + value.describe() + " at compile time",
        "tuples, lists and ranges of constexprs can be");
}

/// The variables of a comprehension end with it.
void KernelEmitter::forget(const ast::Expr *target) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target))
    frame->variables[name->slot] = {};
  else if (auto *sequence = llvm::dyn_cast<ast::Sequence>(target))
    for (const ast::Expr *element : sequence->elements)
      forget(element);
}

Value KernelEmitter::visitComprehension(const ast::Comprehension &node) {
  if (node.hasSeveralGenerators)
    error("list comprehensions with several `for` are not supported in kernels", "nest two list comprehensions");
  Tuple result;
  result.pythonClass = py::type::of(py::list());
  for (Value &item : iterate(node.iterable)) {
    assign(node.target, std::move(item));
    bool keep = llvm::all_of(node.conditions, [&](const ast::Expr *condition) {
      std::variant<bool, Runtime> truth = visitCondition(condition, "if");
      if (const bool *known = std::get_if<bool>(&truth))
        return *known;
      errorAt(rangeOf(*condition), "the `if` of a list comprehension must be known at compile time", {});
    });
    if (keep)
      result.elements.push_back(visit(node.element));
  }
  forget(node.target);
  return result;
}

std::string KernelEmitter::formatPiece(const ast::FormatPiece &piece) {
  py::object value = requireConstexpr(visit(piece.value), "a value in an f-string", rangeOf(*piece.value));
  py::object format = piece.format ? visit(piece.format).toPython() : py::object(py::str(""));
  return runPython([&] {
    py::object shown = value;
    if (piece.conversion == 'r')
      shown = py::repr(value);
    else if (piece.conversion == 'a')
      shown = py::reinterpret_steal<py::object>(PyObject_ASCII(value.ptr()));
    else if (piece.conversion == 's')
      shown = py::str(value);
    auto text = py::reinterpret_steal<py::object>(PyObject_Format(shown.ptr(), format.ptr()));
    if (!text)
      throw py::error_already_set();
    return text.cast<std::string>();
  });
}

Value KernelEmitter::visitFormatString(const ast::FormatString &node) {
  std::string text;
  for (const ast::FormatPiece &piece : node.pieces)
    text += formatPiece(piece);
  return Value::constant(py::str(text));
}
