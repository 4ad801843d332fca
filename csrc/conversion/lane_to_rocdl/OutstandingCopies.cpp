//===- OutstandingCopies.cpp - Counts the copies that a wait for groups can leave in flight ----===//
#include "conversion/lane_to_rocdl/OutstandingCopies.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/DenseSet.h"

#include <queue>

using namespace mlir;

namespace hocket {

bool isCopyToShared(Operation *op) {
  return isa<ROCDL::RawPtrBufferLoadLdsOp, ROCDL::GlobalLoadLDSOp, ROCDL::LoadToLDSOp>(op);
}

/// A wait that leaves more than kMostGroups groups in flight is treated like a wait that leaves kMostGroups groups. The
/// limit bounds the search in a loop that commits empty groups. Copies that precede the wait by kMostGroups groups are
/// practically always complete.
static constexpr int kMostGroups = 1024;

namespace {
/// A path of the backward search, from the wait to the end of a block.
struct Way {
  Block *block;
  int copies;      ///< number of copies on the path so far
  int commitsLeft; ///< number of commits that the path must still contain
  bool operator>(const Way &other) const { return copies > other.copies; }
};

class WayBack {
public:
  std::optional<int> shortest(lane::AsyncWaitGroupOp wait, int limit) {
    Way way{wait->getBlock(), 0, std::min(int(wait.getOutstanding()), kMostGroups) + 1};
    passBlock(way, Block::reverse_iterator(wait));
    while (!ways.empty()) {
      way = ways.top();
      ways.pop();
      if (way.commitsLeft == 0 || way.copies >= limit)
        return std::min(way.copies, limit);
      if (visited.insert({way.block, way.commitsLeft}).second)
        passBlock(way, way.block->rbegin());
    }
    return std::nullopt;
  }

private:
  /// Walks backwards from `from` to the start of its block, and adds a path for each predecessor of the block.
  void passBlock(Way way, Block::reverse_iterator from) {
    for (Operation &op : llvm::make_range(from, way.block->rend())) {
      way.copies += isCopyToShared(&op);
      way.commitsLeft -= isa<lane::AsyncCommitGroupOp>(op);
      if (way.commitsLeft == 0)
        return ways.push(way);
    }
    for (Block *before : way.block->getPredecessors())
      ways.push({before, way.copies, way.commitsLeft});
  }

  std::priority_queue<Way, std::vector<Way>, std::greater<Way>> ways;
  llvm::DenseSet<std::pair<Block *, int>> visited;
};
} // namespace

std::optional<int> countOutstandingCopies(lane::AsyncWaitGroupOp wait, int limit) {
  return WayBack().shortest(wait, limit);
}

} // namespace hocket
