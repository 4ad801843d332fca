//===- GlobalProxy.h - Stores to global memory that bulk copies may not see yet --------------------===//
//
// The counterpart of AsyncProxy.h for global memory and all blocks of a launch. GlobalProxy records the generic stores
// to each array, and for each store the first proxy fence that the storing warp executes after it. A bulk copy that
// happens after a store must also happen after that fence. As for other accesses of global memory, the order is the
// order of segments (BlockOrder.h). The check is exact to the byte.
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

/// Some bytes of a 16-byte piece of memory, as a mask with one bit for each byte.
struct PieceOfMemory {
  static constexpr uintptr_t kBytes = 16;
  uintptr_t number;
  uint16_t mask;

  uintptr_t address() const { return number * kBytes; }
};

/// Calls `function` for each piece of the `bytes` bytes at `address`.
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
    uint16_t mask;                 ///< the bytes of the piece
    std::optional<uint32_t> fence; ///< the segment of the first proxy fence of the warp after the store
  };

  /// Records a store. Returns true if the store is the warp's only store to `piece` that no proxy fence follows.
  bool store(PieceOfMemory piece, const Store &store);
  /// Records that `warp` of `block` has executed a proxy fence in `segment`.
  void fence(uintptr_t piece, uint64_t block, uint32_t warp, uint32_t segment);
  /// Returns the first store to `piece` for which `isHidden` returns true; nullopt if there is none.
  std::optional<Store> find(PieceOfMemory piece, llvm::function_ref<bool(const Store &)> isHidden);

private:
  std::mutex mutex;
  llvm::DenseMap<uintptr_t, llvm::SmallVector<Store, 1>> pieces;
};

} // namespace hocket::emulator

#endif
