//===- ClusterAccesses.h - Accesses to tiles that are split among the CTAs of a cluster --------------===//
//
// Plans accesses to shared memory tiles (plans/ClusterAccessPlan.h) for the types of the hk dialect. If every CTA
// accesses only its own shared memory, the access is *own*. Otherwise the access needs distributed shared memory, and
// cluster barriers order it with accesses of other CTAs.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_CLUSTERACCESSES_H
#define HOCKET_DIALECT_HK_FACTS_CLUSTERACCESSES_H

#include "dialect/hk/ir/HkDialect.h"
#include "plans/ClusterAccessPlan.h"

#include "dialect/hk/facts/ClusterInterfaces.h.inc"

namespace hocket::hk {

/// Returns the locations of a buffer's elements in the memories of all CTAs of a cluster; `type` is the type of a view
/// of the buffer.
ClusterOffsets clusterOffsetsOf(MemDescType type, int numCtas);

/// The following functions plan loads and stores of the memory to which `type` refers. Lanes hold the elements in the
/// layout of `tensor`.
ClusterAccess planLoad(mlir::RankedTensorType tensor, MemDescType type, int numCtas);
ClusterAccess planStore(mlir::RankedTensorType tensor, MemDescType type, int numCtas);

/// Plan for a gather or scatter in shared memory: a tensor of indices selects the accessed elements along one axis.
struct SelectionPlan {
  /// Maps coordinates to offsets: in the CTA's own shared memory if `isOwn`, otherwise in the memories of the cluster.
  LinearLayout toOffset;
  /// Maps (register, lane, warp, block) to the part of the offset that does not depend on the selecting index.
  LinearLayout ofLanes;
  unsigned partBits = 0;
  /// Mask of bits of the CTA's rank in the cluster: CTAs whose ranks differ in these bits hold copies of an element,
  /// and each CTA accesses its own copy.
  int32_t ownCopies = 0;
  /// Mask of bits of the CTA's rank in the cluster: CTAs whose ranks differ in these bits hold copies of an element,
  /// and a store writes all copies.
  int32_t copies = 0;
  bool isOwn = false;
};
SelectionPlan planSelection(mlir::RankedTensorType indices, MemDescType type, unsigned axis, bool writes, int numCtas);

/// True if `op` uses mbarriers of other CTAs of the cluster.
bool reachesOtherMbarriers(mlir::Operation *op);

/// True if `op` is the last operation of an expanded hk.cluster_barrier.
bool endsClusterBarrier(mlir::Operation *op);

/// True if `op`, a load, store, gather, scatter or atomic, accesses the shared memory of other CTAs of the cluster.
bool accessesOtherCtas(mlir::Operation *op, int numCtas);

} // namespace hocket::hk

#endif
