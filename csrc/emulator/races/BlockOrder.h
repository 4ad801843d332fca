//===- BlockOrder.h - Happens-before order between blocks -----------------------------------===//
//
// Atomic accesses order blocks:
//
//   release    an atomic access that writes: all previous accesses of its block are attached to the value
//   acquire    an atomic access that reads such a value: the attached accesses happen before all that follows
//   fence      makes relaxed accesses release (writes after the fence) or acquire (reads before it)
//
// Every atomic access of this language reads and writes (a failed compare-and-swap only reads), so a value always
// carries the attachments of all previous releases at its address: the release sequence of C++.
//
// The accesses of a block are divided at its releases into epochs, 1, 2, ... A segment is one epoch of one block;
// segment numbers fit into 32 bits. For the order within a block (WarpOrder.h), segments are also divided at the epochs
// of warps: a segment number and a warp identify a moment. Other blocks ignore this division.
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
  uint32_t warpEpoch; ///< counted from the start of the block
};

/// Numbers segments. The first epochs of all blocks have the lowest numbers: most blocks never release anything.
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

/// The current segment of one block, and its knowledge of the other blocks.
class BlockOrder {
public:
  BlockOrder(Segments &segments, SyncHistory &history) : segments(segments), history(history), log(history.newLog()) {}

  void begin(uint64_t block);
  uint64_t block() const { return self; }

  /// Returns the segment of an access that a warp makes now, at this epoch of the warp.
  uint32_t segmentAt(uint32_t warpEpoch) {
    isEpochUsed = true;
    if (current.warpEpoch != warpEpoch) [[unlikely]]
      current = findSegment(warpEpoch);
    return current.number;
  }
  /// True if `segment`, of another block, happened before.
  bool isBefore(const Segment &other) { return known().epochOf(other.block) >= other.epoch; }
  /// True if `other` is known to have happened before without a replay of the history; may be false for others that
  /// did.
  bool isEasilyBefore(const Segment &other) { return history.isReplayed() && isBefore(other); }
  const BlockClock &known() {
    if (!isInformed)
      inform();
    return knowledge.clock;
  }

  /// Locks and unlocks the variable of an atomic access that may order blocks; the access must not be interrupted.
  void beginAccess(uintptr_t address) { history.lock(address); }
  /// Returns true if the value that was read was written by another block.
  bool endAccess(uintptr_t address, bool acquires, bool releases, bool writes) {
    return endAccess(address, acquires, releases, writes, epochOfWrite(writes && releases));
  }
  /// Returns the last epoch that goes with a store that is performed later than it is executed; `endStore` then takes
  /// it.
  uint32_t epochOfWrite(bool releases) { return releases ? releaseEpoch() : epoch - 1; }
  void endStore(uintptr_t address, bool releases, uint32_t released) {
    endAccess(address, /*acquires=*/false, releases, /*writes=*/true, released);
  }
  void fence(bool acquires, bool releases);

private:
  bool endAccess(uintptr_t address, bool acquires, bool releases, bool writes, uint32_t released);
  /// Returns the last epoch that is attached to values written from now on.
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
  std::vector<NumberedSegment> begun; ///< segments of the current epoch
  bool isEpochUsed = false;
  bool isInformed = false; ///< set: `knowledge` is up to date; else there is only the log
  BlockKnowledge knowledge;

  // Before the replay: events that need not be logged again. A block that spins must not fill the log.
  bool hasFenced = false;
  uint64_t learned = 0; ///< number of events that may have extended the block's knowledge
  struct {
    uintptr_t address = 0;
    uint64_t version = 0;
    bool acquired = false;               ///< this version has been acquired
    bool told = false, released = false; ///< this version carries the block's knowledge, and its released accesses
    uint64_t learned = 0;                ///< value of BlockOrder::learned at that version
    uint32_t epoch = 0;
  } last; ///< last access in the log
};

} // namespace hocket::emulator

#endif
