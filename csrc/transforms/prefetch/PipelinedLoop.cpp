//===- PipelinedLoop.cpp - Builds the software-pipelined loop -------------------------===//
#include "transforms/prefetch/PipelinedLoop.h"

#include "dialect/hk/facts/Facts.h"
#include "transforms/prefetch/Iteration.h"
#include "transforms/prefetch/LoopAccesses.h"

using namespace mlir;

namespace hocket::prefetch {

namespace {
/// The loop-carried values of the new loop that belong to one original iteration.
struct CarriedState {
  /// Loop-carried variables of the original loop.
  llvm::SetVector<Value> variables;
  /// Values that have been loaded for the iteration.
  llvm::SetVector<Value> loaded;
};

class PipelineEmitter {
public:
  PipelineEmitter(const PipelinePlan &plan, bool keepsStagesApart)
      : plan(plan), loop(plan.loop), depth(plan.depth()), keepsStagesApart(keepsStagesApart), builder(loop),
        loc(loop.getLoc()) {}
  void emit();

private:
  void findStates();
  void addLoaded(Operation *read);
  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(loop.getInductionVar().getType(), value));
  }
  /// Returns `index`, a value of the induction variable, advanced by `iterations` iterations.
  Value advance(Value index, int64_t iterations);
  void emitBranch(Value trips);
  SmallVector<Value> emitPipeline(Value trips);
  SmallVector<Iteration> emitPrologue();
  scf::ForOp emitLoop(Value end, ArrayRef<Iteration> begun);
  void emitBody(scf::ForOp pipelined);
  SmallVector<Value> emitEpilogue(scf::ForOp pipelined, Value end);
  void bindState(SmallVector<Iteration> &iterations, ValueRange values);

  const PipelinePlan &plan;
  scf::ForOp loop;
  int64_t depth;
  bool keepsStagesApart;
  OpBuilder builder;
  Location loc;
  /// One state for each original iteration in flight: states[n] is for the iteration that is n iterations ahead of the
  /// new loop's induction variable.
  SmallVector<CarriedState> states;
};
} // namespace

// Carried values ------------------------------------------------------------------------------------------------------

/// Makes the new loop carry the results of `read` from the stage that contains `read` to their last uses.
void PipelineEmitter::addLoaded(Operation *read) {
  int64_t loadedAhead = 0;
  llvm::SmallDenseMap<Value, int64_t> lastUse;
  for (const PipelineStage &stage : plan.stages) {
    if (stage.ops.contains(read))
      loadedAhead = stage.ahead;
    auto use = [&](Value value) {
      if (value.getDefiningOp() == read)
        lastUse[value] = std::min(lastUse.try_emplace(value, stage.ahead).first->second, stage.ahead);
    };
    for (Operation *op : stage.ops)
      llvm::for_each(usedValues(op), use);
    for (BlockArgument variable : stage.carried)
      use(loop.getTiedLoopYieldedValue(variable)->get());
  }
  for (OpResult result : read->getResults())
    if (auto found = lastUse.find(result); found != lastUse.end())
      for (int64_t ahead = found->second; ahead < loadedAhead; ++ahead)
        states[ahead].loaded.insert(result);
}

void PipelineEmitter::findStates() {
  states.resize(depth + 1);
  for (const PipelineStage &stage : plan.stages)
    states[stage.ahead].variables.insert(stage.carried.begin(), stage.carried.end());
  for (Operation *read : plan.reads)
    addLoaded(read);
}

/// Maps original values of each of `iterations` to `values`, the loop-carried values of the new loop. iterations[n] is
/// n iterations ahead of the induction variable.
void PipelineEmitter::bindState(SmallVector<Iteration> &iterations, ValueRange values) {
  auto next = values.begin();
  for (auto [ahead, state] : llvm::enumerate(states))
    for (const llvm::SetVector<Value> *part : {&state.variables, &state.loaded})
      for (Value value : *part) {
        if (ahead < iterations.size())
          iterations[ahead].bind(value, *next);
        ++next;
      }
}

// Bounds --------------------------------------------------------------------------------------------------------------

Value PipelineEmitter::advance(Value index, int64_t iterations) {
  if (iterations == 0)
    return index;
  Value distance = loop.getStep();
  if (iterations > 1)
    distance = arith::MulIOp::create(builder, loc, distance, constant(iterations));
  return arith::AddIOp::create(builder, loc, index, distance);
}

Value countTrips(OpBuilder &builder, scf::ForOp loop) {
  Location loc = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(loop.getInductionVar().getType(), value));
  };
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value runs = arith::CmpIOp::create(builder, loc, predicate, lower, upper);
  Value distance = arith::SubIOp::create(builder, loc, upper, lower);
  Value last = arith::SubIOp::create(builder, loc, distance, constant(1));
  Value before = arith::DivUIOp::create(builder, loc, last, loop.getStep());
  Value trips = arith::AddIOp::create(builder, loc, before, constant(1));
  return arith::SelectOp::create(builder, loc, runs, trips, constant(0));
}

// Prologue, loop, epilogue ---------------------------------------------------------------------------------------------------------------

SmallVector<Iteration> PipelineEmitter::emitPrologue() {
  SmallVector<Iteration> iterations;
  for (int64_t number = 0; number < depth; ++number)
    iterations.emplace_back(plan, advance(loop.getLowerBound(), number));
  // The prologue is the body of the new loop for the iterations -depth, ..., -1, without stages of negative original
  // iterations.
  for (int64_t body = -depth; body < 0; ++body)
    for (const PipelineStage &stage : plan.stages) {
      int64_t number = body + stage.ahead;
      if (number < 0)
        continue;
      iterations[number].follow(stage, number > 0 ? &iterations[number - 1] : nullptr);
      iterations[number].run(stage, builder, 1);
    }
  return iterations;
}

