//===- Branches.cpp - Branches, and merging of the names that they bind --------------===//
//
// A variable that has different values at the end of the two branches of a run-time `if` becomes a result of the
// scf.if:
//
//     if c:                     %x = scf.if %c -> f32 {
//       x = x + 1.0                  %a = arith.addf %x0, %one ; scf.yield %a
//                          =>   } else {
//                                    scf.yield %x0 }
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/Branches.h"
#include "frontend/emit/Assignment.h"
#include "frontend/semantics/layouts/UndecidedLayouts.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace hocket;
using namespace hocket::frontend;
namespace scf = mlir::scf;

namespace {
/// State at the end of one branch of an scf.if.
struct Side {
  mlir::Block *block = nullptr;
  Value result;
  std::vector<Variable> variables;
};

/// The values that the two branches of an scf.if yield, and the variables that receive the results of the scf.if.
struct BranchMerge {
  /// A value that results of the scf.if define: the variable in `slot`, or the result of emitBranches if `slot` is -1.
  /// `form` determines the number and the types of these results.
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
} // namespace

Value hocket::frontend::zerosOf(FrameEmitter &e, const Value &form) {
  return mapRuntime(form, [&](const Runtime &part) -> Runtime {
    if (part.type.isPointer() || !(part.type.isScalar() || part.type.isTensor()))
      e.error("a loop at run time cannot return " + Value(part).describe(),
              "assign it to a variable that has a value before the loop, and return the variable after the loop");
    mlir::Type type = part.type.toMlir(e.context());
    return {e.create<mlir::arith::ConstantOp>(llvm::cast<mlir::TypedAttr>(e.builder.getZeroAttr(type))), part.type};
  });
}

/// If only one branch returns from the function, sets the variable Jump::Result of the other branch to zeros.
static void completeResult(FrameEmitter &e, Side (&sides)[2]) {
  for (int i = 0; i < 2; ++i) {
    Value &own = sides[i].variables[e.frame->jumpSlot(Jump::Result)].value;
    const Value &other = sides[1 - i].variables[e.frame->jumpSlot(Jump::Result)].value;
    if (own || !other)
      continue;
    mlir::OpBuilder::InsertionGuard guard(e.builder);
    e.builder.setInsertionPoint(sides[i].block->getTerminator());
    own = zerosOf(e, other);
  }
}

/// Converts `x` and `y`, the values of one variable in the two branches, to a common layout if the layout of `x` or `y`
/// is undecided.
static void settleSides(FrameEmitter &e, Side (&sides)[2], Value &x, Value &y) {
  mlir::OpBuilder::InsertionGuard guard(e.builder);
  auto settle = [&](int side, Value &value, const Value &form) {
    e.builder.setInsertionPoint(sides[side].block->getTerminator());
    value = settledLike(e, value, form, /*towardsDecided=*/true);
  };
  settle(0, x, y);
  settle(1, y, x);
}

/// Merges the values of the variable in `slot` at the end of the two branches. Equal values are kept. Different values
/// of the same structure and types become results of the scf.if.
static void mergeVariable(FrameEmitter &e, int slot, Side (&sides)[2], BranchMerge &merge) {
  if (slot == e.frame->jumpSlot(Jump::Result))
    completeResult(e, sides);
  const Variable &a = sides[0].variables[slot], &b = sides[1].variables[slot];
  if (a.version == b.version)
    return; // neither branch assigns the variable
  const Variable &latest = a.version > b.version ? a : b;
  e.frame->variables[slot] = latest;
  if (!a.value && !b.value)
    return;
  if (!a.value || !b.value) {
    return e.frame->lose(slot, (a.value ? a : b).where, Variable::InBranch);
  }
  if (identical(a.value, b.value))
    return;
  Value x = a.value, y = b.value;
  if (!sameForm(x, y)) {
    // A variable that only one branch assigns can be a compile-time number in the other branch, for example a
    // parameter. The number is converted to a run-time value.
    mlir::OpBuilder::InsertionGuard guard(e.builder);
    e.builder.setInsertionPoint(sides[0].block->getTerminator());
    x = decay(e, x);
    e.builder.setInsertionPoint(sides[1].block->getTerminator());
    y = decay(e, y);
    settleSides(e, sides, x, y);
  }
  if (!sameForm(x, y)) {
    auto line = [](const Variable &v) { return "line " + std::to_string(v.where->line); };
    bool isResult = slot == e.frame->jumpSlot(Jump::Result);
    e.errorAt(e.rangeOf(*latest.where),
              isResult ? "the values that this function returns have different types"
                       : e.frame->quotedName(slot) + " has different types in the two branches of this `if`",
              {describeMismatch(line(a), x, line(b), y),
               x.asRuntime() && y.asRuntime() ? "convert one of them, or use two names" : ""});
  }
  e.frame->bind(slot, x, latest.where);
  merge.add(slot, x, y);
}

/// True if the value of the variable in `slot` is needed at the end of the loop iteration (Frame::needed).
static bool isNeeded(const Frame &frame, size_t slot) {
  return !frame.needed || int(slot) >= frame.jumpSlot(Jump::Skips) || llvm::is_contained(*frame.needed, int(slot));
}

Value hocket::frontend::emitBranches(FrameEmitter &e, const Runtime &condition, BranchFn whenTrue, BranchFn whenFalse,
                                     std::string_view what, Merge names) {
  Frame *frame = e.frame;
  std::vector<Variable> before = frame->variables;
  auto ifOp = e.create<scf::IfOp>(mlir::TypeRange(), condition.ir, /*withElseRegion=*/true);
  Side sides[2];
  for (int i = 0; i < 2; ++i) {
    mlir::OpBuilder::InsertionGuard guard(e.builder);
    sides[i].block = i == 0 ? ifOp.thenBlock() : ifOp.elseBlock();
    e.builder.setInsertionPoint(sides[i].block->getTerminator());
    sides[i].result = i == 0 ? whenTrue() : whenFalse();
    sides[i].variables = std::exchange(frame->variables, before);
  }

  BranchMerge merge;
  if (!identical(sides[0].result, sides[1].result)) {
    settleSides(e, sides, sides[0].result, sides[1].result);
    if (!sameForm(sides[0].result, sides[1].result))
      e.error(std::string(what) + " have different types",
              {describeMismatch("then", sides[0].result, "else", sides[1].result), {}});
    merge.add(-1, sides[0].result, sides[1].result);
  }
  for (size_t slot = 0; names != Merge::None && slot < before.size(); ++slot) {
    if (names == Merge::All || isNeeded(*frame, slot))
      mergeVariable(e, slot, sides, merge);
    else if (sides[0].variables[slot].version != sides[1].variables[slot].version)
      frame->lose(slot,
                  sides[sides[0].variables[slot].version < sides[1].variables[slot].version].variables[slot].where,
                  Variable::InBranch);
  }
  Value result = sides[0].result;
  if (merge.yields[0].empty()) {
    if (ifOp.elseBlock()->without_terminator().empty())
      ifOp.elseBlock()->erase();
    return result;
  }

  auto withResults = e.create<scf::IfOp>(mlir::ValueRange(merge.yields[0]).getTypes(), condition.ir,
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
