//===- ClusterAccesses.h - Accesses to tiles that are split among the CTAs of a cluster --------------===//
//
// The plans of plans/ClusterAccessPlan.h for types of this dialect. An access is *own* if every CTA accesses its own
// shared memory only; otherwise it needs distributed shared memory, and barriers of the cluster order it with other
// accesses.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_CLUSTERACCESSES_H
#define HOCKET_DIALECT_HK_FACTS_CLUSTERACCESSES_H

#include "dialect/hk/ir/HkDialect.h"
#include "plans/ClusterAccessPlan.h"

namespace hocket::hk {

/// Marks an operation that uses mbarriers of other CTAs of the cluster (unit attribute): they must be initialized
/// there.
inline constexpr llvm::StringLiteral kReachesOtherMbarriersAttr = "hk.reaches_other_mbarriers";

/// Marks the last operation of what was an hk.cluster_barrier (unit attribute).
inline constexpr llvm::StringLiteral kEndsClusterBarrierAttr = "hk.ends_cluster_barrier";

/// Marks a module whose kernel stores to the shared memory of other CTAs (unit attribute): its proxy fences are for
/// that memory, too.
inline constexpr llvm::StringLiteral kStoresToOtherCtasAttr = "hk.stores_to_other_ctas";

/// Returns the locations of a buffer's elements in the memories of all CTAs of a cluster; `type` refers to a part of
/// the buffer.
ClusterOffsets clusterOffsetsOf(MemDescType type, int numCtas);

/// Plan the accesses of the memory that `type` refers to, by lanes that hold its elements like `tensor`.
ClusterAccess planLoad(mlir::RankedTensorType tensor, MemDescType type, int numCtas);
ClusterAccess planStore(mlir::RankedTensorType tensor, MemDescType type, int numCtas);

/// Accesses of the elements that `indices` select along `axis`.
struct SelectionPlan {
  /// Maps coordinates to the offset in the memories of the cluster, or in the CTA's own memory.
  LinearLayout toOffset;
  /// Maps (register, lane, warp, block) to the part of the offset that does not depend on the index.
  LinearLayout ofLanes;
  unsigned partBits = 0;
  /// Bits of a CTA's number in which CTAs differ that each access a copy of their own.
  int32_t ownCopies = 0;
  /// Bits of a CTA's number in which the copies differ that an element is written to.
  int32_t copies = 0;
  bool isOwn = false;
};
SelectionPlan planSelection(mlir::RankedTensorType indices, MemDescType type, unsigned axis, bool writes, int numCtas);

/// True if `op`, a load, store, gather, scatter or atomic, accesses the shared memory of other CTAs of the cluster.
bool accessesOtherCtas(mlir::Operation *op, int numCtas);

} // namespace hocket::hk

#endif
