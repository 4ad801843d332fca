//===- SharedRaces.h - Finds races in shared memory --------------------------------------------===//
//
// Connects WarpOrder (the moments of lanes) with SharedShadow (the accessors of each granule). If races are not looked
// for, no state is kept and all functions do nothing.
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

  /// `stored`: the bytes that a store will write, or null. Fails the lane if the access conflicts with another.
  void access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site) {
    if (order.isKept())
      access(lane, SharedShadow::Usual(*shadow, order.momentOf(lane)), offset, stored, site);
  }
  /// Checks a batch of loads or stores, in order. `stored`: kMaxStoreBytes for each, or null.
  void accessRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored);
  /// Checks a batch of stores without the stored values. Returns false if the check needs them: then call `accessRow`.
  bool tryStoreRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets);
  /// `lane`, the running one, starts a copy to shared memory for lanes of its warp. Any access of these bytes conflicts
  /// with the copy until a wait covers it.
  void beginCopy(Lane &lane, const AsyncCopy &copy);
  /// `lane` starts a copy to shared memory for itself.
  void beginCopy(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Called when `lane` has waited for the copy: it is a write like others from now on.
  void endCopy(const Lane &lane, const AsyncCopy &copy);
  /// Called when other lanes have waited for the copy: it becomes a write at the epoch `then` of `warp`.
  void endCopyAt(Epoch then, uint32_t warp, unsigned copier, uint64_t offset, uint64_t bytes, uint32_t site);
  /// `lane` starts a bulk load to shared memory, through the async proxy.
  void beginBulkLoad(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Drops a copy without a later wait: the block that started it has ended.
  void dropCopy(uint64_t offset, uint64_t bytes);

  /// Records that an asynchronous store by `warp` has arrived.
  void arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site) {
    if (proxy)
      proxy->arrive(warp, offset, bytes, site);
  }
  /// `lane` makes the stores of its warp visible to the async proxy.
  void fenceProxy(const Lane &lane) {
    if (proxy)
      proxy->fence(order.momentOf(lane));
  }
  /// `lane` starts an asynchronous read for its warp, through the async proxy. Any write of these bytes conflicts with
  /// it until the warp has waited for it.
  void beginRead(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Called when `lane` has waited for the read: it is a read like others from now on.
  void endRead(const Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Drops a read without a later wait: the block that started it has ended.
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
      proxy->store(order.momentOf(lane), offset, bytes, site);
  }
  /// Fails the lane where a store to these bytes lacks a proxy fence before its async access.
  void checkProxy(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site, bool reads);
  void accessSlowly(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site);
  [[noreturn]] void fail(Lane &lane, uint32_t thread, uint32_t site, const Conflict &conflict);

  const Program &program;
  BlockFaults &faults;
  std::vector<Access> accesses; ///< indexed by site
  WarpOrder order;
  std::optional<SharedShadow> shadow;
  std::optional<AsyncProxy> proxy; ///< present if the kernel has asynchronous reads
};

} // namespace hocket::emulator

#endif
