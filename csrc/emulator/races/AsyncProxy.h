//===- AsyncProxy.h - Stores to shared memory that are not visible to the async proxy --------------===//
//
// wgmma and bulk copies access shared memory through the async proxy. A generic store of a warp is ordered before such
// an access only if the warp has executed a proxy fence after the store, and the access happens after that fence. A
// barrier alone orders the two warps, but not the two proxies; a fence after the barrier is too late for stores of
// other warps.
//
//     warp 0                          warp 1
//     store  (epoch 5)
//     fence  (epoch 5)
//     barrier                         barrier
//     ...    (epoch 6)                wgmma: ordered after epoch 5 of warp 0, and thus after its fence
//
// An asynchronous store by a lane of any block is visible to the lanes that wait at its mbarrier. A warp that accesses
// the stored bytes through the async proxy must execute a proxy fence between the wait and the access.
//
// State is kept for each chunk of 16 bytes, which is the granularity of these accesses, and for each warp, because a
// fence of one lane counts for its warp.
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
  /// Records a store of `bytes` bytes by the warp of `clocks`.
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
  /// Discards the stores to these bytes, because a bulk copy overwrites the bytes.
  void overwrite(uint64_t offset, uint64_t bytes);

  struct Hidden {
    uint32_t warp, site;
    uint64_t offset; ///< offset of the chunk
  };
  /// Returns a store to these bytes that happens before an access through the async proxy at `clocks`, but that no
  /// proxy fence makes visible to this access. (A store that does not happen before the access is a race, which
  /// SharedRaces reports.) `reads`: true if the access through the async proxy reads the bytes.
  std::optional<Hidden> findHidden(const ClockState &clocks, uint64_t offset, uint64_t bytes, bool reads) const;

private:
  static constexpr size_t kPiece = 16;
  struct Store {
    uint32_t warp, site; ///< the last store of the warp to the chunk
    Epoch stored;        ///< epoch of the warp at that store
    bool isOpen;         ///< true if no proxy fence of the warp has followed the store
    Epoch fenced;        ///< epoch of the warp at its first proxy fence after the store
  };
  struct Piece {
    llvm::SmallVector<Store, 1> stores; ///< the last store of each warp
    uint32_t site = 0;                  ///< site of the last asynchronous store
    uint32_t sender = 0;                ///< warp of that store
    uint64_t arrived = 0;               ///< number of that store's event; 0 if there has been none
  };
  void storeAnew(const ClockState &clocks, size_t piece, uint32_t site);

  std::vector<Piece> pieces;
  std::vector<std::vector<uint32_t>> unfenced; ///< for each warp: chunks with a store that no proxy fence follows
  std::vector<uint64_t> lastFence;             ///< for each warp: number of the event of its last fence
  uint64_t numEvents = 0;                      ///< number of arrivals of asynchronous stores and of fences so far
};

} // namespace hocket::emulator

#endif
