//===- AsyncProxy.h - Stores to shared memory that the async proxy does not see yet ---------------===//
//
// wgmma and bulk copies access shared memory through the async proxy. A generic store of a warp comes before such an
// access only if the warp has executed a proxy fence after the store, and the access happens after that fence. A
// barrier alone orders the two warps, but not the two proxies; a fence after the barrier is too late for other warps.
//
//     warp 0                          warp 1
//     store  (epoch 5)
//     fence  (epoch 5)
//     barrier                         barrier
//     ...    (epoch 6)                wgmma: knows epoch 5 of warp 0, and so its fence
//
// A wait at its mbarrier shows what lanes of any block have stored asynchronously. A warp that lets such a unit read it
// needs a fence of its own after the wait.
//
// Kept for pieces of 16 bytes, which is what these units access, and for warps: a fence of one lane counts for its
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
  /// The warp of `moment` stores `bytes` bytes.
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
  /// An asynchronous store of `warp` arrives.
  void arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site);
  void fence(const Moment &moment);
  /// A bulk copy overwrites these bytes, and forgets their stores.
  void overwrite(uint64_t offset, uint64_t bytes);

  struct Hidden {
    uint32_t warp, site;
    uint64_t offset; ///< of the piece
  };
  /// A store of these bytes that is not ordered before an async access at `moment`, though it happens before. Stores
  /// that do not happen before race with the access, which others report. `reads`: the access reads them.
  std::optional<Hidden> findHidden(const Moment &moment, uint64_t offset, uint64_t bytes, bool reads) const;

private:
  static constexpr size_t kPiece = 16;
  struct Store {
    uint32_t warp, site; ///< of the warp's last store
    Epoch stored;        ///< when that was
    bool isOpen;         ///< no fence has followed
    Epoch fenced;        ///< when the first fence since was
  };
  struct Piece {
    llvm::SmallVector<Store, 1> stores; ///< the last one of each warp
    uint32_t site = 0;                  ///< of the last asynchronous store
    uint32_t sender = 0;                ///< its warp
    uint64_t arrived = 0;               ///< when it did; 0: none did
  };
  void storeAnew(const Moment &moment, size_t piece, uint32_t site);

  std::vector<Piece> pieces;
  std::vector<std::vector<uint32_t>> unfenced; ///< by warp: pieces in which its store is open
  std::vector<uint64_t> lastFence;             ///< by warp: when
  uint64_t moment = 0;                         ///< arrivals and fences so far
};

} // namespace hocket::emulator

#endif
