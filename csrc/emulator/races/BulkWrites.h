//===- BulkWrites.h - Tracks global memory that bulk stores may still write --------------------===//
//
// A bulk store may write global memory until its thread has waited for the writes of the store's bulk group
// (tma.store_wait(n, read_only=False)). Any access of the stored bytes by the block before this wait is a race. The
// check has byte granularity.
//
//===------------------------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_BULKWRITES_H
#define HOCKET_EMULATOR_RACES_BULKWRITES_H

#include "emulator/races/GlobalProxy.h"

namespace hocket::emulator {

class BulkWrites {
public:
  struct Write {
    uint32_t thread, site;
    uint64_t group; ///< number of the store's bulk group among the bulk groups of the thread
    bool isReduction;
    uint16_t mask = 0; ///< bit mask of the bytes of a 16-byte chunk that the store writes
  };

  void forgetAll() {
    pieces.clear();
    completed.clear();
  }
  void begin(uintptr_t address, uint64_t bytes, const Write &write) {
    forEachPiece(address, bytes, [&](PieceOfMemory piece) {
      Write &known = pieces[piece.number];
      uint16_t mask = isInFlight(known) ? known.mask | piece.mask : piece.mask;
      known = write;
      known.mask = mask;
    });
  }
  /// Records that all bulk groups of `thread` before `group` are complete.
  void complete(uint32_t thread, uint64_t group) { completed[thread] = group; }
  /// Returns a bulk store that may still write some of these bytes; nullopt if there is none.
  std::optional<Write> find(uintptr_t address, uint64_t bytes) const {
    std::optional<Write> found;
    if (!pieces.empty())
      forEachPiece(address, bytes, [&](PieceOfMemory piece) {
        auto known = pieces.find(piece.number);
        if (!found && known != pieces.end() && known->second.mask & piece.mask && isInFlight(known->second))
          found = known->second;
      });
    return found;
  }

private:
  bool isInFlight(const Write &write) const { return write.mask && write.group >= completed.lookup(write.thread); }

  llvm::DenseMap<uintptr_t, Write> pieces;
  llvm::DenseMap<uint32_t, uint64_t> completed; ///< for each thread: number of bulk groups that are complete
};

} // namespace hocket::emulator

#endif
