//===- PartitionPlan.h - Assignment of warps and registers to partitions ---------------------===//
//
//   warp      0  1  2  3 | 4  5  6  7 | 8  9 10 11
//             default    | worker of 4| 1| 2 of 2|  (11: none)
//
// The warps with which the kernel is launched (`num_warps`) execute the default partition and come first. A worker of 4
// or 8 warps begins at a warp number that is a multiple of 4. Each aligned set of 4 warps is a *warpgroup*, the unit of
// wgmma and setmaxnreg. A smaller worker begins at a multiple of its own size. Workers are assigned in order of
// decreasing size, each to the lowest free warps. A warp that is not assigned to any worker executes nothing.
//
// If workers have register budgets, each lane of the block begins with the same number of registers. When workers
// start, each lane of a warpgroup takes the largest budget of the warpgroup's workers, and the warps of the default
// partition share the remaining registers.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_PARTITIONPLAN_H
#define HOCKET_DIALECT_HK_FACTS_PARTITIONPLAN_H

#include "target/WgmmaInstructions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hocket::hk {

/// Numbers of the named barriers of the default partition's warps, of all warps of the block, and of the first worker.
/// The barriers of other workers have the next numbers, followed by the barriers of warp pipelines.
/// TargetInfo::namedBarriers is the total number.
inline constexpr int kLaunchBarrier = 0, kBlockBarrier = 1, kFirstWorkerBarrier = 2;

/// Size in bytes of the shared memory slot through which a value is passed to workers (transforms/nvidia/HandOver.h).
inline constexpr int64_t kHandOverSlotBytes = 8;

inline constexpr int kRegisterUnit = 8, kFewestRegisters = 24, kMostRegisters = 256;

struct WorkerNeeds {
  int numWarps = 0;
  int numRegisters = 0; ///< registers per lane; 0 if the user specified no register budget
};

/// First warp of each worker, and number of warps in a block with these workers.
struct WorkerWarps {
  llvm::SmallVector<int> firstWarps;
  int blockWarps = 0;
};
WorkerWarps assignWorkerWarps(int launchWarps, llvm::ArrayRef<WorkerNeeds> workers);

/// Number of registers per lane, for the warps of a block with workers.
struct RegisterBudgets {
  int atEntry = 0;                 ///< for every warp at the start of the kernel
  int ofLaunch = 0;                ///< for the default partition while workers run; less than kFewestRegisters if
                                   ///< the registers of the block do not suffice
  llvm::SmallVector<int> ofGroups; ///< for each warpgroup after the default partition, while workers run
};
/// Plans the registers for workers at `workerWarps`, in a block of `blockWarps` warps that has `blockRegisters`
/// registers. A lane may have at most `atMost` registers. `launchWarps` and `blockWarps` are multiples of 4.
RegisterBudgets planRegisters(int launchWarps, llvm::ArrayRef<WorkerNeeds> workers, const WorkerWarps &workerWarps,
                              int blockWarps, int warpSize, int blockRegisters, int atMost);

} // namespace hocket::hk

#endif
