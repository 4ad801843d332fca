//===- SourceAst.h - Syntax tree of a kernel -----------------------------------------===//
//
// Python's `ast` is converted once per function into plain structs in an arena, because traversing Python objects is
// slow and a function is traversed at every compilation. The conversion also resolves names to local slots. A name that
// is assigned anywhere in the function is local, as in Python. Other names (slot -1) are free: they refer to closure
// variables, globals or builtins.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SOURCEAST_H
#define HOCKET_FRONTEND_SOURCEAST_H

#include "frontend/values/Operator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include <memory>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace hocket::frontend::ast {

enum class Kind : uint8_t {
  // expressions
  Constant,
  Name,
  Attribute,
  Subscript,
  Slice,
  Call,
  Binary,
  Unary,
  Logical,
  Compare,
  Conditional,
  Sequence,
  Comprehension,
  FormatString,
  NamedExpression,
  Starred,
  Lambda,
  UnsupportedExpression,
  // statements
  Expression,
  Assign,
  AugmentedAssign,
  AnnotatedAssign,
  Return,
  If,
  For,
  While,
  With,
  Assert,
  Pass,
  Break,
  Continue,
  FunctionDefinition,
  UnsupportedStatement,
};

/// Node of the tree, with its source range. Lines are counted from 1 in the user's file. Columns are counted from 0, in
/// bytes, as in Python's ast.
struct Node {
  Kind kind;
  int line, column, endLine, endColumn;
};
struct Expr : Node {};
struct Stmt : Node {};

/// Base class of the nodes of kind `K`. `classof` makes llvm::cast and llvm::dyn_cast available.
template <Kind K, typename Base>
struct Of : Base {
  static constexpr Kind nodeKind = K;
  static bool classof(const Node *node) { return node->kind == K; }
};

template <typename T>
using List = llvm::ArrayRef<T>;

// Expressions ---------------------------------------------------------------------------------------------------------

struct Constant : Of<Kind::Constant, Expr> {
  PyObject *value; ///< Python object, which Function::constants keeps alive
};
struct Name : Of<Kind::Name, Expr> {
  llvm::StringRef id;
  int slot; ///< slot of a local variable, or -1 for a free name
};
struct Attribute : Of<Kind::Attribute, Expr> {
  const Expr *base;
  llvm::StringRef name;
};
struct Subscript : Of<Kind::Subscript, Expr> {
  const Expr *base;
  const Expr *index;
};
struct Slice : Of<Kind::Slice, Expr> {
  const Expr *lower, *upper, *step; ///< bounds and step of the slice; each is null if omitted
};
struct Keyword {
  llvm::StringRef name; ///< name of the keyword; empty for `**mapping`
  const Expr *value;
  Node place; ///< source range of `name=value`
};
struct Call : Of<Kind::Call, Expr> {
  const Expr *callee;
  List<const Expr *> arguments;
  List<Keyword> keywords;
};
struct Binary : Of<Kind::Binary, Expr> {
  BinaryOperator op;
  const Expr *left, *right;
};
struct Unary : Of<Kind::Unary, Expr> {
  UnaryOperator op;
  const Expr *operand;
};
/// A chain of `and` or `or`, such as `a and b and c`.
struct Logical : Of<Kind::Logical, Expr> {
  bool isAnd;
  List<const Expr *> operands;
};
struct Compare : Of<Kind::Compare, Expr> {
  CompareOperator op; ///< operator of the comparison; in a chain such as `a < b < c`, the first operator
  const Expr *left, *right;
  List<CompareOperator> moreOperators; ///< in a chain `a < b < c`, the operators after the first
  List<const Expr *> moreOperands;
  /// True if the second operand of a chain is an `&` or `|` operation. Example: Python parses `i < n & j > 0` as the
  /// chain `i < (n & j) > 0`.
  bool hasBitsBetween;
};
struct Conditional : Of<Kind::Conditional, Expr> {
  const Expr *condition, *whenTrue, *whenFalse;
};
/// A tuple or list literal, or the target of an unpacking assignment.
struct Sequence : Of<Kind::Sequence, Expr> {
  bool isList;
  List<const Expr *> elements;
};
/// A list comprehension `[element for target in iterable if conditions]`.
struct Comprehension : Of<Kind::Comprehension, Expr> {
  const Expr *element, *target, *iterable;
  List<const Expr *> conditions;
  bool hasSeveralGenerators;
};
struct FormatPiece {
  const Expr *value;
  char conversion;    ///< conversion after `!` in the f-string: 's', 'r', 'a', or 0 if absent
  const Expr *format; ///< format after `:` in the f-string, a FormatString; null if absent
};
struct FormatString : Of<Kind::FormatString, Expr> {
  List<FormatPiece> pieces; ///< parts of the f-string; literal text is a Constant
};
struct NamedExpression : Of<Kind::NamedExpression, Expr> {
  const Name *target;
  const Expr *value;
};
struct Starred : Of<Kind::Starred, Expr> {
  const Expr *value;
};
/// A lambda. `lambda x: x + 1` is converted to an inner function with the body `return x + 1`.
struct Lambda : Of<Kind::Lambda, Expr> {
  int index; ///< index of the lambda's function in Function::inner
};
struct UnsupportedExpression : Of<Kind::UnsupportedExpression, Expr> {
  llvm::StringRef pythonKind; ///< class in Python's ast, such as "Await"
};

