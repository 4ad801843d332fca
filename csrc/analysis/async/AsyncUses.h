//===- AsyncUses.h - Operations that conflict with outstanding asynchronous accesses ---------------===//
//
// Each operation that starts asynchronous accesses on a counter (interface AsyncAccess) is a *start*, and has a number.
// Another operation *conflicts* with the start if both access the same memory and one of them writes:
//
//     hk.async_copy_to_shared %p, %a          starts: writes %a, reads the array of %p
//     hk.local_load %a                        conflicts with it
//     hk.store %q, ...                        conflicts with it if %q may point into the array of %p
//     hk.async_copy_to_shared %q, %a          conflicts with it, and is a start itself
//
// An operation that uses asynchronous results in registers before the results are complete conflicts with the start,
// too (ResultsInRegisters.h).
//
// The iterations of two accesses of a ring buffer determine whether the accesses conflict (GroupsInFlight.h,
// RingSlots.h).
//
// An operation *publishes* if other warps may assume, after the operation, that earlier accesses are complete. Examples
// are an atomic, and an operation that both reads and writes through one handle of shared memory, such as an arrival at
// an mbarrier. The ends of the function and of a stage of a warp pipeline publish, too. A publishing operation may
// conflict with every access in flight, but does not certainly conflict. An arrival at a named barrier or at the
// cluster's barrier may conflict with every access in flight, too. An arrival at a barrier of any kind conflicts with a
// wgmma in flight if other warps may, after the arrival, write the memory that the wgmma reads (SlotReleases.h). An
// hk.warp_specialize counts as an access of all memory that its workers access.
//
// An operation whose predicate is the constant false conflicts with nothing. An operation whose predicate is not
// constant may conflict, but never certainly conflicts.
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
  /// Returns the counters of all asynchronous accesses, commits and waits.
  llvm::ArrayRef<hk::AsyncCounter> counters() const { return allCounters; }
  /// True if an operation commits or waits on `counter`. If no operation commits or waits on a counter, the accesses on
  /// this counter complete with phases of barriers (AsyncArrival).
  bool isCounted(hk::AsyncCounter counter) const { return llvm::is_contained(countedOn, counter); }

  /// True if `op` starts an asynchronous access, may conflict with an asynchronous access, commits or waits.
  bool concerns(mlir::Operation *op) const {
    return accesses.contains(op) || results.concerns(op) || isSynchronizing(op);
  }
  /// Returns the set of asynchronous accesses (indices into starts()) with which `op` may conflict in some iteration.
  /// The reference is valid until the next call.
  const llvm::BitVector &startsInConflictWith(mlir::Operation *op) const;
  /// Returns the uses of results in registers.
  const ResultsInRegisters &inRegisters() const { return results; }
  /// Returns whether `op` conflicts, in registers, with the asynchronous accesses of the operation starts()[number].
  /// `when` is the time of the start, relative to each loop around `op`.
  Conflict conflictInRegisters(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;
  /// Returns whether `op` conflicts, in memory, with the asynchronous accesses of the operation starts()[number].
  /// `when` is the time of the start, relative to each loop around `op`.
  Conflict conflictInMemory(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

private:
  /// An access of a buffer.
  struct Access {
    llvm::SmallVector<MemoryRegion, 1> regions;
    bool writes = false;
    hk::Completion completion = {};
    mlir::LoopLikeOpInterface loop;  ///< the innermost loop around the access
    mlir::Operation *ring = nullptr; ///< the ring buffer, if the access is of one of its slots
    int64_t slots = 0;
    std::optional<RingIndex> slot = {};
  };
  /// The effects of an operation.
  struct Effects {
    llvm::SmallVector<Access, 2> shared;
    llvm::SmallVector<mlir::Value, 1> readPointers, writtenPointers;
    bool publishes = false;
    bool isSignal = false;
    /// True if a predicate that is not constant decides whether the operation has an effect.
    bool isConditional = false;
    /// For an arrival at a barrier: accesses that other warps may make after the arrival. For hk.warp_specialize:
    /// accesses of its workers.
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
  /// True if `op` may conflict with the accesses of the operation starts()[number], in global memory or because `op`
  /// publishes.
  bool mayConflictOutsideShared(mlir::Operation *op, const Effects &use, unsigned number) const;
  /// Returns the accesses of shared memory by `start`.
  llvm::SmallVector<const Access *, 1> sharedOf(const Start &start) const;
  /// True if the two accesses may conflict in some pair of iterations.
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
