//===- BlockOrder.h - Happens-before order between blocks -----------------------------------===//
//
// Three operations order accesses of different blocks:
//
//   release    an atomic write attaches all previous accesses of its block to the written value
//   acquire    an atomic read: accesses attached to the value happen before all later accesses of the reading block
//   fence      release: turns later relaxed writes into releases; acquire: turns earlier relaxed reads into acquires
//
// Every atomic access is a read-modify-write (a failed compare-and-swap only reads). Accesses that a release has
// attached to the value at an address therefore stay attached to all later values at this address, as in the release
// sequences of C++.
//
// Releases divide the accesses of a block into epochs, which are numbered from 1. A segment is one epoch of one block.
// Segment numbers fit into 32 bits. For the order within a block (WarpOrder.h), a new segment also begins whenever the
// epoch of a warp changes, so that a segment number and a warp identify the warp's epoch. The order between blocks does
// not depend on the epochs of warps.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_BLOCKORDER_H
#define HOCKET_EMULATOR_RACES_BLOCKORDER_H

#include "emulator/races/AppendTable.h"
#include "emulator/races/SyncHistory.h"

namespace hocket::emulator {

struct Segment {
  uint64_t block;
  uint32_t epoch;
  uint32_t warpEpoch; ///< epoch of the warp, counted from the start of the block
};

/// Assigns numbers to segments. The first segment of block b has number b, because most blocks have no other segment.
class Segments {
public:
  explicit Segments(uint64_t blockCount) : blockCount(blockCount) {}

  uint32_t begin(Segment segment) {
    bool isFirst = segment.epoch == 1 && segment.warpEpoch == 0;
    return uint32_t(isFirst ? segment.block : blockCount + later.append(segment));
  }
  Segment operator[](uint32_t number) const {
    return number < blockCount ? Segment{number, 1, 0} : later[number - blockCount];
  }

private:
  const uint64_t blockCount;
  AppendTable<Segment> later;
};

/// Tracks the current segment of one block, and the accesses of other blocks that happened before the block's next
/// access.
class BlockOrder {
public:
  BlockOrder(Segments &segments, SyncHistory &history) : segments(segments), history(history), log(history.newLog()) {}

  void begin(uint64_t block);
  uint64_t block() const { return self; }

  /// Returns the number of the segment of an access that a warp makes in its epoch `warpEpoch`.
  uint32_t segmentAt(uint32_t warpEpoch) {
    isEpochUsed = true;
    if (current.warpEpoch != warpEpoch) [[unlikely]]
      current = findSegment(warpEpoch);
    return current.number;
  }
  /// True if the accesses of `other`, a segment of another block, happened before this block's next access.
  bool isBefore(const Segment &other) { return known().epochOf(other.block) >= other.epoch; }
  /// Returns isBefore(other) if the history has been replayed, and false otherwise.
  bool isEasilyBefore(const Segment &other) { return history.isReplayed() && isBefore(other); }
  const BlockClock &known() {
    if (!isInformed)
      inform();
    return knowledge.clock;
  }

  /// Begins an atomic access that may order blocks. The variable is locked until `endAccess`, so that no other block
  /// accesses the variable.
  void beginAccess(uintptr_t address) { history.lock(address); }
  /// Ends an atomic access. Returns true if another block wrote the value that the access has read.
  bool endAccess(uintptr_t address, bool acquires, bool releases, bool writes) {
    return endAccess(address, acquires, releases, writes, epochOfWrite(writes && releases));
  }
  /// Returns the last epoch whose accesses are attached to a value that the block stores. A store that is performed
  /// later than it is executed calls this function at its execution, and passes the result to `endStore` as `released`.
  uint32_t epochOfWrite(bool releases) { return releases ? releaseEpoch() : epoch - 1; }
  void endStore(uintptr_t address, bool releases, uint32_t released) {
    endAccess(address, /*acquires=*/false, releases, /*writes=*/true, released);
  }
  void fence(bool acquires, bool releases);

private:
  bool endAccess(uintptr_t address, bool acquires, bool releases, bool writes, uint32_t released);
  /// Begins a new epoch if the current epoch has accesses. Returns the last epoch whose accesses a release attaches.
  uint32_t releaseEpoch();
  void inform();
  struct NumberedSegment {
    uint32_t warpEpoch, number;
  };
  NumberedSegment findSegment(uint32_t warpEpoch);
  void writeDown(SyncHistory::Variable &variable, SyncEvent event);

  Segments &segments;
  SyncHistory &history;
  std::vector<SyncEvent> &log;
  uint64_t self = 0;
  uint32_t epoch = 1;
  NumberedSegment current = {};
  std::vector<NumberedSegment> begun; ///< segments of this block that have begun in its current epoch
  bool isEpochUsed = false;
  bool isInformed = false; ///< true if `knowledge` is up to date; otherwise only the log is up to date
  BlockKnowledge knowledge;

  // State for deduplication of the log, until the logs are replayed (SyncHistory.h). An event that adds nothing to the
  // block's last event is not logged, so that a spinning block does not fill the log.
  bool hasFenced = false;
  uint64_t learned = 0; ///< number of logged reads and fences, from which this block may have acquired clocks
  struct {
    uintptr_t address = 0;
    uint64_t version = 0;
    bool acquired = false; ///< true if this block has acquired this version of the variable
    bool told = false,
         released = false; ///< `told`: this block wrote the version; `released`: this write was a release
    uint64_t learned = 0;  ///< BlockOrder::learned at the time of the write of this version
    uint32_t epoch = 0;
  } last; ///< the last access that this block has logged
};

} // namespace hocket::emulator

#endif
