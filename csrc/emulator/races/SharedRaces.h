//===- SharedRaces.h - Finds races in shared memory --------------------------------------------===//
//
// Connects WarpOrder (the clock states of lanes) with SharedShadow (the accessors of each granule). If checking for
// races is disabled, no state is kept and all functions do nothing.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_SHAREDRACES_H
#define HOCKET_EMULATOR_RACES_SHAREDRACES_H

#include "emulator/block/AsyncCopy.h"
#include "emulator/faults/BlockFaults.h"
#include "emulator/host/Program.h"
#include "emulator/races/AsyncProxy.h"
#include "emulator/races/SharedShadow.h"
#include "emulator/races/WarpOrder.h"

#include <optional>
#include <vector>

namespace hocket::emulator {

class SharedRaces {
public:
  /// `shared`: the shared memory of the block.
  SharedRaces(const Program &program, bool isWanted, const std::byte *shared, BlockFaults &faults);

  bool areWatched() const { return order.isKept(); }
  /// Order of accesses of shared memory.
  WarpOrder &warpOrder() { return order; }
  void begin();

  /// Records an access of shared memory by `lane`. Reports a fault of the lane if the access races with an earlier
  /// access. `stored`: the bytes that a store will write; null for a load.
  void access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site) {
    if (order.isKept())
      access(lane, SharedShadow::Usual(*shadow, order.clocksOf(lane)), offset, stored, site);
  }
  /// Checks a batch of loads or stores, in order. `stored`: kMaxStoreBytes bytes for each store; null for loads.
  void accessRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored);
  /// Checks a batch of stores for races, by addresses only. Returns false if the check needs the values that the stores
  /// write; the caller must then call `accessRow`, which takes these values.
  bool tryStoreRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets);
  /// Records that `lane`, the running lane, starts a copy to shared memory for lanes of its warp. While the copy is
  /// outstanding, any access of its destination races with the copy.
  void beginCopy(Lane &lane, const AsyncCopy &copy);
  /// Records that `lane` starts a copy to shared memory for this lane only.
  void beginCopy(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Must be called when `lane` has waited for the copy. The copy then counts as a write by the lane.
  void endCopy(const Lane &lane, const AsyncCopy &copy);
  /// Must be called when other lanes have waited for the copy. The copy then counts as a write by `warp` in the epoch
  /// `then` of this warp.
  void endCopyAt(Epoch then, uint32_t warp, unsigned copier, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Records that `lane` starts a bulk load to shared memory, through the async proxy.
  void beginBulkLoad(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Drops the record of an outstanding copy. Must be called when the block that started the copy has ended.
  void dropCopy(uint64_t offset, uint64_t bytes);

  /// Records that an asynchronous store by `warp` has been performed.
  void arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site) {
    if (proxy)
      proxy->arrive(warp, offset, bytes, site);
  }
  /// Records a proxy fence of `lane`, which makes the stores of its warp visible to the async proxy.
  void fenceProxy(const Lane &lane) {
    if (proxy)
      proxy->fence(order.clocksOf(lane));
  }
  /// Records that `lane` starts an asynchronous read for its warp, through the async proxy. Until the warp has waited
  /// for the read, any write of these bytes races with the read.
  void beginRead(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Must be called when `lane` has waited for the asynchronous read. The asynchronous read then counts as an ordinary
  /// read by the lane.
  void endRead(const Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Drops the record of an outstanding asynchronous read. Must be called when the block that started the read has
  /// ended.
  void dropRead(uint64_t offset, uint64_t bytes);

private:
  struct Access {
    SharedAccess kind;
    uint32_t bytes;
  };
  [[gnu::always_inline]] void access(Lane &lane, const SharedShadow::Usual &usual, uint64_t offset,
                                     const std::byte *stored, uint32_t site) {
    auto [kind, bytes] = accesses[site];
    PackedAccessor who = Accessor{lane.warp, lane.lane, site};
    if (kind == SharedAccess::Read && usual.tryRead(offset, bytes, who)) [[likely]]
      return;
    bool isUsualWrite = kind == SharedAccess::Write && usual.tryWrite(offset, bytes, who);
    if (!isUsualWrite) [[unlikely]]
      accessSlowly(lane, offset, stored, site);
    if (proxy && kind != SharedAccess::Read) [[unlikely]]
      proxy->store(order.clocksOf(lane), offset, bytes, site);
  }
  /// Checks an access of these bytes by `lane` through the async proxy. Reports a fault if a store to the bytes lacks a
  /// proxy fence.
  void checkProxy(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site, bool reads);
  void accessSlowly(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site);
  [[noreturn]] void fail(Lane &lane, uint32_t thread, uint32_t site, const Conflict &conflict);

  const Program &program;
  BlockFaults &faults;
  std::vector<Access> accesses; ///< kind and width of the access at each site, indexed by site
  WarpOrder order;
  std::optional<SharedShadow> shadow;
  std::optional<AsyncProxy> proxy; ///< present if the kernel has wgmma or TMA copies
};

} // namespace hocket::emulator

#endif
