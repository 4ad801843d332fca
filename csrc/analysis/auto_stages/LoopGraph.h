//===- LoopGraph.h - The nodes, ordering constraints and waits of a loop's body ------------------===//
//
// Turns the body of a loop into a StageProblem:
//
//     hk.async_wait_group {outstanding = 1}        wait 0
//     %slot = hk.memdesc_index %ring[%now]         in no node: free operations follow their users
//     %x = hk.local_load %slot                     node 0
//     hk.async_copy_to_shared %p, %ring[%next]     node 1: the last copy of a group, with the commit
//     hk.async_commit_group
//     %d = hk_amd.mfma %x, ...                     node 2
//
// A node is one operation, or several operations that belong to one stage: the last copy of a group and the commit of
// the group, or arithmetic with few clocks and the only node that uses the result.
//
// An exchange between warps is one node. The stage of each use of its result must be far enough from the stage of the
// node, because barriers between the two stages order the accesses of scratch memory (DeferExchanges.cpp).
//
// The body must not contain waits for asynchronous MMAs. Such waits are inserted after stages have been formed.
//
// The rules of StageHazards.h order the accesses of shared and global memory. The order of two accesses depends on the
// first distance in iterations at which the accesses may overlap, and on the warps that exchange data.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_LOOPGRAPH_H
#define HOCKET_ANALYSIS_AUTO_STAGES_LOOPGRAPH_H

#include "analysis/auto_stages/StageProblem.h"
#include "analysis/memory/MemoryAliases.h"
#include "analysis/warp_pipeline/WarpExchange.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <variant>

namespace hocket {

struct LoopGraph {
  StageProblem problem;
  /// opsOf[i] contains the operations of node i, in program order.
  std::vector<llvm::SmallVector<mlir::Operation *, 2>> opsOf;
  /// waits[i] is the operation that problem.waits[i] describes.
  llvm::SmallVector<mlir::Operation *> waits;
};

/// The reason why a loop cannot be divided into stages. `at` is the operation that prevents the division; null if the
/// reason concerns the loop as a whole.
struct StageRefusal {
  mlir::Operation *at = nullptr;
  std::string reason;
};

/// Maximum number of nodes; with more nodes, the search for stages (StageSearch.h) would take too long.
inline constexpr unsigned kMaxStageNodes = 40;

/// The operations in the body of a loop that pass values between warps through scratch memory, and that
/// hocket-defer-exchanges can divide over two stages. Maps each operation to the warps that exchange values.
using DivisibleExchanges = llvm::DenseMap<mlir::Operation *, Exchange::Kind>;

/// Returns the graph of the body of `loop`, or the reason why the loop cannot be divided into stages. Shared memory
/// need not be allocated before the call, because different buffers that a loop uses do not overlap.
std::variant<LoopGraph, StageRefusal> graphOf(mlir::scf::ForOp loop, const MemoryAliases &aliases,
                                              const DivisibleExchanges &exchanges);

/// True if `op` starts a copy that completes on a counter (AsyncCounter.h). Stages must be formed such that a wait
/// between stages covers the copy. Asynchronous MMAs are not copies: each stage waits for its own MMAs.
bool isCountedCopy(mlir::Operation *op);

/// True if num_stages requests a software pipeline for `loop`, and hocket-prefetch may form the pipeline: copies that
/// complete on mbarriers (TMA) are never prefetched.
bool isSoftwarePipelined(mlir::scf::ForOp loop);

/// Returns the reason why an operation in the body of `loop`, or the loop itself, prevents a division into stages;
/// nullopt if there is none.
std::optional<StageRefusal> findIneligible(mlir::scf::ForOp loop, const DivisibleExchanges &exchanges);

/// Adds to `graph.problem` the ordering constraints and the arrivals (StageArrival) that memory accesses require.
/// Returns the reason why accesses prevent a division into stages; nullopt if there is none.
std::optional<StageRefusal> addMemoryOrders(LoopGraph &graph, mlir::scf::ForOp loop, const MemoryAliases &aliases);

} // namespace hocket

#endif
