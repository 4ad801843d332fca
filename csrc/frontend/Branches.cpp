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
#include "frontend/CompileTime.h"
#include "frontend/KernelEmitter.h"
#include "frontend/ValueParts.h"
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
  // A `return` inside a loop is an error of its own, raised where it stands.
  bool mayReturn = node.hasReturn && frame->loopDepth == 0;
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

namespace {

/// One side of an scf.if, after its visit.
struct Side {
  mlir::Block *block;
  Value result;
  std::vector<Variable> variables;
};

} // namespace

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

  // Merge: equal values stay, others of one form become results of the scf.if.
  llvm::SmallVector<mlir::Value> yields[2];
  auto yield = [&](const Value &a, const Value &b) {
    flatten(a, yields[0]);
    flatten(b, yields[1]);
  };
  auto decayIn = [&](Side &side, const Value &value) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(side.block->getTerminator());
    return decay(value);
  };
  struct Pending {
    int slot; // -1: the result
    Value model;
  };
  std::vector<Pending> pending;

  if (!identical(sides[0].result, sides[1].result)) {
    if (!sameForm(sides[0].result, sides[1].result))
      error(std::string(what) + " have different types",
            {{{"then", sides[0].result.describe()}, {"else", sides[1].result.describe()}}, {}});
    yield(sides[0].result, sides[1].result);
    pending.push_back({-1, sides[0].result});
  }
  for (size_t slot = 0; mergeNames && slot < before.size(); ++slot) {
    Variable &a = sides[0].variables[slot], &b = sides[1].variables[slot];
    if (a.version == b.version)
      continue; // assigned in neither
    const Variable &latest = a.version > b.version ? a : b;
    Variable &merged = frame->variables[slot];
    if (!a.value || !b.value) {
      merged = {{}, (a.value ? a : b).where, ++lastVersion, false, Variable::InBranch};
      if (!a.value && !b.value)
        merged = latest;
      continue;
    }
    Value x = a.value, y = b.value;
    if (identical(x, y)) {
      merged = latest;
      continue;
    }
    if (!sameForm(x, y)) {
      // A number known at compile time (a parameter, say) meets one assigned in a branch.
      x = decayIn(sides[0], x);
      y = decayIn(sides[1], y);
    }
    if (!sameForm(x, y)) {
      auto line = [](const Variable &v) { return v.where ? "line " + std::to_string(v.where->line) : "parameter"; };
      std::string name = "`" + frame->source.tree->locals[slot] + "`";
      errorAt(rangeOf(*latest.where), name + " has different types in the two branches of this `if`",
              {{{line(a), x.describe()}, {line(b), y.describe()}},
               x.asRuntime() && y.asRuntime() ? "convert one of them, or use two names" : ""});
    }
    yield(x, y);
    pending.push_back({static_cast<int>(slot), x});
    merged = {{}, latest.where, ++lastVersion, false, Variable::NotLost};
  }

  if (pending.empty() || yields[0].empty()) {
    if (ifOp.elseBlock()->without_terminator().empty())
      ifOp.elseBlock()->erase();
    for (Pending &p : pending)
      if (p.slot >= 0)
        frame->variables[p.slot].value = p.model;
    return sides[0].result;
  }

  mlir::ValueRange yielded(yields[0]);
  auto withResults = create<scf::IfOp>(yielded.getTypes(), condition.ir, /*addThenBlock=*/false,
                                       /*addElseBlock=*/false);
  withResults.getThenRegion().takeBody(ifOp.getThenRegion());
  withResults.getElseRegion().takeBody(ifOp.getElseRegion());
  ifOp.erase();
  for (int i = 0; i < 2; ++i)
    sides[i].block->getTerminator()->setOperands(yields[i]);

  mlir::ValueRange results(withResults.getResults());
  Value result = sides[0].result;
  for (Pending &p : pending) {
    Value value = unflatten(p.model, results);
    if (p.slot < 0)
      result = value;
    else
      frame->variables[p.slot].value = value;
  }
  return result;
}
