//===- AsyncProxy.h - Tracks stores to shared memory that lack a proxy fence --------------===//
//
// wgmma and bulk copies access shared memory through the async proxy. A generic store of a warp is ordered before an
// access through the async proxy only if the warp has executed a proxy fence after the store, and the access happens
// after that proxy fence. A barrier alone orders the two warps, but not the two proxies. A proxy fence that a warp
// executes after the barrier does not order the stores of other warps.
//
//     warp 0                          warp 1
//     store  (epoch 5)
//     fence  (epoch 5)
//     barrier                         barrier
//     ...    (epoch 6)                wgmma: ordered after epoch 5 of warp 0, and thus after its fence
//
// An asynchronous store (st.async) is visible to the lanes that have waited at its mbarrier. A warp that reads the
// stored bytes through the async proxy must execute a proxy fence between the wait and the read.
//
// State is kept for each 16-byte chunk of shared memory, because accesses through the async proxy have this
// granularity. State is kept for each warp, not for each lane, because a proxy fence of one lane counts for its whole
// warp.
//
// PTX ISA 9.0, "Async proxy", "fence.proxy.async".
//
//===------------------------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_ASYNCPROXY_H
#define HOCKET_EMULATOR_RACES_ASYNCPROXY_H

#include "emulator/races/HappensBefore.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hocket::emulator {

class AsyncProxy {
public:
  AsyncProxy(size_t sharedBytes, unsigned numWarps)
      : pieces((sharedBytes + kPiece - 1) / kPiece), unfenced(numWarps), lastFence(numWarps) {}

  void forgetAll();
  /// Records a store of `bytes` bytes by the warp that has the clock state `clocks`.
  void store(const ClockState &clocks, uint64_t offset, uint64_t bytes, uint32_t site) {
    for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
      auto &stores = pieces[piece].stores;
      if (!stores.empty() && stores.back().warp == clocks.warp && stores.back().isOpen) [[likely]] {
        stores.back().site = site;
        stores.back().stored = clocks.epoch;
      } else {
        storeAnew(clocks, piece, site);
      }
    }
  }
  /// Records that an asynchronous store by `warp` has been performed.
  void arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site);
  void fence(const ClockState &clocks);
  /// Discards the recorded stores to these bytes. Must be called when a bulk copy overwrites the bytes.
  void overwrite(uint64_t offset, uint64_t bytes);

  struct Hidden {
    uint32_t warp, site;
    uint64_t offset; ///< offset of the chunk
  };
  /// Returns a store to these bytes that happens before an access in the clock state `clocks` through the async proxy,
  /// but that no proxy fence makes visible to this access. (A store that does not happen before the access is a race,
  /// which SharedRaces reports.) `reads`: true if the access through the async proxy reads the bytes.
  std::optional<Hidden> findHidden(const ClockState &clocks, uint64_t offset, uint64_t bytes, bool reads) const;

private:
  static constexpr size_t kPiece = 16;
  struct Store {
    uint32_t warp, site; ///< warp and site of the warp's last store to the chunk
    Epoch stored;        ///< epoch of the warp at its last store
    bool isOpen;         ///< true if no proxy fence of the warp has followed the store
    Epoch fenced;        ///< epoch of the warp at its first proxy fence after the store
  };
  struct Piece {
    llvm::SmallVector<Store, 1> stores; ///< the last store of each warp to the chunk
    uint32_t site = 0;                  ///< site of the last asynchronous store to the chunk
    uint32_t sender = 0;                ///< warp of the last asynchronous store to the chunk
    uint64_t arrived = 0;               ///< event number of the last asynchronous store; 0 if there is none
  };
  void storeAnew(const ClockState &clocks, size_t piece, uint32_t site);

  std::vector<Piece> pieces;
  std::vector<std::vector<uint32_t>> unfenced; ///< for each warp: chunks with a store that no proxy fence follows
  std::vector<uint64_t> lastFence;             ///< for each warp: event number of its last proxy fence
  uint64_t numEvents = 0;                      ///< number of performed asynchronous stores and proxy fences so far
};

} // namespace hocket::emulator

#endif
