//===- AsyncProxy.h - Stores to shared memory that asynchronous units do not see yet ---------------===//
//
// Products of warpgroups and bulk copies read shared memory through a proxy of their own, which sees what a warp has
// stored only after the warp's next proxy fence. A barrier alone orders the two, but shows nothing.
//
// What lanes of any block have stored asynchronously is there for those who wait at its mbarrier: a warp that lets such
// a unit read it needs a fence of its own, after it has arrived.
//
// Kept for pieces of 16 bytes, which is what these units read, and for warps: a fence of one lane counts for its warp.
//
// PTX ISA 9.0, "Async proxy", "fence.proxy.async".
//
//===------------------------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_ASYNCPROXY_H
#define HOCKET_EMULATOR_RACES_ASYNCPROXY_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hocket::emulator {

class AsyncProxy {
public:
  AsyncProxy(size_t sharedBytes, unsigned numWarps)
      : pieces((sharedBytes + kPiece - 1) / kPiece), stored(numWarps), lastFence(numWarps) {}

  void forgetAll();
  /// `warp` stores `bytes` bytes.
  void store(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site) {
    for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
      Piece &it = pieces[piece];
      if (!(it.warps >> warp & 1)) {
        it.warps |= 1u << warp;
        stored[warp].push_back(uint32_t(piece));
      }
      it.site = site;
    }
  }
  /// What `warp` has stored asynchronously arrives.
  void arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site);
  void fence(uint32_t warp);

  struct Store {
    uint32_t warp, site;
    uint64_t offset; ///< of the piece
  };
  /// A store of these bytes that does not show where `warp` has them read.
  std::optional<Store> findHidden(uint32_t warp, uint64_t offset, uint64_t bytes) const;

private:
  static constexpr size_t kPiece = 16;
  struct Piece {
    uint32_t warps = 0;   ///< that have stored here since their last fence
    uint32_t site = 0;    ///< of the last store
    uint32_t sender = 0;  ///< the warp of the last asynchronous store
    uint64_t arrived = 0; ///< when that did; 0: none did
  };

  std::vector<Piece> pieces;
  std::vector<std::vector<uint32_t>> stored; ///< by warp: the pieces that it is in
  std::vector<uint64_t> lastFence;           ///< by warp: when
  uint64_t moment = 0;                       ///< arrivals and fences so far
};

} // namespace hocket::emulator

#endif
