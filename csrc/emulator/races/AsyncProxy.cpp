//===- AsyncProxy.cpp - Stores to shared memory that asynchronous units do not see yet -------------===//
#include "emulator/races/AsyncProxy.h"

#include <bit>

namespace hocket::emulator {

void AsyncProxy::forgetAll() {
  for (uint32_t warp = 0; warp < stored.size(); ++warp)
    fence(warp);
}

void AsyncProxy::fence(uint32_t warp) {
  for (uint32_t piece : stored[warp])
    pieces[piece].warps &= ~(1u << warp);
  stored[warp].clear();
  lastFence[warp] = ++moment;
}

void AsyncProxy::arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site) {
  ++moment;
  for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
    pieces[piece].site = site;
    pieces[piece].sender = warp;
    pieces[piece].arrived = moment;
  }
}

std::optional<AsyncProxy::Store> AsyncProxy::findHidden(uint32_t warp, uint64_t offset, uint64_t bytes) const {
  for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
    const Piece &it = pieces[piece];
    if (it.warps)
      return Store{uint32_t(std::countr_zero(it.warps)), it.site, piece * kPiece};
    if (it.arrived > lastFence[warp])
      return Store{it.sender, it.site, piece * kPiece};
  }
  return std::nullopt;
}

} // namespace hocket::emulator
