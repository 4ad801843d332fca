//===- ExpandAsyncGroups.cpp - Expands waits for copy groups to waits for a counter ---------===//
//
//   lane.async_wait_group     s_waitcnt vmcnt(k), k from OutstandingCopies.h, between two fences of wavefront scope. The
//                             fences emit no instructions, but prevent LLVM from moving accesses of LDS across the
//                             wait, although the alias scopes declare these accesses independent of copies
//   lane.async_commit_group   sched_barrier, which only loads and copies cannot cross: prevents LLVM from moving
//                             copies of the next group before this group
//
// Because of the fences and barriers, the back end cannot change the number of copies that k counts.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/lane_to_rocdl/OutstandingCopies.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_EXPANDASYNCGROUPS
#include "conversion/lane_to_rocdl/Passes.h.inc"

/// The operand of s_waitcnt on GFX9: vmcnt in bits 15:14 and 3:0, expcnt in 6:4, lgkmcnt in 11:8. A field of all ones
/// does not wait.
constexpr int kMaxVmcnt = 63;
static uint32_t waitForVmcnt(uint32_t count) {
  constexpr uint32_t kNoOtherCounter = 7u << 4 | 15u << 8;
  return (count & 15u) | (count >> 4) << 14 | kNoOtherCounter;
}

/// Mask of sched_barrier: arithmetic, stores, and accesses of LDS can cross the barrier. Loads of vector memory, which
/// include copies into LDS, cannot cross the barrier.
constexpr uint32_t kAllButLoads = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400;

/// Returns true if the function has copy groups.
static bool expandAsyncGroups(LLVM::LLVMFuncOp function) {
  IRRewriter rewriter(function.getContext());
  SmallVector<std::pair<lane::AsyncWaitGroupOp, std::optional<int>>> waits;
  SmallVector<lane::AsyncCommitGroupOp> commits;
  function.walk([&](lane::AsyncWaitGroupOp op) { waits.push_back({op, countOutstandingCopies(op, kMaxVmcnt)}); });
  function.walk([&](lane::AsyncCommitGroupOp op) { commits.push_back(op); });
  for (auto [op, count] : waits) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::release, "wavefront");
    if (count)
      ROCDL::SWaitcntOp::create(rewriter, loc, waitForVmcnt(*count));
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::acquire, "wavefront");
    rewriter.eraseOp(op);
  }
  for (lane::AsyncCommitGroupOp op : commits) {
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<ROCDL::SchedBarrier>(op, kAllButLoads);
  }
  return !waits.empty() || !commits.empty();
}

namespace {

struct ExpandAsyncGroups : impl::ExpandAsyncGroupsBase<ExpandAsyncGroups> {
  void runOnOperation() override {
    if (!expandAsyncGroups(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace hocket
