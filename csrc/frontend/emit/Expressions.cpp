//===- Expressions.cpp - Visitors of expressions, one function per kind ---------------===//
//
// Operators of compile-time values are computed in Python (CompileTime.h); operators of run-time values are emitted by
// the functions in semantics/. The visitors of operator expressions are in OperatorExpressions.cpp.
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/Expressions.h"
#include "frontend/emit/Aggregates.h"
#include "frontend/emit/Assignment.h"
#include "frontend/emit/Branches.h"
#include "frontend/emit/Calls.h"
#include "frontend/emit/InnerFunctions.h"
#include "frontend/emit/Names.h"
#include "frontend/emit/Ranges.h"
#include "frontend/semantics/Attributes.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/operators/Subscript.h"
#include "frontend/values/Aggregates.h"
#include "frontend/values/CompileTime.h"
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace hocket;
using namespace hocket::frontend;

Value ExpressionEmitter::visit(const ast::Expr *expr) {
  FrameEmitter::At at(e, expr);
  e.checkLimits();
  // A Python exception during the visit is converted to a CompileError at this expression.
  return e.runPython([&] { return visitKind(expr); });
}

Value ExpressionEmitter::visitKind(const ast::Expr *expr) {
  return llvm::TypeSwitch<const ast::Node *, Value>(expr)
      .Case([&](const ast::Name *node) { return loadName(e, *node); })
      .Case([&](const ast::Constant *node) { return Value::constant(py::reinterpret_borrow<py::object>(node->value)); })
      .Case([&](const ast::Call *node) { return visitCall(*node); })
      .Case([&](const ast::Attribute *node) {
        std::string name = node->name.str();
        if (isSuperCall(node->base))
          return attributeOfSuper(e, name);
        return isOwnField(*e.frame, *node) ? loadOwnField(e, name) : attribute(e, visit(node->base), name);
      })
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
        Value value = stored(e, visit(node->value));
        e.frame->bind(node->target->slot, value, node);
        return value;
      })
      .Case([&](const ast::Slice *node) { return Value::constant(pythonSlice(*node)); })
      .Case([&](const ast::Starred *) -> Value {
        e.error("`*` can only unpack arguments of a call and elements of a tuple or list");
      })
      .Case([&](const ast::Lambda *node) {
        return defineFunction(e, *this, e.frame->source.tree->inner[node->index], node->index);
      })
      .Case([&](const ast::UnsupportedExpression *node) -> Value { e.raiseUnsupported(*node, node->pythonKind); })
      .Default([&](const ast::Node *) -> Value { e.error("this expression is not supported in kernels"); });
}

/// True if `callee` is `super().__init__` inside the `__init__` of an aggregate.
static bool isBaseInit(const Frame &frame, const ast::Expr *callee) {
  auto *attribute = llvm::dyn_cast<ast::Attribute>(callee);
  return frame.building && attribute && attribute->name == "__init__" && isSuperCall(attribute->base);
}

Value ExpressionEmitter::visitCall(const ast::Call &node, std::optional<UnusedResult> *unused) {
  if (isBaseInit(*e.frame, node.callee)) {
    initializeBase(e, visitArguments(node));
    return Value::none();
  }
  Value callee = visit(node.callee);
  if (unused)
    *unused = whyToUseResult(callee);
  return callValue(e, callee, visitArguments(node));
}

CallArguments ExpressionEmitter::visitArguments(const ast::Call &node) {
  CallArguments arguments;
  for (const ast::Expr *argument : node.arguments) {
    SourceRange where = e.rangeOf(*argument);
    if (auto *starred = llvm::dyn_cast<ast::Starred>(argument)) {
      for (Value &value : iterate(starred->value))
        arguments.positional.push_back({std::move(value), where});
    } else {
      arguments.positional.push_back({visit(argument), where});
    }
  }
  for (const ast::Keyword &keyword : node.keywords) {
    SourceRange where = e.rangeOf(*keyword.value);
    if (keyword.name.empty())
      e.errorAt(where, "`**` in a call is not supported in kernels", {{}, "write the keyword arguments out"});
    arguments.keywords.push_back({keyword.name.str(), visit(keyword.value), where, e.rangeOf(keyword.place)});
  }
  return arguments;
}

// Subscripts and conditions -------------------------------------------------------------------------------------------

py::object ExpressionEmitter::pythonSlice(const ast::Slice &node) {
  auto bound = [&](const ast::Expr *expr) -> py::object {
    return expr ? e.requireConstexpr(visit(expr), "a bound of a slice", e.rangeOf(*expr)) : py::none();
  };
  py::object lower = bound(node.lower), upper = bound(node.upper), step = bound(node.step);
  return py::reinterpret_steal<py::object>(PySlice_New(lower.ptr(), upper.ptr(), step.ptr()));
}

Value ExpressionEmitter::visitSubscript(const ast::Subscript &node) {
  Value base = visit(node.base);
  if (isAggregate(base))
    e.error("an aggregate has no elements: " + base.describe(),
            "take a field by its name, as in x." + base.partName(0).substr(1));
  if (!base.asRuntime())
    return subscriptTuple(e, base, visit(node.index), e.rangeOf(*node.index));
  auto itemOf = [&](const ast::Expr *expr) -> SubscriptItem {
    SourceRange where = e.rangeOf(*expr);
    if (auto *slice = llvm::dyn_cast<ast::Slice>(expr)) {
      bool isFull = !slice->lower && !slice->upper && !slice->step;
      return {isFull ? SubscriptItem::FullSlice : SubscriptItem::PartialSlice, {}, where};
    }
    Value value = visit(expr);
    if (value.isNone())
      return {SubscriptItem::None, {}, where};
    return {SubscriptItem::Index, std::move(value), where};
  };
  auto *sequence = llvm::dyn_cast<ast::Sequence>(node.index);
  bool hasSeveral = sequence && !sequence->isList;
  llvm::ArrayRef<const ast::Expr *> items = hasSeveral ? sequence->elements : llvm::ArrayRef(node.index);
  return subscript(e, base, llvm::map_to_vector(items, itemOf));
}

