//===- BreakingLoops.cpp - Loops with break or return ----------------------------------===//
#include "frontend/emit/BreakingLoops.h"
#include "frontend/emit/Branches.h"
#include "frontend/emit/Loops.h"
#include "frontend/values/ValueParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace hocket;
using namespace hocket::frontend;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

// Scopes --------------------------------------------------------------------------------------------------------------

LoopScope::LoopScope(FrameEmitter &e, const ast::Node &node, const CarriedNames *carried, bool breaks)
    : frame(*e.frame), loop(std::exchange(frame.loop, &node)),
      breaking(std::exchange(frame.breaking, breaks ? &node : nullptr)),
      refusedStage(std::exchange(frame.refusedStage, nullptr)),
      needed(std::exchange(frame.needed, carried ? &carried->getSlots() : nullptr)), isRuntime(carried) {
  frame.runtimeLoops += isRuntime;
}

LoopScope::~LoopScope() {
  frame.runtimeLoops -= isRuntime;
  frame.loop = loop;
  frame.breaking = breaking;
  frame.refusedStage = refusedStage;
  frame.needed = needed;
  // Skips the code after the loop if the function has returned inside the loop.
  Value returns = frame.jump(Jump::Returns);
  frame.setJump(Jump::Skips, returns);
  frame.setJump(Jump::Breaks, returns);
}

void hocket::frontend::checkStages(FrameEmitter &e) {
  if (e.frame->refusedStage && e.frame->jump(Jump::Breaks).asRuntime())
    std::rethrow_exception(e.frame->refusedStage);
}

void hocket::frontend::unlessBroken(FrameEmitter &e, llvm::function_ref<Value()> trip) {
  const Runtime *breaks = e.frame->jump(Jump::Breaks).asRuntime();
  if (!breaks) {
    trip();
    return;
  }
  emitBranches(
      e, *breaks, [] { return Value::none(); },
      [&] {
        for (Jump jump : {Jump::Breaks, Jump::Returns})
          e.frame->setJump(jump, Value::constant(py::bool_(false)));
        return trip();
      },
      "");
}

// Run-time loops that a jump can end ----------------------------------------------------------------------------------

static llvm::SmallVector<mlir::Location> locationsOf(FrameEmitter &e, mlir::ValueRange values) {
  return llvm::SmallVector<mlir::Location>(values.size(), e.loc());
}

BreakingLoop::BreakingLoop(FrameEmitter &e, mlir::ValueRange initial) : e(e), numValues(initial.size()) {
  auto draft = e.create<scf::WhileOp>(initial.getTypes(), initial);
  loop = draft;
  mlir::Block *test = e.builder.createBlock(&draft.getBefore(), {}, initial.getTypes(), locationsOf(e, initial));
  e.create<scf::ConditionOp>(test->getArgument(0), test->getArguments());
  e.builder.createBlock(&draft.getAfter(), {}, initial.getTypes(), locationsOf(e, initial));
}

mlir::ValueRange BreakingLoop::arguments() const { return llvm::cast<scf::WhileOp>(loop).getAfterArguments(); }

mlir::ValueRange BreakingLoop::results() const { return loop->getResults().take_front(numValues); }

void BreakingLoop::discard() {
  e.builder.setInsertionPointAfter(loop);
  loop->erase();
}

/// Returns the flag `jump` of the current frame as a run-time bool.
static mlir::Value flag(FrameEmitter &e, Jump jump) { return e.toRuntime(e.frame->jump(jump)).ir; }

void BreakingLoop::finish(llvm::SmallVector<mlir::Value> next) {
  if (!e.frame->isKnown(Jump::Breaks, false)) {
    mlir::Value stays = e.create<arith::XOrIOp>(flag(e, Jump::Breaks), e.intConstant(1, DType::Int1).ir);
    next[0] = e.create<arith::AndIOp>(next[0], stays);
  }
  llvm::SmallVector<mlir::Value> returning;
  if (!e.frame->isKnown(Jump::Returns, false)) {
    returned = e.frame->jump(Jump::Result);
    returning.push_back(flag(e, Jump::Returns));
    flatten(returned, returning);
  }
  llvm::append_range(next, returning);
  e.create<scf::YieldOp>(next);
  auto draft = llvm::cast<scf::WhileOp>(loop);
  e.builder.setInsertionPoint(draft);
  if (!returning.empty()) {
    llvm::SmallVector<mlir::Value> initial(draft.getInits());
    initial.push_back(e.intConstant(0, DType::Int1).ir);
    flatten(zerosOf(e, returned), initial);
    auto complete = e.create<scf::WhileOp>(mlir::ValueRange(initial).getTypes(), initial);
    complete.getBefore().takeBody(draft.getBefore());
    complete.getAfter().takeBody(draft.getAfter());
    for (mlir::Value value : returning) {
      complete.getBeforeBody()->addArgument(value.getType(), e.loc());
      complete.getAfterBody()->addArgument(value.getType(), e.loc());
    }
    complete.getConditionOp().getArgsMutable().assign(complete.getBeforeBody()->getArguments());
    draft.erase();
    loop = complete;
  }
  e.builder.setInsertionPointAfter(loop);
}

