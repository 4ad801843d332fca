//===- OperatorExpressions.cpp - Arithmetic, comparisons, `and`, `or`, `not` -----------===//
#include "frontend/emit/Expressions.h"
#include "frontend/semantics/operators/Comparison.h"
#include "frontend/semantics/operators/Operators.h"
#include "frontend/values/CompileTime.h"
#include "frontend/values/LanguageObjects.h"
#include "mlir/IR/TypeUtilities.h"

using namespace hocket;
using namespace hocket::frontend;

/// Returns `value` as a Python object. A list is converted to a tuple if `other` is a tuple. `x.shape == [4, 8]` and
/// `[2] + x.shape` can therefore be evaluated.
static py::object asBeside(const Value &value, const Value &other) {
  py::object object = value.toPython();
  bool meetsTuple = PyList_Check(object.ptr()) && PyTuple_Check(other.toPython().ptr());
  return meetsTuple ? py::object(py::tuple(object)) : object;
}

Value ExpressionEmitter::visitBinary(BinaryOperator op, const Value &left, const Value &right) {
  if ((left.isNone() || right.isNone()) && left.isCompileTime() && right.isCompileTime())
    e.error("cannot apply `" + std::string(spelling(op)) + "` to " + left.describe() + " and " + right.describe(),
            "functions that return nothing, such as gl.store, give None");
  if (left.isCompileTime() && right.isCompileTime()) {
    py::object l = asBeside(left, right), r = asBeside(right, left);
    if (isTooLargeToCompute(op, l, r))
      e.error("the result of `" + std::string(spelling(op)) + "` is too large to be computed",
              "a kernel's integers have at most 64 bits");
    return e.runPython([&] { return Value::constant(applyBinary(op, l, r)); });
  }
  std::optional<std::vector<Value>> leftItems = left.asSequence(), rightItems = right.asSequence();
  if (op == BinaryOperator::Add && leftItems && rightItems) {
    leftItems->insert(leftItems->end(), rightItems->begin(), rightItems->end());
    return Tuple{std::move(*leftItems), {}};
  }
  if (leftItems || rightItems)
    e.error("cannot apply `" + std::string(spelling(op)) + "` to " + left.describe() + " and " + right.describe(),
            op == BinaryOperator::Mul ? "repeat with a comprehension: [x for _ in range(3)]"
                                      : "compute with the elements of a tuple or list: [x + 1 for x in xs]");
  return binaryOp(e, op, left, right);
}

Value ExpressionEmitter::visitUnary(const ast::Unary &node) {
  Value operand = visit(node.operand);
  if (operand.isCompileTime())
    return e.runPython([&] { return Value::constant(applyUnary(node.op, operand.toPython())); });
  return unaryOp(e, node.op, operand);
}

/// The right side of `and` and `or` is not evaluated if the left side determines the result at compile time.
Value ExpressionEmitter::visitLogical(const ast::Logical &node) {
  Value result = visit(node.operands.front());
  for (const ast::Expr *operand : node.operands.drop_front()) {
    if (result.isCompileTime()) {
      bool decided = e.runPython([&] { return isTrue(result.toPython()); }) != node.isAnd;
      if (decided)
        return result;
      result = visit(operand);
      continue;
    }
    result = logicalOp(e, node.isAnd, result, visit(operand));
  }
  return result;
}

/// True if `value`, the value of the expression `term`, is a bitwise operation on a condition and a number, such as
/// `mask & i`. In `mask & i < n`, which Python parses as `(mask & i) < n`, the user probably meant `mask & (i < n)`.
static bool joinsCondition(const ast::Expr *term, const Value &value) {
  auto *binary = llvm::dyn_cast<ast::Binary>(term);
  const Runtime *runtime = value.asRuntime();
  if (!binary || !runtime || (binary->op != BinaryOperator::And && binary->op != BinaryOperator::Or))
    return false;
  mlir::Operation *join = runtime->ir.getDefiningOp();
  auto isCondition = [&](mlir::Value operand) {
    auto isBool = [](mlir::Value v) { return mlir::getElementTypeOrSelf(v.getType()).isInteger(1); };
    mlir::Operation *op = operand.getDefiningOp();
    // Skips casts and broadcasts of the operand that the front end emitted for this operator.
    while (!isBool(operand) && op && op->getNumOperands() == 1 && op->getLoc() == join->getLoc()) {
      operand = op->getOperand(0);
      op = operand.getDefiningOp();
    }
    return isBool(operand);
  };
  return join && !runtime->type.dtype().isBool() && llvm::any_of(join->getOperands(), isCondition);
}