std::variant<bool, Runtime> ExpressionEmitter::visitCondition(const ast::Expr *expr, std::string_view keyword) {
  Value value = visit(expr);
  FrameEmitter::At at(e, expr);
  if (!value.isCompileTime())
    return toCondition(e, value, "the condition of `" + std::string(keyword) + "`");
  py::object object = value.toPython();
  PyObject *p = object.ptr();
  PyTypeObject *type = Py_TYPE(p);
  bool hasTruth = p == Py_None || (type->tp_as_number && type->tp_as_number->nb_bool) ||
                  (type->tp_as_sequence && type->tp_as_sequence->sq_length) ||
                  (type->tp_as_mapping && type->tp_as_mapping->mp_length);
  if (!hasTruth)
    e.error("the condition of `" + std::string(keyword) + "` is always true: it is " + value.describe(),
            PyCallable_Check(p) ? "did you forget to call it?" : "compare it: `x is not None`, `x == y`");
  return e.runPython([&] { return isTrue(object); });
}

Value ExpressionEmitter::visitConditional(const ast::Conditional &node) {
  std::variant<bool, Runtime> condition = visitCondition(node.condition, "if");
  if (const bool *known = std::get_if<bool>(&condition))
    return visit(*known ? node.whenTrue : node.whenFalse);
  return emitBranches(
      e, std::get<Runtime>(condition), [&] { return decay(e, visit(node.whenTrue)); },
      [&] { return decay(e, visit(node.whenFalse)); }, "the two values of this conditional expression");
}

// Sequences and strings -----------------------------------------------------------------------------------------------

Value ExpressionEmitter::visitSequence(const ast::Sequence &node) {
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

std::vector<Value> ExpressionEmitter::iterate(const ast::Expr *iterable) {
  auto *call = llvm::dyn_cast<ast::Call>(iterable);
  if (call && llvm::isa<ast::Name, ast::Attribute>(call->callee)) {
    Value callee = visit(call->callee);
    if (callee.asConstexpr() && builtinName(callee.toPython()) == "static_range") {
      FrameEmitter::At at(e, iterable);
      py::tuple bounds(3);
      for (auto [i, bound] : llvm::enumerate(rangeArguments(e, "gl.static_range", visitArguments(*call))))
        bounds[i] = py::int_(e.requireInt(bound.value, "a bound of gl.static_range", bound.where));
      py::object range = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(&PyRange_Type));
      return elementsOf(e.runPython([&] { return Value::constant(range(*bounds)); }), iterable);
    }
  }
  return elementsOf(visit(iterable), iterable);
}

std::vector<Value> ExpressionEmitter::elementsOf(const Value &value, const ast::Expr *iterable) {
  FrameEmitter::At at(e, iterable);
  if (std::optional<std::vector<Value>> elements = value.asSequence())
    return std::move(*elements);
  if (const Constexpr *constant = value.asConstexpr(); constant && py::isinstance<py::iterable>(constant->object))
    return e.runPython([&] {
      std::vector<Value> elements;
      for (py::handle element : constant->object) {
        elements.push_back(Value::constant(unwrapConstexpr(element)));
        if (elements.size() > size_t(Budget::kMaxUnrolled))
          e.error("iteration at compile time over more than " + std::to_string(Budget::kMaxUnrolled) +
                  " elements is not supported");
        e.checkLimits();
      }
      return elements;
    });
  e.error("cannot iterate over " + value.describe() + " at compile time",
          "only tuples, lists and ranges of constexprs can be iterated over");
}

/// Unsets the variables in `target`, the target of a list comprehension that has been emitted.
static void forget(Frame &frame, const ast::Expr *target) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target))
    frame.variables[name->slot] = {};
  else if (auto *sequence = llvm::dyn_cast<ast::Sequence>(target))
    for (const ast::Expr *element : sequence->elements)
      forget(frame, element);
}

Value ExpressionEmitter::visitComprehension(const ast::Comprehension &node) {
  if (node.hasSeveralGenerators)
    e.error("list comprehensions with several `for` are not supported in kernels", "nest two list comprehensions");
  Tuple result;
  result.pythonClass = py::type::of(py::list());
  for (Value &item : iterate(node.iterable)) {
    assign(e, node.target, std::move(item));
    bool keep = llvm::all_of(node.conditions, [&](const ast::Expr *condition) {
      std::variant<bool, Runtime> truth = visitCondition(condition, "if");
      if (const bool *known = std::get_if<bool>(&truth))
        return *known;
      e.errorAt(e.rangeOf(*condition), "the `if` of a list comprehension must be known at compile time", {});
    });
    if (keep)
      result.elements.push_back(visit(node.element));
  }
  forget(*e.frame, node.target);
  return result;
}

std::string ExpressionEmitter::formatPiece(const ast::FormatPiece &piece) {
  py::object value = e.requireConstexpr(visit(piece.value), "a value in an f-string", e.rangeOf(*piece.value));
  py::object format = piece.format ? visit(piece.format).toPython() : py::object(py::str(""));
  return e.runPython([&] {
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

Value ExpressionEmitter::visitFormatString(const ast::FormatString &node) {
  std::string text;
  for (const ast::FormatPiece &piece : node.pieces)
    text += formatPiece(piece);
  return Value::constant(py::str(text));
}
