//===- AsyncProxy.cpp - Tracks stores to shared memory that lack a proxy fence ------------===//
#include "emulator/races/AsyncProxy.h"

#include <algorithm>

namespace hocket::emulator {

void AsyncProxy::forgetAll() {
  for (Piece &piece : pieces) {
    piece.stores.clear();
    piece.arrived = 0;
  }
  for (auto &open : unfenced)
    open.clear();
}

void AsyncProxy::storeAnew(const ClockState &clocks, size_t piece, uint32_t site) {
  auto &stores = pieces[piece].stores;
  auto own = std::ranges::find(stores, clocks.warp, &Store::warp);
  if (own != stores.end() && own->isOpen) {
    own->site = site;
    own->stored = clocks.epoch;
    return;
  }
  if (own != stores.end())
    stores.erase(own);
  stores.push_back({.warp = clocks.warp, .site = site, .stored = clocks.epoch, .isOpen = true, .fenced = 0});
  unfenced[clocks.warp].push_back(uint32_t(piece));
}

void AsyncProxy::fence(const ClockState &at) {
  for (uint32_t piece : unfenced[at.warp]) {
    auto &stores = pieces[piece].stores;
    if (auto own = std::ranges::find(stores, at.warp, &Store::warp); own != stores.end() && own->isOpen) {
      own->isOpen = false;
      own->fenced = at.epoch;
    }
  }
  unfenced[at.warp].clear();
  lastFence[at.warp] = ++numEvents;
}

void AsyncProxy::arrive(uint32_t warp, uint64_t offset, uint64_t bytes, uint32_t site) {
  ++numEvents;
  for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
    pieces[piece].site = site;
    pieces[piece].sender = warp;
    pieces[piece].arrived = numEvents;
  }
}

void AsyncProxy::overwrite(uint64_t offset, uint64_t bytes) {
  for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
    pieces[piece].stores.clear();
    pieces[piece].arrived = 0;
  }
}

std::optional<AsyncProxy::Hidden> AsyncProxy::findHidden(const ClockState &at, uint64_t offset, uint64_t bytes,
                                                         bool reads) const {
  for (size_t piece = offset / kPiece; piece <= (offset + bytes - 1) / kPiece; ++piece) {
    const Piece &it = pieces[piece];
    for (const Store &store : it.stores)
      if (at.isAfter(store.warp, store.stored) && (store.isOpen || !at.isAfter(store.warp, store.fenced)))
        return Hidden{store.warp, store.site, piece * kPiece};
    if (reads && it.arrived > lastFence[at.warp])
      return Hidden{it.sender, it.site, piece * kPiece};
  }
  return std::nullopt;
}

} // namespace hocket::emulator
