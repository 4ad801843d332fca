//===- AstConverter.h - Conversion of Python's ast to the structs of SourceAst.h ------===//
//
// Syntax that the language lacks becomes an Unsupported node. It is an error to emit an Unsupported node, but a branch
// that is not taken at compile time is not emitted.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_ASTCONVERTER_H
#define HOCKET_FRONTEND_ASTCONVERTER_H

#include "frontend/ast/SourceAst.h"
#include "frontend/ast/UnsupportedSyntax.h"
#include "support/StackRoom.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace hocket::frontend::ast {

class AstConverter {
public:
  AstConverter(Function &function, int lineOffset) : function(function), lineOffset(lineOffset) {}

  int declareLocal(llvm::StringRef name) {
    auto [entry, isNew] = slots.try_emplace(name, static_cast<int>(function.locals.size()));
    if (isNew)
      function.locals.push_back(name.str());
    return entry->second;
  }
  /// Sets the slots of local names that the function reads before its first assignment to them. `resolveLoads` must be
  /// called after the whole function has been converted.
  void resolveLoads() {
    for (Name *name : pendingLoads)
      if (auto entry = slots.find(name->id); entry != slots.end())
        name->slot = entry->second;
  }
  void setPosition(Node &node, pybind11::handle from) {
    node.line = integer(from, "lineno") + lineOffset;
    node.column = integer(from, "col_offset");
    node.endLine = integer(from, "end_lineno") + lineOffset;
    node.endColumn = integer(from, "end_col_offset");
  }
  List<const Stmt *> statements(pybind11::handle list) {
    std::vector<const Stmt *> result;
    for (pybind11::handle item : list)
      result.push_back(statement(item));
    return copy<const Stmt *>(result);
  }

  /// Returns the body of a lambda as one statement: a `return` of the lambda's expression.
  List<const Stmt *> returned(pybind11::handle value) {
    Return *node = make<Return>(value);
    node->value = expression(value);
    return copy<const Stmt *>({node});
  }

private:
  // Allocation of nodes, and access to the attributes of Python's nodes
  template <typename T>
  T *make(pybind11::handle from) {
    T *node = new (function.arena) T();
    node->kind = T::nodeKind;
    setPosition(*node, from);
    return node;
  }
  template <typename T>
  List<T> copy(llvm::ArrayRef<T> items) {
    return items.copy(function.arena);
  }
  llvm::StringRef string(pybind11::handle text) {
    return llvm::StringRef(text.cast<std::string_view>()).copy(function.arena);
  }
  static int integer(pybind11::handle object, const char *name) { return PyLong_AsLong(object.attr(name).ptr()); }
  static llvm::StringRef typeName(pybind11::handle object) {
    llvm::StringRef name = Py_TYPE(object.ptr())->tp_name;
    return name.substr(name.rfind('.') + 1);
  }

  // Expressions
  const Expr *expression(pybind11::handle from);
  const Expr *optionalExpression(pybind11::handle from) { return from.is_none() ? nullptr : expression(from); }
  List<const Expr *> expressions(pybind11::handle list) {
    std::vector<const Expr *> result;
    for (pybind11::handle item : list)
      result.push_back(expression(item));
    return copy<const Expr *>(result);
  }
  const Expr *constant(pybind11::handle from);
  const Expr *name(pybind11::handle from);
  const Expr *call(pybind11::handle from);
  const Expr *compare(pybind11::handle from);
  const Expr *comprehension(pybind11::handle from);
  const Expr *formatString(pybind11::handle from);
  const Expr *sequence(pybind11::handle from, bool isList);
  const Expr *lambda(pybind11::handle from);
  const Expr *unsupportedExpression(pybind11::handle from, llvm::StringRef kind);
  static std::optional<BinaryOperator> binaryOperator(pybind11::handle from);
  static UnaryOperator unaryOperator(pybind11::handle from);
  static CompareOperator compareOperator(pybind11::handle from);

  // Statements
  const Stmt *statement(pybind11::handle from);
  const Stmt *ifStatement(pybind11::handle from);
  const Stmt *forStatement(pybind11::handle from);
  const Stmt *whileStatement(pybind11::handle from);
  const Stmt *withStatement(pybind11::handle from);
  const Stmt *functionDefinition(pybind11::handle from);
  /// Adds an inner function (a `def` or a lambda) and returns its index in Function::inner.
  int innerFunction(pybind11::handle from);
  const Stmt *unsupportedStatement(pybind11::handle from, llvm::StringRef kind);
  /// Runs `convert`, which converts a statement, and returns the kinds of jump statements in this statement. The jumps
  /// that leave the statement are also added to `jumps`, the jumps of the enclosing statement.
  template <typename F>
  Jumps collectJumps(F &&convert, bool isLoop) {
    Jumps outer = std::exchange(jumps, {});
    convert();
    Jumps inside = jumps;
    jumps = isLoop ? Jumps{false, false, inside.returns} : inside;
    jumps.add(outer);
    return inside;
  }
  /// Runs `convert`, which converts a loop, and returns the slots of the names that the loop binds.
  template <typename F>
  Assigned collectAssigned(F &&convert) {
    collectors.emplace_back();
    convert();
    Collector inside = collectors.pop_back_val();
    if (!collectors.empty()) {
      collectors.back().slots.insert(inside.slots.begin(), inside.slots.end());
      collectors.back().ofStatements.insert(inside.ofStatements.begin(), inside.ofStatements.end());
    }
    auto innerTargets = llvm::to_vector(
        llvm::make_filter_range(inside.slots, [&](int slot) { return !inside.ofStatements.contains(slot); }));
    return {copy<int>(inside.slots.getArrayRef()), copy<int>(llvm::ArrayRef(innerTargets))};
  }
  void noteBinding(int slot) {
    if (collectors.empty())
      return;
    collectors.back().slots.insert(slot);
    if (!inLoopTarget)
      collectors.back().ofStatements.insert(slot);
  }

  Function &function;
  int lineOffset;
  llvm::StringMap<int> slots;
  std::vector<Name *> pendingLoads;
  /// Names that one loop binds. `slots` contains the slots of all these names. `ofStatements` contains the slots of the
  /// names that are bound in another way than as the target of an inner loop.
  struct Collector {
    llvm::SmallSetVector<int, 8> slots, ofStatements;
  };
  llvm::SmallVector<Collector, 4> collectors;
  /// Name and slot of each variable of the list comprehensions that enclose the current expression. The variables of
  /// the innermost comprehension are last.
  std::vector<std::pair<std::string, int>> comprehensionNames;
  bool inComprehensionTarget = false;
  bool inLoopTarget = false;
  Jumps jumps; ///< kinds of jump statements found so far in the statement being converted
};

} // namespace hocket::frontend::ast

#endif
