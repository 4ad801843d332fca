//===- AsyncOps.cpp - Operations of AsyncOps.td: their counter; questions about counters -===//
#include "dialect/hk/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

SmallVector<AsyncCounter, 1> AsyncCommitGroupOp::getCommittedCounters() { return {kCopyGroups}; }

SmallVector<AsyncCounter, 1> AsyncWaitGroupOp::getAwaitedCounters() { return {kCopyGroups}; }

bool commitsOn(Operation *op, AsyncCounter counter) {
  auto commit = dyn_cast<AsyncCommit>(op);
  return commit && llvm::is_contained(commit.getCommittedCounters(), counter);
}

std::optional<unsigned> outstandingOn(Operation *op, AsyncCounter counter) {
  auto wait = dyn_cast<AsyncWait>(op);
  if (!wait || !llvm::is_contained(wait.getAwaitedCounters(), counter))
    return std::nullopt;
  return wait.getOutstanding();
}

} // namespace hocket::hk
