//===- AsyncUses.h - Who must not come before an asynchronous access is done -----------------------===//
//
// Each operation that starts asynchronous accesses (interface AsyncAccess) is a *start* on its counter. Another
// operation *meets* it if the two touch the same memory and one of them writes:
//
//     hk.async_copy_to_shared %p, %a          starts: writes %a, reads the array of %p
//     hk.local_load %a                        meets it
//     hk.store %q, ..                         meets it if %q may point into the array of %p
//     hk.async_copy_to_shared %q, %a          meets it, and is a start itself
//
// So does what uses results in registers that are not there yet (ResultsInRegisters.h).
//
// In a ring, whether the two meet depends on the iterations in which they are (GroupsInFlight.h, RingSlots.h).
//
// An operation after which others may rely on what was done before *publishes*: an atomic, and what both reads and
// writes through one handle of shared memory, as an arrival at an mbarrier does. So do the ends of the function and of
// a stage of a warp pipeline. It is taken to meet whatever is in flight, but never certainly. So is an arrival at a
// named barrier. Of products, an arrival at either meets those that read what it lets others write (SlotReleases.h).
// The launch of workers (hk.warp_specialize) meets what any of them touches.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_ASYNCUSES_H
#define HOCKET_ANALYSIS_ASYNC_ASYNCUSES_H

#include "analysis/async/ResultsInRegisters.h"
#include "analysis/async/SlotReleases.h"
#include "analysis/shared/RingSlots.h"
#include "analysis/shared/SharedAliases.h"
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
  /// The starts of `op`.
  llvm::ArrayRef<unsigned> startsOf(mlir::Operation *op) const;
  /// The counters of all starts, commits and waits.
  llvm::ArrayRef<hk::AsyncCounter> counters() const { return allCounters; }
  /// Does anything commit or wait on `counter`? Else something else says when what is started on it is done, as an
  /// mbarrier does for bulk loads.
  bool isCounted(hk::AsyncCounter counter) const { return llvm::is_contained(countedOn, counter); }

  /// Does `op` access memory or registers of results, publish, start, commit or wait?
  bool concerns(mlir::Operation *op) const {
    return accesses.contains(op) || results.concerns(op) || isSynchronising(op);
  }
  /// The starts that `op` could meet at any time. Until the next call.
  const llvm::BitVector &startsMetBy(mlir::Operation *op) const;
  /// Who uses results in registers.
  const ResultsInRegisters &inRegisters() const { return results; }
  /// Does `op`, at a point that sees the start at `when`, touch registers of start `number`?
  Meeting meetsInRegisters(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;
  /// The same for memory.
  Meeting meets(mlir::Operation *op, unsigned number, llvm::ArrayRef<GroupsInFlight::InLoop> when) const;

private:
  /// Of shared memory.
  struct Access {
    llvm::SmallVector<SharedRegion, 1> regions;
    bool writes = false;
    std::optional<hk::AsyncCounter> counter = {};
    mlir::LoopLikeOpInterface loop;  ///< the innermost around it
    mlir::Operation *ring = nullptr; ///< if it accesses one slot of a ring
    int64_t slots = 0;
    std::optional<RingIndex> slot = {};
  };
  /// What an operation does.
  struct Effects {
    llvm::SmallVector<Access, 2> shared;
    llvm::SmallVector<mlir::Value, 1> readPointers, writtenPointers;
    bool publishes = false;
    /// By arriving at a barrier: what others may do then. The launch of workers: their accesses.
    bool announces = false;
    llvm::SmallVector<Access, 0> released;
  };
  static bool isSynchronising(mlir::Operation *op);
  void collect(mlir::Operation *op, const SharedAliases &aliases, const SlotReleases &releases);
  static Access accessAt(mlir::Operation *op, llvm::ArrayRef<SharedRegion> regions, bool writes);
  static void collectGlobal(mlir::Operation *op, Effects &effects);
  /// Adds what an operation of a worker does to what the launch of the worker lets happen.
  static void collectOfWorker(mlir::Operation *op, const SharedAliases &aliases, Effects &effects);
  bool mayMeet(mlir::Operation *op, unsigned number) const;
  /// In global memory.
  bool mayMeetInArrays(mlir::Operation *op, unsigned number) const;
  /// By publishing, or in global memory.
  bool meetsElsewhere(mlir::Operation *op, const Effects &use, unsigned number) const;
  /// What `start` accesses of shared memory.
  llvm::SmallVector<const Access *, 1> sharedOf(const Start &start) const;
  /// Whatever the iterations.
  static bool mayTouch(const Access &start, const Access &use);
  static Meeting meet(const Access &start, const Access &use, llvm::ArrayRef<GroupsInFlight::InLoop> when);
  static Meeting meetInRing(const Access &start, const Access &use, llvm::ArrayRef<GroupsInFlight::InLoop> when);

  ResultsInRegisters results;
  llvm::SmallVector<Start> allStarts;
  llvm::SmallVector<hk::AsyncCounter, 2> allCounters, countedOn;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 1>> numbers;
  llvm::DenseMap<mlir::Operation *, Effects> accesses;
  mutable llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, bool> meetInArrays; ///< what was asked before
  mutable llvm::DenseMap<mlir::Operation *, llvm::BitVector> met;                    ///< likewise
};

} // namespace hocket

#endif
