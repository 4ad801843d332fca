//===- SlotReleases.h - Accesses that other warps may make after an arrival at a barrier ------===//
//
// After an arrival, partitions of warps that wait for the mbarrier, or at the named barrier, may continue. Suppose that
// a partition waits for one slot of a ring buffer of mbarriers before it writes the same slot of a ring buffer of
// tiles. An arrival at one mbarrier then lets the partition write only the tile in the slot of that mbarrier:
//
//     consumer partition                   producer partition
//       wait %full[%k % 4]                   wait %empty[%i % 4]
//       mma %ring[%k % 4]                    copy -> %ring[%i % 4]
//       arrive %empty[%k % 4]
//
// A partition that waits for one barrier and then arrives at another *relays* the first arrival. A wait for the second
// barrier then also waits for the first arrival, through any number of relays:
//
//     consumer partition                   relay                          producer partition
//       arrive %done[%k % 4]                 wait %done[%j % 4]             wait %empty[%i % 4]
//                                            arrive %empty[%j % 4]          copy -> %ring[%i % 4]
//
// An arrival releases no accesses by warps of the same partition and CTA, because these accesses follow the arrival in
// the same code. In a cluster, an arrival may release accesses of other CTAs, which run the same code. An arrival at
// the mbarriers of other CTAs, or at the cluster's barrier, lets other CTAs access the shared memory of the arriving
// CTA. Such accesses are multicast loads, asynchronous stores, and accesses of tiles that are split among the CTAs.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_ASYNC_SLOTRELEASES_H
#define HOCKET_ANALYSIS_ASYNC_SLOTRELEASES_H

#include "analysis/memory/MemoryAliases.h"
#include "llvm/ADT/BitVector.h"

namespace hocket {

class SlotReleases {
public:
  SlotReleases(mlir::Operation *function, const MemoryAliases &aliases);

  /// Returns true if `op` arrives at the cluster's barrier. Relaxed arrivals count, too, because other CTAs may write
  /// after a relaxed arrival.
  static bool arrivesAtCluster(mlir::Operation *op);

  /// An access by another partition, or by another CTA, that an arrival releases.
  struct Access {
    llvm::SmallVector<MemoryRegion, 1> regions;
    bool writes = false;
    /// The ring buffer, its number of slots, and the index of the accessed slot as an SSA value at the arrival; null if
    /// the access is not known to be of a single slot.
    mlir::Operation *ring = nullptr;
    int64_t slots = 0;
    mlir::Value index = {};
  };
  /// Returns the accesses that other partitions, or other CTAs, may make once they have waited for `arrival`.
  llvm::SmallVector<Access> releasedBy(mlir::Operation *arrival) const;

  struct Slot {
    mlir::Operation *ring = nullptr;
    int64_t slots = 0;
    mlir::Value index;
  };
  /// Returns the slot of a ring buffer to which `handle` refers; nullopt if `handle` is not known to refer to one slot.
  /// In a worker, `handle` may refer to a ring buffer that is passed to the worker as an argument. A null `handle`
  /// represents an mbarrier that was passed to the function, and has no slot.
  std::optional<Slot> slotOf(mlir::Value handle) const;

private:
  /// Identifies a barrier: `mbarriers` is the buffer that contains an mbarrier (null if unknown), `named` is the index
  /// of a named barrier, and `isClusters` is true for the barrier of the cluster.
  struct Barrier {
    mlir::Operation *mbarriers = nullptr;
    std::optional<uint32_t> named = {};
    bool isClusters = false;

    bool isKnown() const { return mbarriers || named || isClusters; }
    bool isMbarrier() const { return !named && !isClusters; }
    bool operator==(const Barrier &other) const {
      return mbarriers == other.mbarriers && named == other.named && isClusters == other.isClusters;
    }
    bool mayBe(const Barrier &other) const {
      return *this == other || (isMbarrier() && other.isMbarrier() && !(mbarriers && other.mbarriers));
    }
  };
  /// An operation, and the partition of warps that executes it.
  struct Point {
    mlir::Operation *op = nullptr, *partition = nullptr;
    /// Indices into `waits` of the waits that the partition has executed before `op`.
    llvm::SmallVector<unsigned, 2> waitsBefore = {};
  };
  /// An arrival at a barrier, or a wait for a barrier.
  struct BarrierUse : Point {
    Barrier barrier;
    std::optional<Slot> slot;
    /// For an arrival: indices into `waits` of the waits that the partition may execute before the arrival, possibly in
    /// an earlier iteration of a loop.
    llvm::SmallVector<unsigned, 2> waitsPerhapsBefore = {};
  };
  enum class Chain { Perhaps, Certainly };
  struct ReleasedWaits {
    llvm::BitVector inThisCta, inOtherCtas;
  };

  /// True if other CTAs may wait for `arrival`.
  bool isAwaitedInOtherCtas(mlir::Operation *arrival) const;
  /// True if `access` may access shared memory of other CTAs.
  bool isInOtherCtas(mlir::Operation *access) const;
  BarrierUse barrierUseOf(mlir::Operation *op) const;
  void findWaitsBefore();
  void findReleasedWaits();
  llvm::BitVector waitsReleasedAt(const Barrier &barrier, mlir::Operation *partition, Chain chain) const;
  bool isGuarded(const Point &point, const std::optional<Slot> &slot, const BarrierUse &arrival,
                 llvm::BitVector &tried) const;

  const MemoryAliases &aliases;
  int numCtas;
  llvm::SmallVector<BarrierUse, 0> arrivals, waits;
  llvm::SmallVector<Point, 0> accesses;
  /// For each partition, the waits that certainly wait for an arrival of this partition, directly or through relays.
  llvm::DenseMap<mlir::Operation *, ReleasedWaits> certainlyReleased;
};

} // namespace hocket

#endif
