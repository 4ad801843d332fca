//===- FenceScanner.h - Finds the proxy fences that a function lacks ---------------------------===//
//
// A generic store is visible to an async access after the storing lane has executed a proxy fence. A fence of another
// lane has no effect on the store. Therefore a fence must be between the store and the first barrier or signal after
// which other lanes rely on the store.
//
// The scanner tracks the stores that lack a fence, each with the *last* barrier after the store. A fence directly
// before the last barrier makes the store visible to all accesses after this barrier.
//
//     hk.local_store %x, %a      a: no barrier yet
//     hk.barrier local           a: last barrier is this one
//     hk.barrier local           a: last barrier is this one
//     warpgroup_mma %a, ...      needs a fence for a, which is inserted before the last barrier
//
// 1. All warps of a partition execute its operations in program order. A fence only makes stores of its own partition
//    visible. The fence takes effect after the next barrier, when all warps of the partition have executed it.
// 2. A worker inherits the stores of the default partition before the hk.warp_specialize. Fences for inherited stores
//    must be before the hk.warp_specialize. For accesses after the end of the workers, fences for the workers' stores
//    must be inside the workers.
// 3. If a partition signals another running partition, its stores before the signal are *published*, with the insertion
//    point for their fence. The fence is needed if an async access of the same bytes is in a partition that possibly
//    relies on the signal (Signals.h).
// 4. A fence for global memory is inserted before the loops that do not contain the store, not inside these loops.
//
// Each scan adds only the fence that comes first in program order. The next scan takes this fence into account, because
// the fence can also make other stores visible.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_FENCESCANNER_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_FENCESCANNER_H

#include "transforms/proxy_fences/ProxyAccesses.h"
#include "transforms/proxy_fences/Signals.h"
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
  /// Scans the function until no fence is missing, and returns the fences to insert.
  llvm::ArrayRef<Fence> findFences();

private:
  /// A store that lacks a fence.
  struct Unfenced {
    /// The last barriers after the store, one for each path; null for a path without a barrier.
    llvm::SmallSetVector<mlir::Operation *, 2> last;
    /// True if the storing lanes have executed a fence after the last barrier, and no barrier has followed the fence.
    bool isFenced = false;
  };
  using Store = std::pair<mlir::Operation *, unsigned>; ///< a store and its ProxyMemory
  using Stores = llvm::MapVector<Store, Unfenced>;
  struct Published {
    mlir::Operation *store, *signal;
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
  void addSignal(mlir::Operation *op, Stores &stores);
  void access(mlir::Operation &op, Stores &stores);
  void addPublished();
  void want(ProxyMemory memory, mlir::Operation *point, mlir::Operation *store, mlir::Operation *access);
  bool hasFence(ProxyMemory memory, mlir::Operation *before) const { return points[unsigned(memory)].contains(before); }
  bool showsRemoteStores(mlir::Operation &op) const;
  static bool join(Stores &stores, const Stores &more);

  mlir::func::FuncOp function;
  ProxyAccesses accesses;
  Signals signals;
  llvm::SmallVector<mlir::Operation *> asyncAccesses;
  llvm::SmallVector<Fence> fences;
  llvm::SmallPtrSet<mlir::Operation *, 8> points[2];     ///< for each ProxyMemory: operations with a fence before them
  llvm::SmallVector<Published> published;                ///< stores that the last scan has found to be published
  llvm::SmallVector<Fence> wanted;                       ///< fences that the last scan has found to be missing
  llvm::DenseMap<mlir::Operation *, unsigned> positions; ///< position of each operation in pre-order
};

} // namespace hocket

#endif
