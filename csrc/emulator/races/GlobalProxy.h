//===- GlobalProxy.h - Tracks stores to global memory that lack a proxy fence --------------------===//
//
// GlobalProxy is the counterpart of AsyncProxy for global memory. One GlobalProxy tracks the stores of all blocks of a
// launch. GlobalProxy records each generic store, and the first proxy fence that the storing warp executes after the
// store. A bulk copy that happens after a store must also happen after this proxy fence. Segments (BlockOrder.h)
// determine whether one access happens before another, as for other accesses of global memory. The check has byte
// granularity.
//
//===------------------------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_GLOBALPROXY_H
#define HOCKET_EMULATOR_RACES_GLOBALPROXY_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <mutex>
#include <optional>

namespace hocket::emulator {

/// A subset of the bytes of one 16-byte chunk of memory. `mask` has one bit for each byte.
struct PieceOfMemory {
  static constexpr uintptr_t kBytes = 16;
  uintptr_t number;
  uint16_t mask;

  uintptr_t address() const { return number * kBytes; }
};

/// Calls `function` for each 16-byte chunk of the `bytes` bytes at `address`.
inline void forEachPiece(uintptr_t address, uint64_t bytes, llvm::function_ref<void(PieceOfMemory)> function) {
  constexpr uintptr_t kBytes = PieceOfMemory::kBytes;
  for (uintptr_t number = address / kBytes; number <= (address + bytes - 1) / kBytes; ++number) {
    uintptr_t begin = std::max(address, number * kBytes) % kBytes;
    uintptr_t end = std::min(address + bytes, (number + 1) * kBytes) - number * kBytes;
    function({number, uint16_t((1u << end) - (1u << begin))});
  }
}

class GlobalProxy {
public:
  struct Store {
    uint32_t segment, site, thread, warp;
    uint64_t block;
    uint16_t mask;                 ///< bit mask of the written bytes of the chunk
    std::optional<uint32_t> fence; ///< segment of the warp's first proxy fence after the store
  };

  /// Records a store to the chunk `piece`. Returns true if the warp has made no other store to this chunk since its
  /// last proxy fence.
  bool store(PieceOfMemory piece, const Store &store);
  /// Records that `warp` of `block` has executed a proxy fence in `segment`, for the warp's stores to the chunk
  /// `piece`.
  void fence(uintptr_t piece, uint64_t block, uint32_t warp, uint32_t segment);
  /// Returns a store to the bytes of `piece` for which `isHidden` returns true; nullopt if there is none.
  std::optional<Store> find(PieceOfMemory piece, llvm::function_ref<bool(const Store &)> isHidden);

private:
  std::mutex mutex;
  llvm::DenseMap<uintptr_t, llvm::SmallVector<Store, 1>> pieces;
};

} // namespace hocket::emulator

#endif
