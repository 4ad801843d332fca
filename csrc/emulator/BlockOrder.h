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
#ifndef HOCKET_EMULATOR_BLOCKORDER_H
#define HOCKET_EMULATOR_BLOCKORDER_H

#include "emulator/AppendTable.h"
#include "emulator/BlockClock.h"

#include <unordered_map>

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

/// What goes with the values of variables that blocks synchronise through.
class SyncVariables {
public:
  /// Locks the variable at `address`, which others may share the lock with.
  void lock(uintptr_t address) { stripeOf(address).mutex.lock(); }
  void unlock(uintptr_t address) { stripeOf(address).mutex.unlock(); }
  /// Only while it is locked.
  BlockClock &at(uintptr_t address) { return stripeOf(address).clocks[address]; }

private:
  struct Stripe {
    std::mutex mutex;
    std::unordered_map<uintptr_t, BlockClock> clocks;
  };
  Stripe &stripeOf(uintptr_t address) { return stripes[address / 4 % stripes.size()]; }
  std::array<Stripe, 64> stripes;
};

/// One block's own segment, and what it knows of the others.
class BlockOrder {
public:
  explicit BlockOrder(Segments &segments) : segments(segments) {}

  void begin(uint64_t block);
  uint64_t block() const { return self; }
  const BlockClock &known() const { return clock; }

  /// The segment that what the block does now belongs to.
  uint32_t segment() const { return current; }
  /// The same, of an access that is kept in the shadow: the next release begins another segment.
  uint32_t segmentToRecord() {
    isEpochUsed = true;
    return current;
  }
  /// Whether the work of `segment` happened before, or is this block's own.
  bool isBefore(uint32_t segment) const {
    if (segment == current)
      return true;
    Segment other = segments[segment];
    return other.block == self || clock.epochOf(other.block) >= other.epoch;
  }

  // An atomic access of a variable, and what goes with its value.
  void read(const BlockClock &variable, bool acquires);
  void write(BlockClock &variable, bool releases);
  /// Makes the relaxed reads before it acquire, the relaxed writes after it release.
  void fence(bool acquires, bool releases);

private:
  void beginEpoch();

  Segments &segments;
  uint64_t self = 0;
  uint32_t epoch = 1, current = 0;
  bool isEpochUsed = false;
  BlockClock clock;    ///< of this block itself: what it has released
  BlockClock seen;     ///< with values that were read: known after the next fence that acquires
  BlockClock released; ///< by the last fence: goes with values that are written
};

} // namespace hocket::emulator

#endif
