//===- GlobalProxy.h - Stores to global memory that bulk copies may not see yet --------------------===//
//
// The counterpart of AsyncProxy.h for global memory and all blocks of a launch: it keeps each generic store to an array
// until a bulk copy that happens after it also happens after a proxy fence of the storing warp. As for other accesses of
// global memory, times are segments (BlockOrder.h). Exact to the byte.
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

/// Bytes of one piece of 16 bytes of memory, a bit for each.
struct PieceOfMemory {
  static constexpr uintptr_t kBytes = 16;
  uintptr_t number;
  uint16_t mask;

  uintptr_t address() const { return number * kBytes; }
};

/// Calls `function` for each piece of `bytes` bytes at `address`.
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
    std::optional<uint32_t> fence; ///< the segment of the first proxy fence of the warp since
  };

  /// Returns true if the warp has no other store in `piece` without a fence.
  bool store(PieceOfMemory piece, const Store &store);
  /// `warp` of `block` has executed a proxy fence in `segment`.
  void fence(uintptr_t piece, uint64_t block, uint32_t warp, uint32_t segment);
  /// The first store to `piece` for which `isHidden`.
  std::optional<Store> find(PieceOfMemory piece, llvm::function_ref<bool(const Store &)> isHidden);

private:
  std::mutex mutex;
  llvm::DenseMap<uintptr_t, llvm::SmallVector<Store, 1>> pieces;
};

} // namespace hocket::emulator

#endif
