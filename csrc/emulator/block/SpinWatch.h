//===- SpinWatch.h - Whether lanes that wait in loops could ever go on ------------------------------===//
//
// What a lane does next follows from its stack (at a tick all of its registers are there) and from what it reads. Once
// a block has been in loops for long, each lane's *state* at a tick is a hash of both: its stack, and all values read
// since the tick before. A state that has not been seen is progress; a loop that counts, or that computes, is always
// at a new one. A lane that only comes by states it has been at before will do so until somebody else changes what it
// reads; if all lanes of all blocks are like that, nobody ever will.
//
// So there is no false alarm, but some loops that never end are not found: those that count how long they wait.
//
// Watching makes long loops slower, so it is tried for a few rounds, in each of which every lane comes to a tick, then
// after a pause, and each pause is twice as long as the one before.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_SPINWATCH_H
#define HOCKET_EMULATOR_BLOCK_SPINWATCH_H

#include "emulator/block/Lane.h"
#include "emulator/faults/Fault.h"
#include "emulator/host/Program.h"

#include <unordered_set>
#include <vector>

namespace hocket::emulator {

class LaneRunner;

class SpinWatch {
public:
  explicit SpinWatch(const Program &program) : program(program) {}

  void begin();
  /// All warps of the block that can run have come to ticks.
  void endRound();
  bool isOn() const { return on; }
  /// Whether a lane has come to a new state in the last round, or may have.
  bool mayHaveProgressed() const { return progressed; }

  /// `lane` is to read or write at `address`, where there is memory.
  void access(const Lane &lane, uint32_t site, const void *address);
  /// `lane` is at a tick, and its stack between the two.
  void tick(const Lane &lane, const std::byte *stackBegin, const std::byte *stackEnd);

  /// Who waits for which value, one entry per warp and place.
  void appendWaiting(const LaneRunner &lanes, std::vector<StuckLanes> &stuck) const;

private:
  struct LaneState {
    std::unordered_set<uint64_t> seen;
    uint64_t readSinceTick = 0;
    uint32_t site = 0; ///< of the last read
    const void *address = nullptr;
  };
  const Program &program;
  bool on = false, progressed = true, isStateNew = false;
  unsigned roundsOn = 0, roundsToSkip = 0, pause = 1;
  std::vector<LaneState> lanes; ///< by thread, while it is on
};

} // namespace hocket::emulator

#endif
