//===- ProxyAccesses.h - Identifies generic stores and async accesses of the same memory ---===//
//
// Bulk copies and wgmma access memory through the async proxy (hk::AsyncProxyAccess), all other operations through the
// generic proxy:
//
//     hk.local_store %x, %tile                  generic store, shared memory
//     hk_nv.tma_store %tile, %desc[...]         async read, shared memory; async write, global memory
//     hk.store %p, %x                           generic store, global memory
//     hk_nv.tma_load %desc[...], %tile, ...     async read, global memory; async write, shared memory
//
// An async access needs a proxy fence after a generic store to the same bytes. After a generic load, no fence is
// needed, because the load has returned its value.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PROXY_FENCES_PROXYACCESSES_H
#define HOCKET_TRANSFORMS_PROXY_FENCES_PROXYACCESSES_H

#include "analysis/memory/MemoryAliases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hocket {

enum class ProxyMemory : unsigned { Shared, Global };
inline constexpr ProxyMemory kProxyMemories[] = {ProxyMemory::Shared, ProxyMemory::Global};

class ProxyAccesses {
public:
  explicit ProxyAccesses(mlir::func::FuncOp function);

  /// True if `op` stores to `memory` through the generic proxy. False for cp.async, because the waits of cp.async make
  /// the bytes visible.
  bool stores(mlir::Operation *op, ProxyMemory memory) const {
    return memory == ProxyMemory::Shared ? storedRegions.contains(op) : storedPointers.contains(op);
  }
  /// True if `op` exchanges values through scratch memory, with a barrier between its stores and loads.
  bool usesScratch(mlir::Operation *op) const { return scratchUsers.contains(op); }
  /// True if the async access `access` possibly reads or overwrites bytes of `memory` that `store` has written.
  bool mayOverlap(mlir::Operation *access, mlir::Operation *store, ProxyMemory memory);
  /// Returns an asynchronous store of lanes of any block (hk_nv.async_store) to shared memory that `access` reads; null
  /// if there is none.
  mlir::Operation *remoteStoreTo(mlir::Operation *access) const;
  /// True if `access` can read or overwrite bytes that other blocks have stored, because it accesses global memory or
  /// writes shared memory of other CTAs.
  bool reachesOtherBlocks(mlir::Operation *access, ProxyMemory memory) const;
  const MemoryAliases &sharedAliases() const { return aliases; }

private:
  void addStores(mlir::Operation *op);
  bool mayOverlapInShared(mlir::Operation *access, mlir::Operation *store) const;
  bool mayOverlapInGlobal(mlir::Operation *access, mlir::Operation *store) const;

  MemoryAliases aliases;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<MemoryRegion, 1>> storedRegions;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>> storedPointers;
  llvm::SmallPtrSet<mlir::Operation *, 4> scratchUsers;
  /// Cached results of `mayOverlap`, for each memory.
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Operation *>, bool> known[2];
  /// Buffers that cp.async writes.
  llvm::SmallPtrSet<mlir::Operation *, 4> ownersCopiedTo;
  llvm::SmallVector<mlir::Operation *> remoteStores;
};

} // namespace hocket

#endif
