//===- SlotReleases.h - What an arrival at a barrier lets other warps do ----------------------------===//
//
// After an arrival, partitions of warps that wait for the mbarrier, or at the named barrier, may go on. Those who wait
// for one slot of a ring of mbarriers before they write the same slot of a ring of tiles are let to that slot alone:
//
//     partition that multiplies            partition that copies
//       wait %full[%k % 4]                   wait %empty[%i % 4]
//       multiply %ring[%k % 4]               copy -> %ring[%i % 4]
//       arrive %empty[%k % 4]
//
// A partition that waits for one barrier and then arrives at another *relays* the first arrival. What waits for the
// second barrier waits for the first one too, through any number of relays:
//
//     partition that multiplies            relay                          partition that copies
//       arrive %done[%k % 4]                 wait %done[%j % 4]             wait %empty[%i % 4]
//                                            arrive %empty[%j % 4]          copy -> %ring[%i % 4]
//
// Warps that run the same code as the arrival are let to nothing: what they do later, comes later in that code.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_SLOTRELEASES_H
#define HOCKET_ANALYSIS_ASYNC_SLOTRELEASES_H

#include "analysis/shared/SharedAliases.h"
#include "llvm/ADT/BitVector.h"

namespace hocket {

class SlotReleases {
public:
  SlotReleases(mlir::Operation *function, const SharedAliases &aliases);

  /// An access of another partition.
  struct Access {
    llvm::SmallVector<SharedRegion, 1> regions;
    bool writes = false;
    /// If only to one slot: the ring, and the number of the slot where the arrival is.
    mlir::Operation *ring = nullptr;
    int64_t slots = 0;
    mlir::Value index = {};
  };
  /// What others may do once `arrival` has told them.
  llvm::SmallVector<Access> releasedBy(mlir::Operation *arrival) const;

  struct Slot {
    mlir::Operation *ring = nullptr;
    int64_t slots = 0;
    mlir::Value index;
  };
  /// The slot of a ring that `handle` shows, in a worker too, which knows the ring as its argument. `handle` is null
  /// for an mbarrier that the function was passed.
  std::optional<Slot> slotOf(mlir::Value handle) const;

private:
  /// What tells barriers apart: the buffer of mbarriers, null where it is not known, or the number of a named barrier.
  struct Barrier {
    mlir::Operation *mbarriers = nullptr;
    std::optional<uint32_t> named = {};

    bool isKnown() const { return mbarriers || named; }
    bool operator==(const Barrier &other) const { return mbarriers == other.mbarriers && named == other.named; }
    bool mayBe(const Barrier &other) const {
      return *this == other || (!named && !other.named && !(mbarriers && other.mbarriers));
    }
  };
  /// An operation of a partition of warps.
  struct Point {
    mlir::Operation *op = nullptr, *partition = nullptr;
    /// Numbers of the waits that its partition has executed before it.
    llvm::SmallVector<unsigned, 2> waitsBefore = {};
  };
  /// An arrival at a barrier, or a wait for it.
  struct BarrierUse : Point {
    Barrier barrier;
    std::optional<Slot> slot;
    /// Of an arrival: numbers of the waits that may come before it, in an earlier iteration of a loop too.
    llvm::SmallVector<unsigned, 2> waitsPerhapsBefore = {};
  };
  enum class Chain { Perhaps, Certainly };

  BarrierUse barrierUseOf(mlir::Operation *op) const;
  void findWaitsBefore();
  void findReleasedWaits();
  llvm::BitVector waitsReleasedAt(const Barrier &barrier, mlir::Operation *partition, Chain chain) const;
  bool isGuarded(const Point &point, const std::optional<Slot> &slot, const BarrierUse &arrival,
                 llvm::BitVector &tried) const;

  const SharedAliases &aliases;
  llvm::SmallVector<BarrierUse, 0> arrivals, waits;
  llvm::SmallVector<Point, 0> accesses;
  /// By partition: the waits that certainly need one of its arrivals.
  llvm::DenseMap<mlir::Operation *, llvm::BitVector> certainlyReleased;
};

} // namespace hocket

#endif
