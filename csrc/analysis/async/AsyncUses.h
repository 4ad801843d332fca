//===- AsyncUses.h - Operations that conflict with outstanding asynchronous accesses ---------------===//
//
// Each operation that starts asynchronous accesses on a counter (interface AsyncAccess) is a *start*. Another operation
// *meets* it if the two touch the same memory and one of them writes:
//
//     hk.async_copy_to_shared %p, %a          starts: writes %a, reads the array of %p
//     hk.local_load %a                        meets it
//     hk.store %q, ...                        meets it if %q may point into the array of %p
//     hk.async_copy_to_shared %q, %a          meets it, and is a start itself
//
// An operation that uses results in registers before they are complete meets the start, too (ResultsInRegisters.h).
//
// In a ring buffer, whether the two meet depends on their iterations (GroupsInFlight.h, RingSlots.h).
//
// An operation that allows others to rely on earlier accesses *publishes*: an atomic, and an operation that both reads
// and writes through one handle of shared memory, such as an arrival at an mbarrier. The ends of the function and of a
// stage of a warp pipeline publish, too. A publishing operation is assumed to meet all accesses in flight, but never
// certainly. The same applies to an arrival at a named barrier or at the cluster's barrier. An arrival at a barrier of
// any kind meets a wgmma that reads memory which the arrival lets others write (SlotReleases.h). The launch of workers
// (hk.warp_specialize) meets the accesses of all of them.
//
// An operation whose predicate is the constant false meets nothing; one with a predicate that is not known meets
// nothing certainly.
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
  /// Returns the starts of `op`.
  llvm::ArrayRef<unsigned> startsOf(mlir::Operation *op) const;
  /// Returns the counters of all starts, commits and waits.
  llvm::ArrayRef<hk::AsyncCounter> counters() const { return allCounters; }
  /// True if an operation commits or waits on `counter`. Otherwise the accesses started on it are handed over to
  /// barriers (AsyncArrival).
  bool isCounted(hk::AsyncCounter counter) const { return llvm::is_contained(countedOn, counter); }

  /// True if `op` accesses memory or registers of results, publishes, starts, commits or waits.
  bool concerns(mlir::Operation *op) const {
    return accesses.contains(op) || results.concerns(op) || isSynchronising(op);
  }
  /// Returns the starts that `op` could meet at any time. Valid until the next call.
  const llvm::BitVector &startsMetBy(mlir::Operation *op) const;
  /// Returns the uses of results in registers.
  const ResultsInRegisters &inRegisters() const { return results; }
  /// Returns the conflict of `op`, at a point that sees the start at `when`, with registers of start `number`.
  Meeting meetsInRegisters(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;
  /// Returns the conflict of `op`, at such a point, with memory of start `number`.
  Meeting meets(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

private:
  /// An access of a buffer.
  struct Access {
    llvm::SmallVector<MemoryRegion, 1> regions;
    bool writes = false;
    hk::Completion completion = {};
    mlir::LoopLikeOpInterface loop;  ///< the innermost loop around it
    mlir::Operation *ring = nullptr; ///< the ring buffer, if it accesses one slot of it
    int64_t slots = 0;
    std::optional<RingIndex> slot = {};
  };
  /// The effects of an operation.
  struct Effects {
    llvm::SmallVector<Access, 2> shared;
    llvm::SmallVector<mlir::Value, 1> readPointers, writtenPointers;
    bool publishes = false;
    /// For an arrival at a barrier: accesses that others may make then. For the launch of workers: their accesses.
    bool announces = false;
    /// A predicate of the program's decides whether it does anything.
    bool isConditional = false;
    llvm::SmallVector<Access, 0> released;
  };
  static bool isSynchronising(mlir::Operation *op);
  void collect(mlir::Operation *op, const MemoryAliases &aliases, const SlotReleases &releases);
  static Access accessAt(mlir::Operation *op, llvm::ArrayRef<MemoryRegion> regions, bool writes);
  static void collectGlobal(mlir::Operation *op, Effects &effects);
  /// Adds the effects of a worker's operation to those that the launch of the worker allows.
  static void collectOfWorker(mlir::Operation *op, const MemoryAliases &aliases, Effects &effects);
  bool mayMeet(mlir::Operation *op, unsigned number) const;
  /// True if the two may conflict in global memory.
  bool mayMeetInArrays(mlir::Operation *op, unsigned number) const;
  /// True if the two conflict by publishing, or in global memory.
  bool meetsElsewhere(mlir::Operation *op, const Effects &use, unsigned number) const;
  /// Returns the accesses of buffers by `start`.
  llvm::SmallVector<const Access *, 1> sharedOf(const Start &start) const;
  /// True if the two may conflict in any iterations.
  static bool mayTouch(const Access &start, const Access &use);
  static Meeting meet(const Access &start, const Access &use, llvm::ArrayRef<GroupsInFlight::InLoop> when);
  static Meeting meetInRing(const Access &start, const Access &use, llvm::ArrayRef<GroupsInFlight::InLoop> when);

  ResultsInRegisters results;
  llvm::SmallVector<Start> allStarts;
  llvm::SmallVector<hk::AsyncCounter, 2> allCounters, countedOn;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 1>> numbers;
  llvm::DenseMap<mlir::Operation *, Effects> accesses;
  mutable llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, bool> meetInArrays; ///< cached results
  mutable llvm::DenseMap<mlir::Operation *, llvm::BitVector> met;                    ///< cached results
};

} // namespace hocket

#endif
