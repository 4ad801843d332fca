//===- AsyncProxy.h - Stores to shared memory that are not visible to the async proxy --------------===//
//
// wgmma and bulk copies access shared memory through the async proxy. A generic store of a warp precedes such an access
// only if the warp has executed a proxy fence after the store, and the access happens after that fence. A barrier alone
// orders the two warps, but not the two proxies; a fence after the barrier is too late for stores of other warps.
//
//     warp 0                          warp 1
//     store  (epoch 5)
//     fence  (epoch 5)
//     barrier                         barrier
//     ...    (epoch 6)                wgmma: ordered after epoch 5 of warp 0, and thus after its fence
//
// An asynchronous store by a lane of any block is visible to the lanes that wait at its mbarrier. A warp that starts an
// access of the data through the async proxy needs a proxy fence of its own after the wait.
//
// State is kept per chunk of 16 bytes, the unit of these accesses, and per warp: a fence of one lane counts for its
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
  /// Records that the warp of `moment` stores `bytes` bytes.
  void store(const Moment &moment, uint64_t offset, uint64_t bytes, uint32_t site) {
    for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
      auto &stores = pieces[piece].stores;
      if (!stores.empty() && stores.back().warp == moment.warp && stores.back().isOpen) [[likely]] {
        stores.back().site = site;
        stores.back().stored = moment.epoch;
      } else {
        storeAnew(moment, piece, site);
      }
    }
  }
  /// Records that an asynchronous store by `warp` arrives.
  void arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site);
  void fence(const Moment &moment);
  /// A bulk copy overwrites these bytes, and forgets their stores.
  void overwrite(uint64_t offset, uint64_t bytes);

  struct Hidden {
    uint32_t warp, site;
    uint64_t offset; ///< offset of the chunk
  };
  /// Returns a store of these bytes that happens before an async access at `moment`, but is not ordered before it by a
  /// proxy fence. Stores that do not happen before race with the access, which is reported elsewhere. `reads`: the
  /// access reads the bytes.
  std::optional<Hidden> findHidden(const Moment &moment, uint64_t offset, uint64_t bytes, bool reads) const;

private:
  static constexpr size_t kPiece = 16;
  struct Store {
    uint32_t warp, site; ///< of the warp's last store
    Epoch stored;        ///< epoch of that store
    bool isOpen;         ///< no fence has followed
    Epoch fenced;        ///< epoch of the first fence since
  };
  struct Piece {
    llvm::SmallVector<Store, 1> stores; ///< the last one of each warp
    uint32_t site = 0;                  ///< of the last asynchronous store
    uint32_t sender = 0;                ///< its warp
    uint64_t arrived = 0;               ///< when it did; 0: none did
  };
  void storeAnew(const Moment &moment, size_t piece, uint32_t site);

  std::vector<Piece> pieces;
  std::vector<std::vector<uint32_t>> unfenced; ///< by warp: chunks in which its store is open
  std::vector<uint64_t> lastFence;             ///< by warp: moment of its last fence
  uint64_t moment = 0;                         ///< number of arrivals and fences so far
};

} // namespace hocket::emulator

#endif
