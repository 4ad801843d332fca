//===- AsyncUses.h - Operations that conflict with outstanding asynchronous accesses ---------------===//
//
// A *start* is an operation that starts asynchronous accesses (interface AsyncAccess), together with the counter on
// which these accesses complete. Each start has a number. Another operation *conflicts* with a start if both access the
// same memory and one of them writes:
//
//     hk.async_copy_to_shared %p, %a          starts: writes %a, reads the array of %p
//     hk.local_load %a                        conflicts with the copy
//     hk.store %q, ...                        conflicts with the copy if %q may point into the array of %p
//     hk.async_copy_to_shared %q, %a          conflicts with the copy, and is a start itself
//
// An operation that uses asynchronous results in registers before the results are complete conflicts with the start,
// too (ResultsInRegisters.h).
//
// Two accesses of a ring buffer conflict only in iterations in which both select the same slot (GroupsInFlight.h,
// RingSlots.h).
//
// An operation *publishes* if other warps may assume, after the operation, that earlier accesses are complete. Examples
// are an atomic, and an operation that both reads and writes through one handle of shared memory, such as an arrival at
// an mbarrier. The end of the function publishes, too. An operation that publishes possibly conflicts with each access
// in flight, but never certainly. The end of a stage of a warp pipeline possibly conflicts with each wgmma in flight.
// An arrival at a named barrier or at the cluster's barrier may conflict with every access in flight, too. An arrival
// at a barrier of any kind conflicts with a wgmma in flight if other warps may, after the arrival, write the memory
// that the wgmma reads (SlotReleases.h). An hk.warp_specialize counts as an access of all memory that its workers
// access.
//
// An operation whose predicate is the constant false conflicts with nothing. An operation whose predicate is not
// constant conflicts possibly, but never certainly.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_ASYNCUSES_H
#define HOCKET_ANALYSIS_ASYNC_ASYNCUSES_H

#include "analysis/async/ResultsInRegisters.h"
#include "analysis/async/SlotReleases.h"
#include "analysis/memory/MemoryAliases.h"
#include "analysis/memory/RingSlots.h"
#include "llvm/ADT/BitVector.h"

namespace hocket {

class AsyncUses {
public:
  explicit AsyncUses(mlir::Operation *function);

  struct Start {
    mlir::Operation *op = nullptr;
    hk::AsyncCounter counter;
  };
  llvm::ArrayRef<Start> starts() const { return allStarts; }
  /// Returns the indices into starts() of the asynchronous accesses that `op` starts; empty if there are none.
  llvm::ArrayRef<unsigned> startsOf(mlir::Operation *op) const;
  /// Returns each counter on which an operation starts asynchronous accesses, commits or waits.
  llvm::ArrayRef<hk::AsyncCounter> counters() const { return allCounters; }
  /// True if an operation commits or waits on `counter`. If no operation commits or waits on a counter, the accesses on
  /// this counter complete with phases of mbarriers (AsyncArrival).
  bool isCounted(hk::AsyncCounter counter) const { return llvm::is_contained(countedOn, counter); }

  /// True if `op` is an asynchronous access, a commit, a wait, or an operation that may conflict with an asynchronous
  /// access.
  bool concerns(mlir::Operation *op) const {
    return accesses.contains(op) || results.concerns(op) || isSynchronizing(op);
  }
  /// Returns the starts (as indices into starts()) with which `op` may conflict in at least one iteration. The returned
  /// reference is valid until the next call of startsInConflictWith.
  const llvm::BitVector &startsInConflictWith(mlir::Operation *op) const;
  /// Returns the analysis of asynchronous results in registers.
  const ResultsInRegisters &inRegisters() const { return results; }
  /// Returns whether `op` conflicts, in registers, with the asynchronous results of starts()[number]. For each loop
  /// around `op`, `when` states whether starts()[number] was executed before the loop, and the number of iterations
  /// since (GroupsInFlight::InLoop).
  Conflict conflictInRegisters(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;
  /// Returns whether `op` conflicts, in memory, with the asynchronous accesses of starts()[number]. For each loop
  /// around `op`, `when` states whether starts()[number] was executed before the loop, and the number of iterations
  /// since (GroupsInFlight::InLoop).
  Conflict conflictInMemory(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

private:
  /// An access of a buffer in shared memory.
  struct Access {
    llvm::SmallVector<MemoryRegion, 1> regions;
    bool writes = false;
    hk::Completion completion = {};
    mlir::LoopLikeOpInterface loop;  ///< the innermost loop around the access
    mlir::Operation *ring = nullptr; ///< the accessed ring buffer, if the access is of a single slot
    int64_t slots = 0;
    std::optional<RingIndex> slot = {};
  };
  /// The memory effects of one operation.
  struct Effects {
    llvm::SmallVector<Access, 2> shared;
    llvm::SmallVector<mlir::Value, 1> readPointers, writtenPointers;
    bool publishes = false;
    bool endsStage = false;
    bool isSignal = false;
    /// True if the operation has a predicate that is not constant.
    bool isConditional = false;
    /// For an arrival at a barrier: the accesses that other warps may make after the arrival. For hk.warp_specialize:
    /// the accesses of its workers.
    llvm::SmallVector<Access, 0> released;
  };
  static bool isSynchronizing(mlir::Operation *op);
  void collect(mlir::Operation *op, const MemoryAliases &aliases, const SlotReleases &releases);
  static Access accessAt(mlir::Operation *op, llvm::ArrayRef<MemoryRegion> regions, bool writes);
  static void collectGlobal(mlir::Operation *op, Effects &effects);
  /// Adds the accesses of `op`, an operation in a worker, to the `effects` of the hk.warp_specialize that launches the
  /// worker.
  static void collectOfWorker(mlir::Operation *op, const MemoryAliases &aliases, Effects &effects);
  bool mayConflict(mlir::Operation *op, unsigned number) const;
  /// True if `op` may conflict, in global memory, with the accesses of the operation starts()[number].
  bool mayConflictInGlobal(mlir::Operation *op, unsigned number) const;
  /// True if `op` may conflict with the accesses of starts()[number] for a reason other than shared memory: an access
  /// of global memory, publishing, the end of a stage, or a signal at a barrier.
  bool mayConflictOutsideShared(mlir::Operation *op, const Effects &use, unsigned number) const;
  /// Returns the accesses of shared memory that complete on the counter of `start`.
  llvm::SmallVector<const Access *, 1> sharedOf(const Start &start) const;
  /// True if the asynchronous access `start` and the access `use` may conflict in some pair of iterations.
  static bool mayConflict(const Access &start, const Access &use);
  static Conflict conflictBetween(const Access &start, const Access &use, llvm::ArrayRef<GroupsInFlight::InLoop> when);
  static Conflict conflictInRing(const Access &start, const Access &use, llvm::ArrayRef<GroupsInFlight::InLoop> when);

  ResultsInRegisters results;
  llvm::SmallVector<Start> allStarts;
  llvm::SmallVector<hk::AsyncCounter, 2> allCounters, countedOn;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 1>> numbers;
  llvm::DenseMap<mlir::Operation *, Effects> accesses;
  mutable llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, bool> conflictsInGlobal; ///< cached results
  mutable llvm::DenseMap<mlir::Operation *, llvm::BitVector> conflictingStarts;           ///< cached results
};

} // namespace hocket

#endif
