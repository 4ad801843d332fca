//===- GlobalProxy.cpp - Tracks stores to global memory that lack a proxy fence ------------------===//
#include "emulator/races/GlobalProxy.h"

#include <algorithm>

namespace hocket::emulator {

bool GlobalProxy::store(PieceOfMemory piece, const Store &store) {
  std::lock_guard lock(mutex);
  auto &stores = pieces[piece.number];
  for (Store &known : stores)
    if (known.block == store.block && known.warp == store.warp && !known.fence) {
      uint16_t mask = known.mask | piece.mask;
      known = store;
      known.mask = mask;
      return false;
    }
  // Drops each earlier store of this warp whose bytes the new store overwrites. A proxy fence follows each of these
  // earlier stores.
  llvm::erase_if(stores, [&](const Store &known) {
    return known.block == store.block && known.warp == store.warp && !(known.mask & ~piece.mask);
  });
  stores.push_back(store);
  stores.back().mask = piece.mask;
  return true;
}

void GlobalProxy::fence(uintptr_t piece, uint64_t block, uint32_t warp, uint32_t segment) {
  std::lock_guard lock(mutex);
  for (Store &store : pieces[piece])
    if (store.block == block && store.warp == warp && !store.fence)
      store.fence = segment;
}

std::optional<GlobalProxy::Store> GlobalProxy::find(PieceOfMemory piece,
                                                    llvm::function_ref<bool(const Store &)> isHidden) {
  std::lock_guard lock(mutex);
  auto known = pieces.find(piece.number);
  if (known == pieces.end())
    return std::nullopt;
  for (const Store &store : known->second)
    if (store.mask & piece.mask && isHidden(store))
      return store;
  return std::nullopt;
}

} // namespace hocket::emulator
