//===- InsertProxyFences.cpp - Makes generic stores visible to the async proxy -------------===//
//
// Bulk copies and wgmma access memory through the async proxy, to which a lane's stores become visible only after a
// proxy fence of that lane. The lane must execute the fence after its stores and before the barrier, or the arrival at
// an mbarrier, that orders them before the access:
//
//     local_store x, %a       {a: no barrier since}
//     hk.proxy_fence          <- found at the wgmma, inserted here
//     hk.barrier local        {a: this barrier}
//     warpgroup_mma %a, ...   reads a: its stores lack a fence, which goes before their last barrier
//
// Stores to shared memory and to global memory have separate fences. A bulk load of global memory through a descriptor
// that the launch passes may read any array that the kernel stores to.
//
// Asynchronous stores of lanes of any block (hk_nv.async_store) become visible to lanes that wait at their mbarrier.
// The waiting lanes need a fence after that wait: it is inserted right before the access.
//
// Input:   hk with barriers (InsertBarriers.cpp) and structured control flow.
// Output:  hk with hk.proxy_fence; none if the kernel's own suffices, none for cp.async, whose waits make it visible.
// Method:  FenceScanner.h
// Not done: distinguishing slots of a ring buffer or tiles of global memory; a fence inside workers for stores before
//          they began; removing a kernel's fence after the barrier, which is too late.
// Cost:    nothing for functions without such accesses; else a few scans over the operations that access memory.
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

/// Returns true if the function has accesses through the async proxy.
static bool insertFences(func::FuncOp function) {
  WalkResult accesses = function.walk([](Operation *op) { return WalkResult(failure(isa<hk::AsyncProxyAccess>(op))); });
  if (!accesses.wasInterrupted())
    return false;
  function.walk([](hk::ProxyFenceOp fence) {
    recordSync(fence,
               {.what = "proxy fence", .at = fence.getLoc(), .isWritten = true, .why = "it stands in the kernel"});
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