scf::ForOp PipelineEmitter::emitLoop(Value end, ArrayRef<Iteration> begun) {
  SmallVector<Value> initial;
  for (auto [ahead, state] : llvm::enumerate(states)) {
    for (Value variable : state.variables) {
      auto argument = cast<BlockArgument>(variable);
      initial.push_back(ahead == 0 ? loop.getTiedLoopInit(argument)->get()
                                   : begun[ahead - 1].lookup(loop.getTiedLoopYieldedValue(argument)->get()));
    }
    for (Value value : state.loaded)
      initial.push_back(begun[ahead].lookup(value));
  }
  auto pipelined = scf::ForOp::create(builder, loc, loop.getLowerBound(), end, loop.getStep(), initial);
  pipelined.setUnsignedCmp(loop.getUnsignedCmp());
  pipelined->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  hk::kNumStagesAttr.remove(pipelined);
  emitBody(pipelined);
  return pipelined;
}

void PipelineEmitter::emitBody(scf::ForOp pipelined) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = pipelined.getBody();
  if (!body->empty()) // scf::ForOp::create has inserted a terminator, as it does for loops without results
    body->getTerminator()->erase();
  builder.setInsertionPointToEnd(body);
  SmallVector<Iteration> iterations;
  for (int64_t ahead = 0; ahead <= depth; ++ahead)
    iterations.emplace_back(plan, advance(pipelined.getInductionVar(), ahead));
  bindState(iterations, pipelined.getRegionIterArgs());

  int64_t begun = depth;
  for (const PipelineStage &stage : plan.stages) {
    if (stage.isKeptApart && keepsStagesApart)
      hk::SchedBarrierOp::create(builder, loc, /*allow=*/0);
    begun += plan.isAsync && stage.ahead == depth;
    iterations[stage.ahead].run(stage, builder, begun);
  }

  SmallVector<Value> next;
  for (auto [ahead, state] : llvm::enumerate(states)) {
    for (Value variable : state.variables)
      next.push_back(iterations[ahead].lookup(loop.getTiedLoopYieldedValue(cast<BlockArgument>(variable))->get()));
    for (Value value : state.loaded)
      next.push_back(iterations[ahead + 1].lookup(value));
  }
  scf::YieldOp::create(builder, loc, next);
}

/// Emits the epilogue: the remaining stages of the last iterations. Returns the values of the original loop's results.
SmallVector<Value> PipelineEmitter::emitEpilogue(scf::ForOp pipelined, Value end) {
  SmallVector<Iteration> iterations;
  for (int64_t number = 0; number < depth; ++number)
    iterations.emplace_back(plan, advance(end, number));
  bindState(iterations, pipelined.getResults());
  for (int64_t body = 0; body < depth; ++body)
    for (const PipelineStage &stage : plan.stages) {
      int64_t number = body + stage.ahead;
      if (number >= depth)
        continue;
      iterations[number].follow(stage, number > 0 ? &iterations[number - 1] : nullptr);
      iterations[number].run(stage, builder, depth - body);
    }
  return llvm::map_to_vector(llvm::zip(loop.getResults(), loop.getYieldedValues(), loop.getInitArgs()), [&](auto one) {
    auto [result, yielded, initial] = one;
    return result.use_empty() ? initial : iterations.back().lookup(yielded);
  });
}

SmallVector<Value> PipelineEmitter::emitPipeline(Value trips) {
  Value bodies = arith::SubIOp::create(builder, loc, trips, constant(depth));
  Value length = arith::MulIOp::create(builder, loc, bodies, loop.getStep());
  Value end = arith::AddIOp::create(builder, loc, loop.getLowerBound(), length);
  SmallVector<Iteration> begun = emitPrologue();
  scf::ForOp pipelined = emitLoop(end, begun);
  return emitEpilogue(pipelined, end);
}

void PipelineEmitter::emitBranch(Value trips) {
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, trips, constant(depth));
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), isLong, /*withElseRegion=*/true);
  fillBranch(builder, branch, [&](bool isThen) -> SmallVector<Value> {
    if (isThen)
      return emitPipeline(trips);
    if (depth == 1)
      return SmallVector<Value>(loop.getInitArgs());
    Operation *plain = builder.clone(*loop);
    hk::kNumStagesAttr.remove(plain);
    hk::kAutoStagesAttr.remove(plain);
    return SmallVector<Value>(plain->getResults());
  });
  loop.replaceAllUsesWith(branch.getResults());
}

void PipelineEmitter::emit() {
  findStates();
  Value trips = countTrips(builder, loop);
  std::optional<int64_t> known = constantTripCount(loop);
  if (known && *known >= depth)
    loop.replaceAllUsesWith(emitPipeline(trips));
  else
    emitBranch(trips);
  loop.erase();
}

void fillBranch(OpBuilder &builder, scf::IfOp branch, llvm::function_ref<SmallVector<Value>(bool isThen)> make) {
  OpBuilder::InsertionGuard guard(builder);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    if (!block->empty()) // scf::IfOp::create has inserted a terminator, as it does for branches without results
      block->getTerminator()->erase();
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> results = make(block == branch.thenBlock());
    scf::YieldOp::create(builder, branch.getLoc(), results);
  }
}

void emitPipeline(const PipelinePlan &plan, bool keepsStagesApart) { PipelineEmitter(plan, keepsStagesApart).emit(); }

} // namespace hocket::prefetch