scf::ForOp BreakingLoop::finishCounted(mlir::Value lower, mlir::Value upper, mlir::Value step, mlir::ValueRange next) {
  e.create<scf::YieldOp>(next);
  auto draft = llvm::cast<scf::WhileOp>(loop);
  mlir::ValueRange carried = mlir::ValueRange(draft.getInits()).drop_front(2);
  e.builder.setInsertionPoint(draft);
  auto counted = e.create<scf::ForOp>(lower, upper, step, carried);
  mlir::Block *body = counted.getBody(), *drafted = draft.getAfterBody();
  if (!body->empty())
    body->getTerminator()->erase();
  body->getOperations().splice(body->end(), drafted->getOperations());
  for (auto [before, after] : llvm::zip_equal(drafted->getArguments().drop_front(), body->getArguments()))
    before.replaceAllUsesWith(after);
  draft.erase();
  loop = counted;
  e.builder.setInsertionPointAfter(loop);
  return counted;
}

void BreakingLoop::bindReturn() {
  if (!returned)
    return;
  mlir::ValueRange values = loop->getResults().drop_front(numValues);
  e.frame->setJump(Jump::Returns, Runtime{values.front(), DType::Int1});
  values = values.drop_front();
  e.frame->setJump(Jump::Result, unflatten(returned, values));
}

// Visitors of for and while statements --------------------------------------------------------------------------------

void LoopEmitter::visitBreakingRange(const ast::For &node, const RangeBounds &bounds, const LoopOptions &options) {
  auto *target = llvm::cast<ast::Name>(node.target);
  CarriedNames carried(e, node.assigned, target->slot);
  std::vector<Variable> before = e.frame->variables;
  LoopScope scope(e, node, carried, /*breaks=*/true);

  Runtime lower = bounds.lower, upper = bounds.upper, step = bounds.step;
  if (bounds.trips) {
    lower = e.intConstant(0, bounds.type);
    upper = *bounds.trips;
    step = e.intConstant(1, bounds.type);
  }
  auto isLess = bounds.type.isUnsigned() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  mlir::Value begins = e.create<arith::CmpIOp>(isLess, lower.ir, upper.ir);
  llvm::SmallVector<mlir::Value> initial{begins, lower.ir};
  llvm::append_range(initial, carried.initial());
  BreakingLoop loop(e, initial);
  mlir::Value induction = loop.arguments()[1];
  carried.bind(loop.arguments().drop_front(2));
  e.frame->bind(target->slot, rangeIndex(e, bounds, induction), target);
  visitBody(node.body);
  if (e.frame->isKnown(Jump::Breaks, false)) {
    scf::ForOp counted = loop.finishCounted(lower.ir, upper.ir, step.ir, carried.next("for", node));
    markCounted(counted, bounds, options);
    forgetLoopNames(e, node.assigned, std::move(before));
    e.frame->lose(target->slot, target, Variable::AfterItsLoop);
    return carried.bind(counted.getResults());
  }
  checkStages(e);
  if (options.numStages || options.unrollFactor || options.formsStages)
    e.errorAt(e.rangeOf(*node.iterable),
              std::string(options.numStages      ? "`num_stages`"
                          : options.unrollFactor ? "`loop_unroll_factor`"
                                                 : "`warp_pipeline`") +
                  " of gl.range needs a loop that neither `break` nor `return` may end",
              {{}, "compute the number of iterations before the loop, or leave it out"});
  mlir::Value distance = e.create<arith::SubIOp>(upper.ir, induction);
  mlir::Value goesOn = e.create<arith::CmpIOp>(arith::CmpIPredicate::ugt, distance, step.ir);
  llvm::SmallVector<mlir::Value> next{goesOn, e.create<arith::AddIOp>(induction, step.ir)};
  llvm::append_range(next, carried.next("for", node));
  loop.finish(std::move(next));

  forgetLoopNames(e, node.assigned, std::move(before));
  e.frame->lose(target->slot, target, Variable::AfterItsLoop);
  carried.bind(loop.results().drop_front(2));
  loop.bindReturn();
}

void LoopEmitter::visitBreakingWhile(const ast::While &node) {
  CarriedNames carried(e, node.assigned);
  std::vector<Variable> before = e.frame->variables;
  LoopScope scope(e, node, carried, /*breaks=*/true);
  llvm::SmallVector<mlir::Value> initial{e.intConstant(1, DType::Int1).ir};
  llvm::append_range(initial, carried.initial());
  BreakingLoop loop(e, initial);
  carried.bind(loop.arguments().drop_front(1));
  e.frame->setJump(Jump::Skips, Value::constant(py::bool_(false)));
  // The loop's condition is emitted as the first statement of the body: `if not condition: break`.
  std::variant<bool, Runtime> condition = expressions.visitCondition(node.condition, "while");
  auto body = [&] {
    visitBody(node.body);
    return Value::none();
  };
  auto leave = [&] {
    e.frame->setJump(Jump::Breaks, Value::constant(py::bool_(true)));
    return Value::none();
  };
  if (const bool *known = std::get_if<bool>(&condition)) {
    if (!*known) {
      loop.discard();
      e.frame->variables = std::move(before);
      return;
    }
    body();
  } else {
    emitBranches(e, std::get<Runtime>(condition), body, leave, "", Merge::Needed);
  }
  checkStages(e);
  llvm::SmallVector<mlir::Value> next{e.intConstant(1, DType::Int1).ir};
  llvm::append_range(next, carried.next("while", node));
  loop.finish(std::move(next));

  forgetLoopNames(e, node.assigned, std::move(before));
  carried.bind(loop.results().drop_front(1));
  loop.bindReturn();
}
