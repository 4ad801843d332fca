//===- FenceScanner.h - Finds the proxy fences that a function lacks ---------------------------===//
//
// A generic store is visible to the async proxy once a lane that has stored has executed a proxy fence and the async
// access comes after that fence. Fences of other lanes do not count: the fence belongs after the store and before the
// first barrier or arrival that passes the store on.
//
// The scanner tracks the stores that lack a fence. For each it keeps the *last* barrier since: a fence before it is in
// time for later accesses.
//
//     hk.local_store %x, %a      a: none
//     hk.barrier local           a: this barrier
//     hk.barrier local           a: this one
//     warpgroup_mma %a, ...      a lacks a fence, which goes before its last barrier
//
// 1. Warps of one partition run in program order. A fence settles the stores of its own partition only, from the next
//    barrier on, as all of its warps have executed the fence then.
// 2. A worker inherits the stores of the default partition at its start. Fences for these can only be before the
//    hk.warp_specialize, whatever the worker executes; the reverse applies at the end of workers.
// 3. Stores that a partition passes on in between, at an mbarrier, named barrier or atomic release, are *published*
//    with the point for their fence. Async accesses of partitions that wait there (Announcements.h) need that fence.
// 4. A fence for global memory that would be inside a loop without the store is inserted before the loop.
//
// Each scan adds the fence that is first in program order, which then counts as present: it may also be in time for
// other accesses.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_FENCESCANNER_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_FENCESCANNER_H

#include "transforms/proxy_fences/Announcements.h"
#include "transforms/proxy_fences/ProxyAccesses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace hocket {

class FenceScanner {
public:
  explicit FenceScanner(mlir::func::FuncOp function);

  struct Fence {
    ProxyMemory memory;
    mlir::Operation *before, *store, *access;
  };
  /// Scans until all fences are found, and returns them.
  llvm::ArrayRef<Fence> findFences();

private:
  /// A store that lacks a fence.
  struct Unfenced {
    /// The possible last barriers since the store; null: there is none yet.
    llvm::SmallSetVector<mlir::Operation *, 2> last;
    /// The lanes that stored have executed a fence since, too late for the last barrier.
    bool isFenced = false;
  };
  using Store = std::pair<mlir::Operation *, unsigned>; ///< a store and its ProxyMemory
  using Stores = llvm::MapVector<Store, Unfenced>;
  struct Published {
    mlir::Operation *store, *announcement;
    ProxyMemory memory;
    llvm::SmallVector<mlir::Operation *, 2> points;
  };

  void scanFunction();
  void scanBlock(mlir::Block &block, Stores &stores);
  void scanOp(mlir::Operation &op, Stores &stores);
  void scanBranches(mlir::Operation &op, Stores &stores);
  void scanLoop(mlir::Operation &op, Stores &stores);
  void scanPartitions(hk::WarpSpecializeOp op, Stores &stores);
  void fence(ProxyMemory memory, mlir::Operation *op, Stores &stores) const;
  bool isBarrier(mlir::Operation *op) const;
  void barrier(mlir::Operation *op, Stores &stores) const;
  void announce(mlir::Operation *op, Stores &stores);
  void access(mlir::Operation &op, Stores &stores);
  void addPublished();
  void want(ProxyMemory memory, mlir::Operation *point, mlir::Operation *store, mlir::Operation *access);
  bool hasFence(ProxyMemory memory, mlir::Operation *before) const { return points[unsigned(memory)].contains(before); }
  bool showsRemoteStores(mlir::Operation &op) const;
  static bool join(Stores &stores, const Stores &more);

  mlir::func::FuncOp function;
  ProxyAccesses accesses;
  Announcements announcements;
  llvm::SmallVector<mlir::Operation *> asyncAccesses;
  llvm::SmallVector<Fence> fences;
  llvm::SmallPtrSet<mlir::Operation *, 8> points[2];     ///< by memory: operations with a fence before them
  llvm::SmallVector<Published> published;                ///< published by the last scan
  llvm::SmallVector<Fence> wanted;                       ///< requested by the last scan
  llvm::DenseMap<mlir::Operation *, unsigned> positions; ///< positions in pre-order
};

} // namespace hocket

#endif
