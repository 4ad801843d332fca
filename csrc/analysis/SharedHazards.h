//===- SharedHazards.h - Which accesses of shared memory must be kept apart -------===//
//
// Two accesses are a *hazard* if they may touch the same bytes, at least one writes, and different lanes may do it:
// then all warps have to wait between them.
//
//     local_store x, %a      W a
//     local_load  %a         R a     hazard with W a    (read after write)
//     local_load  %a         R a     no hazard: nobody writes
//     local_store y, %b      W b     hazard with R a only if b took over the memory of a   (write after read)
//
// An asynchronous copy writes: what was accessed before must be settled before it starts. It is not done when the
// operation is, see PendingAccesses.h.
//
// A `relaxed` load is no hazard with what was stored before it: the program orders these itself. It is one with what
// asynchronous copies have brought (a wait is about the waiting warp's copies only), and with what is written after it,
// like any load.
//
// Not a hazard: accesses of the same view by registers with the same layout, when no two lanes hold the same element.
// Each lane then meets only its own accesses, which are in order.
//
// Nor are two operations with `hk.ordered`: their order is somebody else's business (WarpPipelineLowering).
//
// An operation with scratch memory writes it, waits for all warps, and reads it (see ScratchSize.h): between the two,
// everything before is settled.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_SHAREDHAZARDS_H
#define HOCKET_ANALYSIS_SHAREDHAZARDS_H

#include "analysis/SharedAliases.h"
#include "llvm/ADT/BitVector.h"

namespace hocket {

/// What one operation does to shared memory, as numbers of accesses.
struct SharedEffects {
  llvm::SmallVector<unsigned, 2> accesses;
  /// `accesses` are writes that have only been started.
  bool isAsyncCopy = false;
  /// After `accesses` all warps wait; then come `afterBarrier`.
  bool hasBarrier = false;
  llvm::SmallVector<unsigned, 2> afterBarrier;
};

class SharedHazards {
public:
  /// Memory must have been placed (hk.offset).
  explicit SharedHazards(mlir::Operation *function);

  unsigned numAccesses() const { return accesses.size(); }
  /// Null for an operation that neither accesses shared memory nor waits for the block. Operations with regions such as
  /// scf.if have no effects of their own.
  const SharedEffects *effectsOf(mlir::Operation *op) const;
  /// Is one of the `pending` accesses a hazard with access `number`, which comes after them?
  bool conflicts(unsigned number, const llvm::BitVector &pending) const {
    if (!accesses[number].isRelaxed)
      return hazards[number].anyCommon(pending);
    llvm::BitVector copied = hazards[number];
    copied &= copies;
    return copied.anyCommon(pending);
  }

private:
  struct Access {
    llvm::SmallVector<SharedRegion, 1> regions;
    bool writes = false;
    bool isCopy = false;
    bool isRelaxed = false;
    /// hk.ordered: in order with all others that are.
    bool isOrdered = false;
    /// The layout of the registers, if there are any and no two lanes hold the same element.
    mlir::Attribute lanes;
  };
  void collect(mlir::Operation *op, const SharedAliases &aliases);
  unsigned addAccess(Access access);
  static bool isHazard(const Access &a, const Access &b);

  llvm::SmallVector<Access> accesses;
  llvm::DenseMap<mlir::Operation *, SharedEffects> effects;
  /// hazards[i]: the accesses that access i must be kept apart from.
  llvm::SmallVector<llvm::BitVector> hazards;
  /// The accesses of asynchronous copies.
  llvm::BitVector copies;
};

} // namespace hocket

#endif
