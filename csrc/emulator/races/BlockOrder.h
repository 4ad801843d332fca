//===- BlockOrder.h - Which work of other blocks happened before ----------------------------===//
//
// The order between blocks that their atomic accesses make:
//
//   release    an atomic access that writes: everything its block did so far goes with the value
//   acquire    an atomic access that reads such a value: everything that went with it happened before what follows
//   fence      makes relaxed accesses release or acquire: those that write after it, those that read before it
//
// Every atomic access of this language reads and writes (a failed compare-and-swap only reads), so a value always
// carries what all releases at its address had with them before it: the release sequence of C++.
//
// A block's work is cut at its releases into epochs, 1, 2, ... A segment is one epoch of one block; all numbers of
// segments fit 32 bits. For the order within a block (WarpOrder.h), a segment is also cut at the epochs of warps: a
// number of a segment and a warp are a moment. Other blocks take no notice of that.
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
  uint32_t warpEpoch; ///< since the block began
};

/// Numbers for segments. The first epochs of all blocks come first: most blocks never release anything.
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

/// One block's own segment, and what it knows of the others.
class BlockOrder {
public:
  BlockOrder(Segments &segments, SyncHistory &history) : segments(segments), history(history), log(history.newLog()) {}

  void begin(uint64_t block);
  uint64_t block() const { return self; }

  /// The segment that what a warp does now, at this epoch of its own, belongs to.
  uint32_t segmentAt(uint32_t warpEpoch) {
    isEpochUsed = true;
    if (current.warpEpoch != warpEpoch) [[unlikely]]
      current = findSegment(warpEpoch);
    return current.number;
  }
  /// Whether the work of `segment`, of another block, happened before.
  bool isBefore(const Segment &other) { return known().epochOf(other.block) >= other.epoch; }
  /// The same; no is the answer also where it is not worth a replay of the history.
  bool isEasilyBefore(const Segment &other) { return history.isReplayed() && isBefore(other); }
  const BlockClock &known() {
    if (!isInformed)
      inform();
    return knowledge.clock;
  }

  /// Around an atomic access that may order blocks, which must not be interrupted.
  void beginAccess(uintptr_t address) { history.lock(address); }
  /// Whether the value that was read is another block's.
  bool endAccess(uintptr_t address, bool acquires, bool releases, bool writes);
  void fence(bool acquires, bool releases);

private:
  /// The last epoch that goes with what is written from now on.
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
  std::vector<NumberedSegment> begun; ///< segments of this epoch
  bool isEpochUsed = false;
  bool isInformed = false; ///< `knowledge` is kept, not only the log
  BlockKnowledge knowledge;

  // Before that: what need not be written down again. A block that waits in a loop must not fill the log.
  bool hasFenced = false;
  uint64_t learned = 0; ///< events that may have told the block something
  struct {
    uintptr_t address = 0;
    uint64_t version = 0;
    bool acquired = false;               ///< what this version tells
    bool told = false, released = false; ///< this version tells what the block knew, and has released
    uint64_t learned = 0;                ///< when it told that
    uint32_t epoch = 0;
  } last; ///< access that was written down
};

} // namespace hocket::emulator

#endif
