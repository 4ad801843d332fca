//===- Loops.cpp - Inserts ticks in loops --------------------------------------------===//
//
// On a GPU, all warps make progress; on a host thread, only one lane runs at a time. A lane that waits in a loop for
// another lane, or loops forever, must therefore yield periodically. The following code is inserted before each back
// edge:
//
//   if (--lane->iterations < 0) tick(lane);
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

/// Returns the terminators that branch to a basic block on the path of the depth-first walk (back edges).
static llvm::SetVector<Operation *> findBackEdges(Region &body) {
  llvm::SetVector<Operation *> latches;
  llvm::DenseSet<Block *> seen, onPath;
  SmallVector<std::pair<Block *, unsigned>> path = {{&body.front(), 0}};
  seen.insert(&body.front());
  onPath.insert(&body.front());
  while (!path.empty()) {
    auto &[block, next] = path.back();
    if (next == block->getNumSuccessors()) {
      onPath.erase(block);
      path.pop_back();
      continue;
    }
    Operation *terminator = block->getTerminator();
    Block *successor = block->getSuccessor(next++);
    if (onPath.contains(successor))
      latches.insert(terminator);
    else if (seen.insert(successor).second) {
      onPath.insert(successor);
      path.push_back({successor, 0});
    }
  }
  return latches;
}

void insertTicks(HostFunction &host) {
  OpBuilder &builder = host.builder;
  Type i32 = builder.getI32Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
  for (Operation *terminator : findBackEdges(host.function().getBody())) {
    host.at(terminator);
    Location loc = host.loc();
    Value address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), host.lane(),
                                        ArrayRef<LLVM::GEPArg>{int32_t(offsetof(host_abi::LaneContext, iterations))},
                                        LLVM::GEPNoWrapFlags::inbounds);
    Value before = LLVM::LoadOp::create(builder, loc, i32, address);
    Value left = LLVM::SubOp::create(builder, loc, before, host.i32(1));
    LLVM::StoreOp::create(builder, loc, left, address);
    Value isDue = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, left, host.i32(0));

    Block *latch = terminator->getBlock();
    Block *rest = latch->splitBlock(terminator);
    Block *tick = builder.createBlock(rest);
    calls::tick(host);
    LLVM::BrOp::create(builder, loc, rest);
    builder.setInsertionPointToEnd(latch);
    LLVM::CondBrOp::create(builder, loc, isDue, tick, ValueRange{}, rest, ValueRange{},
                           std::pair<uint32_t, uint32_t>(1, host_abi::kIterationsPerTick));
  }
}

} // namespace hocket
