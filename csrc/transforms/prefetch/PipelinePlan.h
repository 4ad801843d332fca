//===- PipelinePlan.h - Which operations of a loop run how many iterations ahead ----===//
//
// A loop that copies tiles from global to shared memory is cut into stages. The body of the new loop, in iteration i,
// runs each stage for an iteration of its own, i + ahead:
//
//     through registers, 2 stages     read(i+1)      compute(i)     write(i+1)
//     through registers, 3 stages     compute(i)     write(i+1)     read(i+2)
//     asynchronous, N stages          wait(i)        copy(i+N-1)    compute(i)
//
//     read      loads from global memory whose values go to shared memory, and their addresses
//     write     stores of these values, and what is computed on the way
//     copy      asynchronous copies, and what commits them to a group
//     compute   all else; `wait` is its part up to the first wait
//
// Why that is the same program. Through registers, accesses of shared memory keep their order, write(0) compute(0)
// write(1) compute(1) ..; only loads from global memory come earlier, in a loop that writes none. Asynchronous copies
// come earlier into a slot of shared memory that no iteration in flight uses (BufferSlots.h).
//
// What a stage computes without memory (addresses, masks, what the loop carries from one iteration to the next) is
// computed by each stage for itself; only what `read` has loaded is handed over. Addresses are cheaper to compute twice
// than to keep in registers.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PREFETCH_PIPELINEPLAN_H
#define HOCKET_TRANSFORMS_PREFETCH_PIPELINEPLAN_H

#include "dialect/hk/HkDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <variant>

namespace hocket::prefetch {

struct PipelineStage {
  /// In iterations.
  int64_t ahead = 0;
  /// Keep the back end from mixing the instructions of this stage with those before it, where the loop repeats.
  bool isKeptApart = false;
  /// What it is for, and all that this is computed from, up to what `read` hands over.
  llvm::SetVector<mlir::Operation *> ops;
  /// Variables of the loop among that.
  llvm::SetVector<mlir::BlockArgument> carried;
};

struct CounterGroups {
  hk::AsyncCounter counter;
  int64_t perIteration = 0;
};

struct PipelinePlan {
  mlir::scf::ForOp loop;
  /// In the order of the new body.
  llvm::SmallVector<PipelineStage, 3> stages = {};
  /// Loads whose values one stage hands to another.
  llvm::SetVector<mlir::Operation *> reads = {};
  /// The stores or asynchronous copies that fill shared memory.
  llvm::SmallVector<mlir::Operation *> writes = {};
  bool isAsync = false;
  /// Asynchronous: the groups that each iteration commits ahead.
  llvm::SmallVector<CounterGroups, 1> groups = {};

  /// Iterations that the foremost stage is ahead.
  int64_t depth() const;
  /// Of these, how many `wait` may leave for each iteration that has begun: the fewest, where it waits on several
  /// counters. To wait for more is never wrong.
  int64_t groupsOf(hk::AsyncWait wait) const;
};

/// Why a loop stays as it is.
struct Refusal {
  /// Where the reason is to be seen; null for the loop as a whole.
  mlir::Operation *at = nullptr;
  std::string reason;
  std::string hint = {};
  /// Nothing is copied at all, so nobody can have meant this loop.
  bool copiesNothing = false;
};

/// The plan for `numStages` (at least 2) stages; copies through registers have at most 3.
std::variant<PipelinePlan, Refusal> planPipeline(mlir::scf::ForOp loop, int64_t numStages);

/// Iterations of a loop with constant bounds.
std::optional<int64_t> constantTripCount(mlir::scf::ForOp loop);

} // namespace hocket::prefetch

#endif
