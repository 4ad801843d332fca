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
}

std::optional<AsyncProxy::Store> AsyncProxy::findHidden(uint64_t offset, uint64_t bytes) const {
  for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece)
    if (pieces[piece].warps)
      return Store{uint32_t(std::countr_zero(pieces[piece].warps)), pieces[piece].site, piece * kPiece};
  return std::nullopt;
}

} // namespace hocket::emulator