// Statements ----------------------------------------------------------------------------------------------------------

struct Expression : Of<Kind::Expression, Stmt> {
  const Expr *value;
};
struct Assign : Of<Kind::Assign, Stmt> {
  List<const Expr *> targets;
  const Expr *value;
};
struct AugmentedAssign : Of<Kind::AugmentedAssign, Stmt> {
  BinaryOperator op;
  const Expr *target, *value;
};
struct AnnotatedAssign : Of<Kind::AnnotatedAssign, Stmt> {
  const Expr *target, *annotation, *value; ///< `value` is null for an annotation without assignment, such as `x: int`
};
struct Return : Of<Kind::Return, Stmt> {
  const Expr *value; ///< returned value; null for a `return` without a value
};
/// Kinds of jump statements that a statement contains. Jumps in inner functions do not count. A `break` or `continue`
/// counts only if its loop encloses the statement.
struct Jumps {
  bool breaks = false, continues = false, returns = false;

  bool any() const { return breaks || continues || returns; }
  void add(const Jumps &other) {
    breaks |= other.breaks;
    continues |= other.continues;
    returns |= other.returns;
  }
};
struct If : Of<Kind::If, Stmt> {
  const Expr *condition;
  List<const Stmt *> body, orElse;
  Jumps jumps;
};
/// Slots of the names that the body of a loop can bind.
struct Assigned {
  List<int> all;
  List<int> innerTargets; ///< slots of names that are bound only as targets of inner loops
};
struct For : Of<Kind::For, Stmt> {
  const Expr *target, *iterable;
  List<const Stmt *> body;
  Assigned assigned;
  Jumps jumps; ///< kinds of jumps in the body, except `break` and `continue` of inner loops
  bool hasElse;
};
struct While : Of<Kind::While, Stmt> {
  const Expr *condition;
  List<const Stmt *> body;
  Assigned assigned; ///< names that the loop's condition or body binds
  Jumps jumps;       ///< kinds of jumps in the body, except `break` and `continue` of inner loops
  bool hasElse;
};
struct ContextManager {
  const Expr *manager, *target; ///< `target` is the name after `as`, or null
};
struct With : Of<Kind::With, Stmt> {
  List<ContextManager> items;
  List<const Stmt *> body;
};
struct Assert : Of<Kind::Assert, Stmt> {
  const Expr *condition, *message; ///< `message` is null for an `assert` without a message
};
struct Pass : Of<Kind::Pass, Stmt> {};
struct Break : Of<Kind::Break, Stmt> {};
struct Continue : Of<Kind::Continue, Stmt> {};
/// A `def` inside a function.
struct FunctionDefinition : Of<Kind::FunctionDefinition, Stmt> {
  int slot;  ///< slot of the name that the `def` binds
  int index; ///< index of the defined function in Function::inner
  bool hasDecorators;
};
struct UnsupportedStatement : Of<Kind::UnsupportedStatement, Stmt> {
  llvm::StringRef pythonKind; ///< class in Python's ast, such as "Try"
};

// Functions -----------------------------------------------------------------------------------------------------------

struct Function;

/// A parameter of an inner function and its default value.
struct InnerParameter {
  std::string name;
  enum Kind : uint8_t { Normal, KeywordOnly, VarArgs, VarKeywords } kind;
  bool isConstexpr;
  const Expr *defaultValue; ///< expression, evaluated when the emitter reaches the `def`; null if absent
};
struct InnerFunction {
  std::unique_ptr<Function> tree;
  std::vector<InnerParameter> parameters; ///< parameters of the inner function, in the order of the `def`
};

struct Function {
  Function() = default;
  Function(const Function &) = delete;

  std::string name;
  Stmt header; ///< location of the `def` line, for messages about the whole function
  /// Names of the local variables, indexed by slot. The parameters have the first slots, in the order of the `def`.
  std::vector<std::string> locals;
  /// The location of each parameter in the `def`.
  std::vector<Stmt> parameterNodes;
  List<const Stmt *> body;

  std::vector<InnerFunction> inner; ///< functions and lambdas defined inside this function

  llvm::BumpPtrAllocator arena;
  std::vector<pybind11::object> constants;
};

/// Converts a Python `ast.FunctionDef`. `lineOffset` is added to the line numbers of the AST. The names in `parameters`
/// get the first slots of the local variables.
std::unique_ptr<Function> convertFunction(pybind11::handle functionDef, int lineOffset,
                                          llvm::ArrayRef<std::string> parameters);

} // namespace hocket::frontend::ast

#endif
