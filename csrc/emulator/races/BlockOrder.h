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
// segments fit 32 bits. Within a block the order is that in which its warps ran: conflicts between them are not looked
// for here.
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
};

/// Numbers for segments. The first epochs of all blocks come first: most blocks never release anything.
class Segments {
public:
  explicit Segments(uint64_t blockCount) : blockCount(blockCount) {}

  uint32_t begin(uint64_t block, uint32_t epoch) {
    return uint32_t(epoch == 1 ? block : blockCount + later.append({block, epoch}));
  }
  Segment operator[](uint32_t number) const {
    return number < blockCount ? Segment{number, 1} : later[number - blockCount];
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

  /// The segment that what the block does now belongs to.
  uint32_t segment() const { return current; }
  /// The same, of an access that is kept in the shadow: the next release begins another segment.
  uint32_t segmentToRecord() {
    isEpochUsed = true;
    return current;
  }
  /// Whether the work of `segment` happened before, or is this block's own.
  bool isBefore(uint32_t segment) {
    if (segment == current)
      return true;
    Segment other = segments[segment];
    return other.block == self || known().epochOf(other.block) >= other.epoch;
  }
  /// The same; no is the answer also where it is not worth a replay of the history.
  bool isEasilyBefore(uint32_t segment) {
    return history.isReplayed() ? isBefore(segment) : segments[segment].block == self;
  }
  const BlockClock &known() {
    if (!isInformed)
      inform();
    return knowledge.clock;
  }

  /// Around an atomic access that may order blocks, which must not be interrupted.
  void beginAccess(uintptr_t address) { history.lock(address); }
  void endAccess(uintptr_t address, bool acquires, bool releases, bool writes);
  void fence(bool acquires, bool releases);

private:
  /// The last epoch that goes with what is written from now on.
  uint32_t releaseEpoch();
  void inform();
  void writeDown(SyncHistory::Variable &variable, SyncEvent event);

  Segments &segments;
  SyncHistory &history;
  std::vector<SyncEvent> &log;
  uint64_t self = 0;
  uint32_t epoch = 1, current = 0;
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
