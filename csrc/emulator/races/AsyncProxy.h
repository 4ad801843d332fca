//===- AsyncProxy.h - Stores to shared memory that asynchronous units do not see yet ---------------===//
//
// Products of warpgroups and bulk copies read shared memory through a proxy of their own, which sees what a warp has
// stored only after the warp's next proxy fence. A barrier alone orders the two, but shows nothing.
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
  AsyncProxy(size_t sharedBytes, unsigned numWarps) : pieces((sharedBytes + kPiece - 1) / kPiece), stored(numWarps) {}

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
  void fence(uint32_t warp);

  struct Store {
    uint32_t warp, site;
    uint64_t offset; ///< of the piece
  };
  /// A store of these bytes that does not show.
  std::optional<Store> findHidden(uint64_t offset, uint64_t bytes) const;

private:
  static constexpr size_t kPiece = 16;
  struct Piece {
    uint32_t warps = 0; ///< that have stored here since their last fence
    uint32_t site = 0;  ///< of the last store
  };

  std::vector<Piece> pieces;
  std::vector<std::vector<uint32_t>> stored; ///< by warp: the pieces that it is in
};

} // namespace hocket::emulator

#endif
