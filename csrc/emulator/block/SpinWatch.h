//===- SpinWatch.h - Detects spinning lanes that cannot make progress -------------------------------===//
//
// The next steps of a lane follow from its stack (at a tick all of its registers are there) and from the values it
// reads. Once a block has spun for long, each lane's *state* at a tick is a hash of both: its stack, and all values
// read since the previous tick. A state that has not been seen is progress; a loop that counts or computes always
// reaches a new state. A lane that only repeats earlier states will do so until another lane changes the values that it
// reads; if this holds for all lanes of all blocks, none of them will ever make progress.
//
// So there is no false alarm, but some endless loops are not found: those that count how long they wait.
//
// Watching slows long loops down. It is therefore enabled for a few rounds, in each of which every lane reaches a tick,
// then again after a pause; each pause is twice as long as the previous one.
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
  /// Called when all runnable warps of the block have reached ticks.
  void endRound();
  bool isOn() const { return on; }
  /// False if no lane has reached a new state in the last round.
  bool mayHaveProgressed() const { return progressed; }

  /// Called before `lane` reads or writes at `address`, which is valid memory.
  void access(const Lane &lane, uint32_t site, const void *address);
  /// Called at a tick of `lane`, whose stack is between the two addresses.
  void tick(const Lane &lane, const std::byte *stackBegin, const std::byte *stackEnd);

  /// Appends the values that lanes wait for, one entry per warp and site.
  void appendWaiting(const LaneRunner &lanes, std::vector<StuckLanes> &stuck) const;

private:
  struct LaneState {
    std::unordered_set<uint64_t> seen;
    uint64_t readSinceTick = 0;
    uint32_t site = 0; ///< site of the last read
    const void *address = nullptr;
  };
  const Program &program;
  bool on = false, progressed = true, isStateNew = false;
  unsigned roundsOn = 0, roundsToSkip = 0, pause = 1;
  std::vector<LaneState> lanes; ///< by thread, while the watch is enabled
};

} // namespace hocket::emulator

#endif
