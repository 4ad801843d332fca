//===- SharedLiveness.cpp - When each piece of shared memory is in use ------------===//
#include "analysis/shared/SharedLiveness.h"

#include "analysis/shared/ScratchSize.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace hocket {

namespace {
/// Numbers of an operation and of everything inside it: [begin, end).
using Numbering = llvm::DenseMap<Operation *, Interval>;
} // namespace

static void number(Operation *op, Numbering &numbers, int64_t &next) {
  int64_t begin = next++;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      number(&inner, numbers, next);
  numbers[op] = {begin, next};
}

/// Where a buffer allocated by `alloc` and used by `user` is free again.
static int64_t endOfUse(Operation *alloc, Operation *user, const Numbering &numbers) {
  int64_t end = numbers.at(user).end;
  for (Operation *parent = user->getParentOp(); !parent->isProperAncestor(alloc); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      end = std::max(end, numbers.at(parent).end);
  return end;
}

/// Where `copy` has certainly arrived: behind the first wait for all groups that is always executed after it, or never.
static int64_t endOfCopy(Operation *copy, const Numbering &numbers) {
  for (Operation *op = copy; op; op = op->getParentOp()) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (auto wait = dyn_cast<hk::AsyncWaitGroupOp>(next); wait && wait.getOutstanding() == 0)
        return numbers.at(wait).end;
    if (isa<FunctionOpInterface>(op))
      return numbers.at(op).end;
  }
  llvm_unreachable("a copy is in a function");
}

/// Extends `live`, of a buffer that is allocated or used by `op`, over the warp pipeline that `op` is in: one group of
/// warps may be in its first stage while the other is in its last.
static void coverPipeline(Interval &live, Operation *op, const Numbering &numbers) {
  auto inner = op->getParentOfType<hk::StageOp>();
  if (!inner)
    return;
  for (auto stage : inner->getBlock()->getOps<hk::StageOp>()) {
    live.begin = std::min(live.begin, numbers.at(stage).begin);
    live.end = std::max(live.end, numbers.at(stage).end);
  }
}

SharedLiveness::SharedLiveness(Operation *function) {
  Numbering numbers;
  int64_t next = 0;
  number(function, numbers, next);

  llvm::DenseMap<Operation *, unsigned> pieceOf;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto alloc = dyn_cast<hk::LocalAllocOp>(op);
    int64_t bytes = alloc ? alloc.getType().getAllocBytes() : getScratchBytes(op);
    if (!bytes)
      return;
    pieceOf[op] = pieces.size();
    int64_t begin = numbers.at(op).begin;
    pieces.push_back({op, bytes, {begin, begin + 1}});
    coverPipeline(pieces.back().live, op, numbers);
  });

  SharedAliases aliases(function);
  for (Value handle : aliases.handles())
    for (const SharedRegion &region : aliases.lookup(handle))
      for (Operation *user : handle.getUsers()) {
        Operation *alloc = region.getOwner();
        Interval &live = pieces[pieceOf.at(alloc)].live;
        live.end = std::max(live.end, endOfUse(alloc, user, numbers));
        coverPipeline(live, user, numbers);
        if (isa<hk::AsyncCopy>(user))
          live.end = std::max(live.end, endOfCopy(user, numbers));
        if (user->hasTrait<OpTrait::IsTerminator>() && isa<LoopLikeOpInterface>(user->getParentOp()) &&
            user->getParentOp()->isProperAncestor(alloc) && !isa<scf::ConditionOp>(user))
          carriesOwnBuffer = user;
      }
}

} // namespace hocket
