//===- SinkExitValues.cpp - Moves values that only a loop's exit needs out of the loop ---------===//
#include "codegen/amd/ir/SinkExitValues.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace hocket {

/// True if `value` is computed in `loop` by an instruction without side effects, and has a single use.
static bool canSink(Value *value, const Loop &loop) {
  auto *op = dyn_cast<Instruction>(value);
  return op && op->hasOneUse() && loop.contains(op) && isa<BinaryOperator, CastInst, GetElementPtrInst>(op);
}

/// True if a phi in the target block of `edge`, an exit edge of `loop`, uses a value that can be sunk along `edge`.
static bool hasExitValues(Loop::Edge edge, const Loop &loop) {
  return any_of(edge.second->phis(), [&](const PHINode &phi) {
    return phi.getNumIncomingValues() > 1 && canSink(phi.getIncomingValueForBlock(edge.first), loop);
  });
}

/// Moves values from `loop` into `block`, a block outside of the loop: all incoming values of the phis in the successor
/// of `block` that can be sunk.
static void sinkInto(BasicBlock &block, const Loop &loop) {
  SmallVector<Value *> values;
  for (PHINode &phi : block.getSingleSuccessor()->phis())
    values.push_back(phi.getIncomingValueForBlock(&block));
  while (!values.empty()) {
    Value *value = values.pop_back_val();
    if (!canSink(value, loop))
      continue;
    auto *op = cast<Instruction>(value);
    op->moveBefore(block, block.getFirstInsertionPt());
    append_range(values, op->operands());
  }
}

namespace {

class SinkExitValues : public FunctionPass {
public:
  static char ID;
  SinkExitValues() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Sink exit values"; }

  bool runOnFunction(Function &function) override {
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SmallVector<std::pair<Loop *, Loop::Edge>> exits;
    for (Loop *loop : loops.getLoopsInPreorder()) {
      SmallVector<Loop::Edge> edges;
      loop->getExitEdges(edges);
      for (Loop::Edge edge : edges)
        if (loops.getLoopFor(edge.first) == loop && hasExitValues(edge, *loop))
          exits.emplace_back(loop, edge);
    }
    for (auto [loop, edge] : exits)
      sinkInto(*SplitEdge(edge.first, edge.second), *loop);
    return !exits.empty();
  }
};

char SinkExitValues::ID = 0;

} // namespace

FunctionPass *createSinkExitValuesPass() { return new SinkExitValues; }

} // namespace hocket
