//===- OperationCosts.h - Execution unit and clocks of an operation on tiles -------===//
//
// The clocks follow from the registers of a lane, the layouts, and the tables of the target (target/CostTable.h):
//
//     MMA                          matrix    passes of the instructions of a warp
//     wgmma                        matrix    the same; issuing a wgmma takes one instruction
//     load and store of LDS        shared    wavefronts of the four warps of a group, with bank conflicts
//     global loads, stores, copies memory    bytes of a group; an instruction moves up to 16 bytes of a lane
//     TMA copies                   memory    bytes of a group, as for other copies; a single thread issues the copy
//     operations on mbarriers      none
//     arithmetic                   vector    one instruction for each register of 4 bytes
//
// Two groups of four warps share a tile, so each group moves half of it. Each of the four SIMDs executes one warp of a
// group. The clocks of one warp in the matrix and vector units are therefore also the clocks of the group.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_OPERATIONCOSTS_H
#define HOCKET_ANALYSIS_AUTO_STAGES_OPERATIONCOSTS_H

#include "analysis/auto_stages/StageProblem.h"
#include "dialect/hk/ir/HkDialect.h"

namespace hocket {

/// Returns the cost of `op`, without the cost of the operations in its regions.
StageNode costOf(mlir::Operation *op);

/// True if the operation takes no time: it is scalar, or only renames registers or memory.
bool isFree(mlir::Operation *op);

/// True if the code of `op` has branches that depend on data.
bool hasBranches(mlir::Operation *op);

/// Returns the number of 4-byte registers in which a lane holds a value of `type`.
int64_t registersOf(mlir::Type type);

/// Adds the cost of `part`, which the same warps execute, to the cost of `whole`. The sum occupies a single execution
/// unit: the unit of the cost with more clocks.
void addCost(StageNode &whole, const StageNode &part);

} // namespace hocket

#endif