/// Raises an error for `x.dtype == "float32"` and `x.dtype is float`, which are never true.
static void checkDtypeComparison(Emitter &e, const Value &left, const Value &right) {
  auto isDtype = [](const Value &value) { return value.asConstexpr() && elementTypeFromPython(value.toPython()); };
  auto isOther = [](const Value &value) {
    PyObject *p = value.asConstexpr() ? value.asConstexpr()->object.ptr() : nullptr;
    return p && (PyUnicode_Check(p) || PyType_Check(p));
  };
  if ((isDtype(left) && isOther(right)) || (isDtype(right) && isOther(left)))
    e.error("a dtype is never equal to " + (isDtype(left) ? right : left).describe(),
            "compare with a dtype of the language, such as gl.float32");
}

Value ExpressionEmitter::visitCompare(const ast::Compare &node) {
  if (node.hasBitsBetween)
    e.error("`&` and `|` bind tighter than comparisons, so this is a chained comparison",
            "put the comparisons into parentheses: `(a < b) & (c < d)`");
  Value left = visit(node.left), right = visit(node.right);
  if (joinsCondition(node.left, left) || joinsCondition(node.right, right))
    e.error("`&` and `|` bind tighter than comparisons: this compares a condition joined with a number",
            "put the comparison into parentheses: `mask & (i < n)`");
  Value result = visitComparison(node.op, left, right);
  // `a < b < c` means `a < b and b < c`, with b evaluated only once.
  for (auto [op, operand] : llvm::zip(node.moreOperators, node.moreOperands)) {
    if (result.isCompileTime() && !e.runPython([&] { return isTrue(result.toPython()); }))
      return result;
    left = std::exchange(right, visit(operand));
    Value next = visitComparison(op, left, right);
    result = result.isCompileTime() ? next : logicalOp(e, /*isAnd=*/true, result, next);
  }
  return result;
}

/// Evaluates `==` or `!=` of tuples with run-time elements, element by element.
Value ExpressionEmitter::visitTupleComparison(CompareOperator op, const Value &left, const Value &right) {
  std::optional<std::vector<Value>> a = left.asSequence(), b = right.asSequence();
  bool isEquality = op == CompareOperator::Eq || op == CompareOperator::Ne;
  if (!isEquality || !a || !b)
    e.error("cannot compare " + left.describe() + " with " + right.describe(),
            a && b ? "only `==` and `!=` compare tuples with run-time elements; compare these one by one" : "");
  Value result = Value::constant(py::bool_((a->size() == b->size()) == (op == CompareOperator::Eq)));
  if (a->size() != b->size())
    return result;
  for (auto [x, y] : llvm::zip(*a, *b)) {
    Value same = visitComparison(op, x, y);
    bool isKnown = same.isCompileTime() && result.isCompileTime();
    if (isKnown && e.runPython([&] { return isTrue(same.toPython()); }) != (op == CompareOperator::Eq))
      return same;
    if (result.isCompileTime())
      result = same;
    else if (!same.isCompileTime())
      result = logicalOp(e, /*isAnd=*/op == CompareOperator::Eq, result, same);
    else if (e.runPython([&] { return isTrue(same.toPython()); }) != (op == CompareOperator::Eq))
      return same;
  }
  return result;
}

Value ExpressionEmitter::visitComparison(CompareOperator op, const Value &left, const Value &right) {
  checkDtypeComparison(e, left, right);
  if (left.isCompileTime() && right.isCompileTime())
    return e.runPython([&] { return Value::constant(applyCompare(op, asBeside(left, right), asBeside(right, left))); });
  bool isIdentity = op == CompareOperator::Is || op == CompareOperator::IsNot;
  if (isIdentity && (left.isNone() || right.isNone())) // a run-time value is never None
    return Value::constant(py::bool_(op == CompareOperator::IsNot));
  if (isIdentity)
    e.error("`" + std::string(spelling(op)) + "` compares only compile-time objects",
            op == CompareOperator::Is ? "use `==` for numbers" : "use `!=` for numbers");
  if (op == CompareOperator::In || op == CompareOperator::NotIn)
    e.error("`" + std::string(spelling(op)) + "` needs values known at compile time",
            "write the comparisons out: `x == a or x == b`");
  if (left.asTuple() || right.asTuple())
    return visitTupleComparison(op, left, right);
  return compare(e, op, left, right);
}
