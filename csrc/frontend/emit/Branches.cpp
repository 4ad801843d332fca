//===- Branches.cpp - if, and merging what its branches bind ------------------------------===//
//
// A condition known at compile time selects a branch; only that one is visited. A run-time condition makes an scf.if,
// whose results are the names that the branches bind differently.
//
// Early `return`: in `if c: return a` followed by more statements, the rest of the function is emitted inside the
// branches that reach it (a Continuation), so that both branches end with the function's value:
//
//     if c:              %r = scf.if %c {  yield a   }
//       return a    =>                  else {  ...rest...  yield b }
//     ...rest...
//     return b
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/KernelEmitter.h"
#include "frontend/values/CompileTime.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace hocket;
using namespace hocket::frontend;
namespace scf = mlir::scf;

std::variant<bool, Runtime> KernelEmitter::visitCondition(const ast::Expr *expr, std::string_view keyword) {
  Value value = visit(expr);
  At at(*this, expr);
  if (!value.isCompileTime())
    return toCondition(*this, value, "the condition of `" + std::string(keyword) + "`");
  py::object object = value.toPython();
  PyObject *p = object.ptr();
  PyTypeObject *type = Py_TYPE(p);
  bool hasTruth = p == Py_None || (type->tp_as_number && type->tp_as_number->nb_bool) ||
                  (type->tp_as_sequence && type->tp_as_sequence->sq_length) ||
                  (type->tp_as_mapping && type->tp_as_mapping->mp_length);
  if (!hasTruth)
    error("the condition of `" + std::string(keyword) + "` is always true: it is " + value.describe(),
          PyCallable_Check(p) ? "did you forget to call it?" : "compare it: `x is not None`, `x == y`");
  return runPython([&] { return isTrue(object); });
}

std::optional<Value> KernelEmitter::visitIf(const ast::If &node, const Continuation &rest, bool &visitedRest) {
  std::variant<bool, Runtime> condition = visitCondition(node.condition, "if");
  // A `return` inside a loop or a stage is an error of its own, raised where it stands.
  bool mayReturn = node.hasReturn && frame->loopDepth == 0 && !frame->stage;
  if (const bool *known = std::get_if<bool>(&condition)) {
    visitedRest = mayReturn;
    return visitBlock(*known ? node.body : node.orElse, mayReturn ? &rest : nullptr);
  }
  auto branch = [&](ast::List<const ast::Stmt *> statements) {
    std::optional<Value> returned = visitBlock(statements, mayReturn ? &rest : nullptr);
    return returned ? *returned : Value::none();
  };
  Value returned = emitBranches(
      std::get<Runtime>(condition), [&] { return branch(node.body); }, [&] { return branch(node.orElse); },
      "the values returned in the branches of this `if`", /*mergeNames=*/!mayReturn);
  visitedRest = mayReturn;
  return mayReturn ? std::optional(returned) : std::nullopt;
}

/// One side of an scf.if, after its visit.
struct KernelEmitter::Side {
  mlir::Block *block = nullptr;
  Value result;
  std::vector<Variable> variables;
};

/// What both sides yield, and what that becomes behind the scf.if.
struct KernelEmitter::BranchMerge {
  /// A value to take from the results: of the variable `slot`, or (-1) of the branches themselves. `form` tells how
  /// many results it needs.
  struct Pending {
    int slot;
    Value form;
  };
  llvm::SmallVector<mlir::Value> yields[2];
  std::vector<Pending> pending;

  void add(int slot, const Value &a, const Value &b) {
    flatten(a, yields[0]);
    flatten(b, yields[1]);
    pending.push_back({slot, a});
  }
};

Value KernelEmitter::emitBranches(const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse,
                                  std::string_view what, bool mergeNames) {
  std::vector<Variable> before = frame->variables;
  auto ifOp = create<scf::IfOp>(mlir::TypeRange(), condition.ir, /*withElseRegion=*/true);
  Side sides[2];
  for (int i = 0; i < 2; ++i) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    sides[i].block = i == 0 ? ifOp.thenBlock() : ifOp.elseBlock();
    builder.setInsertionPoint(sides[i].block->getTerminator());
    sides[i].result = i == 0 ? whenTrue() : whenFalse();
    sides[i].variables = std::exchange(frame->variables, before);
  }

  BranchMerge merge;
  if (!identical(sides[0].result, sides[1].result)) {
    if (!sameForm(sides[0].result, sides[1].result))
      error(std::string(what) + " have different types",
            {describeMismatch("then", sides[0].result, "else", sides[1].result), {}});
    merge.add(-1, sides[0].result, sides[1].result);
  }
  for (size_t slot = 0; mergeNames && slot < before.size(); ++slot)
    mergeVariable(slot, sides, merge);
  Value result = sides[0].result;
  if (merge.yields[0].empty()) {
    if (ifOp.elseBlock()->without_terminator().empty())
      ifOp.elseBlock()->erase();
    return result;
  }

  auto withResults = create<scf::IfOp>(mlir::ValueRange(merge.yields[0]).getTypes(), condition.ir,
                                       /*addThenBlock=*/false, /*addElseBlock=*/false);
  withResults.getThenRegion().takeBody(ifOp.getThenRegion());
  withResults.getElseRegion().takeBody(ifOp.getElseRegion());
  ifOp.erase();
  for (int i = 0; i < 2; ++i)
    sides[i].block->getTerminator()->setOperands(merge.yields[i]);
  mlir::ValueRange results(withResults.getResults());
  for (BranchMerge::Pending &pending : merge.pending)
    (pending.slot < 0 ? result : frame->variables[pending.slot].value) = unflatten(pending.form, results);
  return result;
}

/// Equal values stay, others of one form become results of the scf.if.
void KernelEmitter::mergeVariable(int slot, Side (&sides)[2], BranchMerge &merge) {
  const Variable &a = sides[0].variables[slot], &b = sides[1].variables[slot];
  if (a.version == b.version)
    return; // assigned in neither
  const Variable &latest = a.version > b.version ? a : b;
  Variable &merged = frame->variables[slot];
  merged = latest;
  if (!a.value && !b.value)
    return;
  if (!a.value || !b.value) {
    merged = {{}, (a.value ? a : b).where, ++lastVersion, false, Variable::InBranch};
    return;
  }
  if (identical(a.value, b.value))
    return;
  Value x = a.value, y = b.value;
  if (!sameForm(x, y)) {
    // A number known at compile time (a parameter, say) meets one assigned in a branch.
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(sides[0].block->getTerminator());
    x = decay(x);
    builder.setInsertionPoint(sides[1].block->getTerminator());
    y = decay(y);
  }
  if (!sameForm(x, y)) {
    auto line = [](const Variable &v) { return "line " + std::to_string(v.where->line); };
    std::string name = "`" + frame->source.tree->locals[slot] + "`";
    errorAt(rangeOf(*latest.where), name + " has different types in the two branches of this `if`",
            {describeMismatch(line(a), x, line(b), y),
             x.asRuntime() && y.asRuntime() ? "convert one of them, or use two names" : ""});
  }
  merged = {x, latest.where, ++lastVersion, false, Variable::NotLost};
  merge.add(slot, x, y);
}
