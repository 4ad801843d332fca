//===- BlockOrder.h - Happens-before order between blocks -----------------------------------===//
//
// Atomic accesses order blocks:
//
//   release    an atomic access that writes: attaches all previous accesses of its block to the value
//   acquire    an atomic access that reads this value: the attached accesses happen before all later ones of the reading block
//   fence      turns later relaxed writes into releases, and earlier relaxed reads into acquires
//
// Every atomic access is a read-modify-write (a failed compare-and-swap only reads). Therefore the accesses that all
// previous releases at an address have attached stay attached to the value, as in the release sequences of C++.
//
// The accesses of a block are divided at its releases into epochs, 1, 2, ... A segment is one epoch of one block;
// segment numbers fit into 32 bits. For the order within a block (WarpOrder.h), a new segment also begins whenever the
// epoch of a warp changes, so that a segment number and a warp identify the warp's epoch. The order between blocks does
// not depend on this division.
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

/// Assigns numbers to segments. The first epoch of each block has a fixed, low number, because most blocks never
/// release anything.
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

/// The current segment of one block, and the accesses of other blocks that happened before the block's next access.
class BlockOrder {
public:
  BlockOrder(Segments &segments, SyncHistory &history) : segments(segments), history(history), log(history.newLog()) {}

  void begin(uint64_t block);
  uint64_t block() const { return self; }

  /// Returns the segment of an access that a warp, in its epoch `warpEpoch`, makes now.
  uint32_t segmentAt(uint32_t warpEpoch) {
    isEpochUsed = true;
    if (current.warpEpoch != warpEpoch) [[unlikely]]
      current = findSegment(warpEpoch);
    return current.number;
  }
  /// True if the accesses of `other`, a segment of another block, happened before this block's next access.
  bool isBefore(const Segment &other) { return known().epochOf(other.block) >= other.epoch; }
  /// Returns isBefore(other) if that needs no replay of the history. If a replay is needed, returns false, even if
  /// isBefore(other) is true.
  bool isEasilyBefore(const Segment &other) { return history.isReplayed() && isBefore(other); }
  const BlockClock &known() {
    if (!isInformed)
      inform();
    return knowledge.clock;
  }

  /// Must be called before and after an atomic access that may order blocks. In between, the variable is locked, so
  /// that no other block accesses it.
  void beginAccess(uintptr_t address) { history.lock(address); }
  /// Returns true if the value that was read was written by another block.
  bool endAccess(uintptr_t address, bool acquires, bool releases, bool writes) {
    return endAccess(address, acquires, releases, writes, epochOfWrite(writes && releases));
  }
  /// For a store that is performed later than it is executed: returns the last epoch whose accesses are attached to the
  /// stored value, as argument `released` of `endStore`.
  uint32_t epochOfWrite(bool releases) { return releases ? releaseEpoch() : epoch - 1; }
  void endStore(uintptr_t address, bool releases, uint32_t released) {
    endAccess(address, /*acquires=*/false, releases, /*writes=*/true, released);
  }
  void fence(bool acquires, bool releases);

private:
  bool endAccess(uintptr_t address, bool acquires, bool releases, bool writes, uint32_t released);
  /// Returns the last epoch whose accesses are attached to values that are written from now on.
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
  std::vector<NumberedSegment> begun; ///< segments that have begun in the current epoch
  bool isEpochUsed = false;
  bool isInformed = false; ///< true if `knowledge` is up to date; otherwise only the log is up to date
  BlockKnowledge knowledge;

  // The last event of this block. Used until the logs of events are replayed (SyncHistory.h): an event that is equal to
  // the last one is not logged again, so that a block that spins does not fill the log.
  bool hasFenced = false;
  uint64_t learned = 0; ///< number of events so far that may have ordered more accesses before this block
  struct {
    uintptr_t address = 0;
    uint64_t version = 0;
    bool acquired = false; ///< true if this block has acquired this version of the variable
    bool told = false,
         released = false; ///< true if this version carries the acquired clocks of the block; its released clocks
    uint64_t learned = 0;  ///< value of BlockOrder::learned when the version was written
    uint32_t epoch = 0;
  } last; ///< the last access in the log
};

} // namespace hocket::emulator

#endif
