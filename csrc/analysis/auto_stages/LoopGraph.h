//===- LoopGraph.h - The nodes, orders and waits of a loop's body ------------------===//
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
// Accesses of shared and global memory are ordered by the rules of StageHazards.h. An order depends on the first pair
// of iterations in which two accesses may overlap, and on the warps that exchange data.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_LOOPGRAPH_H
#define HOCKET_ANALYSIS_AUTO_STAGES_LOOPGRAPH_H

#include "analysis/auto_stages/StageProblem.h"
#include "analysis/memory/MemoryAliases.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <variant>

namespace hocket {

struct LoopGraph {
  StageProblem problem;
  /// The operations of each node, in program order.
  std::vector<llvm::SmallVector<mlir::Operation *, 2>> opsOf;
  /// The operations of problem.waits.
  llvm::SmallVector<mlir::Operation *> waits;
};

/// The reason why no stages can be formed. `at` is the operation that rules out stages; null if the loop as a whole
/// rules them out.
struct StageRefusal {
  mlir::Operation *at = nullptr;
  std::string reason;
};

/// Largest number of nodes; the search would take too long with more.
inline constexpr unsigned kMaxStageNodes = 40;

/// Returns the graph of the body of `loop`. Shared memory may be unallocated, because different buffers that a loop
/// uses do not overlap.
std::variant<LoopGraph, StageRefusal> graphOf(mlir::scf::ForOp loop, const MemoryAliases &aliases);

/// Returns the reason why an operation in the body of `loop`, or the loop itself, rules out stages.
std::optional<StageRefusal> findIneligible(mlir::scf::ForOp loop);

/// Adds to the problem of `graph` the ordering constraints and the arrivals that accesses of memory require.
std::optional<StageRefusal> addMemoryOrders(LoopGraph &graph, mlir::scf::ForOp loop, const MemoryAliases &aliases);

} // namespace hocket

#endif
