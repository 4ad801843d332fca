//===- SharedRaces.h - Accesses of shared memory by two warps that nothing orders --------------===//
//
// Ties WarpOrder (at which moments lanes are) and SharedShadow (who accessed what). Where races are not looked for,
// nothing is kept and nothing happens here.
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
  /// Of accesses of shared memory.
  WarpOrder &warpOrder() { return order; }
  void begin();

  /// `stored`: what a store will write, or null. Fails the lane where the access is in conflict with another.
  void access(Lane &lane, uint64_t offset, const std::byte *stored, uint32_t site) {
    if (order.isKept())
      access(lane, SharedShadow::Usual(*shadow, order.momentOf(lane)), offset, stored, site);
  }
  /// The same for loads or stores in a row, one after the other. `stored`: kMaxStoreBytes each, or null.
  void accessRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets, const std::byte *stored);
  /// For stores in a row, without what they will write. Where it is false, `accessRow` has to tell.
  bool tryStoreRow(Lane &lane, const host_abi::SharedRow &row, const uint64_t *offsets);
  /// `lane`, the running one, starts a copy to shared memory for lanes of its warp. Any access of these bytes is in
  /// conflict with the copy until it is waited for.
  void beginCopy(Lane &lane, const AsyncCopy &copy);
  /// The same for the lane itself.
  void beginCopy(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// `lane` has waited for the copy: from here on it is a write like others.
  void endCopy(const Lane &lane, const AsyncCopy &copy);
  /// The same for a copy that others wait for: a write at the epoch `then` of `warp`.
  void endCopyAt(Epoch then, uint32_t warp, unsigned copier, uint64_t offset, uint64_t bytes, uint32_t site);
  /// `lane` starts a bulk load to shared memory, through the async proxy.
  void beginBulkLoad(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Nobody will wait for the copy: the block that started it has ended.
  void dropCopy(uint64_t offset, uint64_t bytes);

  /// What `warp` has stored asynchronously is there.
  void arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site) {
    if (proxy)
      proxy->arrive(warp, offset, bytes, site);
  }
  /// `lane` makes what its warp has stored visible to the async proxy.
  void fenceProxy(const Lane &lane) {
    if (proxy)
      proxy->fence(order.momentOf(lane));
  }
  /// `lane` starts an asynchronous read for its warp, through the proxy that needs such fences. Any write of these
  /// bytes is in conflict with it until the warp has waited for it.
  void beginRead(Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// `lane` has waited for the read: from here on it is one like others.
  void endRead(const Lane &lane, uint64_t offset, uint64_t bytes, uint32_t site);
  /// Nobody will wait for the read: the block that started it has ended.
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
  std::vector<Access> accesses; ///< by site
  WarpOrder order;
  std::optional<SharedShadow> shadow;
  std::optional<AsyncProxy> proxy; ///< where something is read asynchronously
};

} // namespace hocket::emulator

#endif
