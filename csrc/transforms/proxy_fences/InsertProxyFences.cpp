//===- InsertProxyFences.cpp - Makes generic stores visible to the async proxy -------------===//
//
// Bulk copies and wgmma access memory through the async proxy. A lane's stores become visible to the async proxy only
// after a proxy fence of the lane. The lane must execute the fence before the barrier, or the arrival at an mbarrier,
// that orders the stores before the access:
//
//     local_store x, %a       {a: no barrier yet}
//     hk.proxy_fence          <- found at the wgmma, inserted here
//     hk.barrier local        {a: last barrier is this one}
//     warpgroup_mma %a, ...   reads a: needs a fence before the last barrier
//
// Stores to shared memory and stores to global memory need different fences. A bulk load through a descriptor that is a
// kernel argument can read any array of global memory to which the kernel stores.
//
// Asynchronous stores by lanes of any block (hk_nv.async_store) become visible to lanes that wait at the mbarrier of
// the stores. The waiting lanes need a fence after the wait; the pass inserts this fence directly before the access.
//
// Input:   hk with barriers (InsertBarriers.cpp) and structured control flow.
// Output:  hk with hk.proxy_fence. No fence is inserted if a fence of the kernel suffices. Bytes that cp.async copies
//          need no fence, because the waits make them visible.
// Method:  FenceScanner.h
// Not done: distinguishing slots of a ring buffer, or tiles of global memory; fences inside workers for stores before
//          their start; removing a user's fence that has no effect because it is after the barrier.
// Cost:    none for functions without accesses through the async proxy; otherwise a few scans over the operations that
//          access memory.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "transforms/Passes.h"
#include "transforms/SyncRecord.h"
#include "transforms/proxy_fences/BulkOrder.h"
#include "transforms/proxy_fences/FenceScanner.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_INSERTPROXYFENCES
#include "transforms/Passes.h.inc"

static std::string nameOf(ProxyMemory memory) {
  return memory == ProxyMemory::Shared ? "proxy fence" : "proxy fence for global memory";
}

static void record(const FenceScanner::Fence &fence) {
  recordSync(fence.before,
             {.what = nameOf(fence.memory),
              .at = fence.before->getLoc(),
              .earlier = fence.store,
              .later = fence.access,
              .why = "the " + wordsFor(fence.access) + " goes through the async proxy: without the fence, " +
                     "it could take effect before the " + wordsFor(fence.store)});
}

/// Inserts the fences of a function; returns true if the function has accesses through the async proxy.
static bool insertFences(func::FuncOp function) {
  WalkResult accesses = function.walk([](Operation *op) { return WalkResult(failure(isa<hk::AsyncProxyAccess>(op))); });
  if (!accesses.wasInterrupted())
    return false;
  function.walk([](hk::ProxyFenceOp fence) {
    recordSync(fence,
               {.what = "proxy fence", .at = fence.getLoc(), .isWritten = true, .why = "it is written in the kernel"});
  });
  FenceScanner scanner(function);
  for (const FenceScanner::Fence &fence : scanner.findFences()) {
    OpBuilder builder(fence.before);
    hk::ProxyFenceOp::create(builder, fence.before->getLoc(), fence.memory == ProxyMemory::Global);
    record(fence);
  }
  return true;
}

namespace {
struct InsertProxyFencesPass : impl::InsertProxyFencesBase<InsertProxyFencesPass> {
  void runOnOperation() override {
    if (failed(hk::requireFactsAndLayouts(getOperation())) || failed(requireKnownOrigins(getOperation())) ||
        failed(requirePlaced(getOperation())))
      return signalPassFailure();
    bool isChanged = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(checkBulkOrder(function)))
        return signalPassFailure();
      isChanged |= insertFences(function);
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
