//===- SpinWatch.h - Detects spinning lanes that cannot make progress -------------------------------===//
//
// The next steps of a lane follow from its stack (which holds all of its registers at a tick) and from the values that
// it reads. Once a block has spun for long, the watch computes each lane's *state* at a tick: a hash of the stack and
// of all values read since the previous tick. A new state is progress: a loop that counts or computes always reaches
// new states. A lane that only repeats earlier states repeats them until another lane changes the values that it reads.
// If all lanes of all blocks only repeat states, no lane will ever make progress.
//
// The watch therefore gives no false alarm. But an endless loop that counts how long it waits is not found.
//
// The watch slows long loops down. The watch is therefore enabled only for a few rounds, in each of which every lane
// reaches a tick, and again after a pause. Each pause is twice as long as the previous one.
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
  /// Must be called when all runnable warps of the block have reached ticks.
  void endRound();
  bool isOn() const { return on; }
  /// False if no lane has reached a new state in the last round.
  bool mayHaveProgressed() const { return progressed; }

  /// Must be called before `lane` reads or writes at `address`, a valid address.
  void access(const Lane &lane, uint32_t site, const void *address);
  /// Must be called at a tick of `lane`, whose stack is between the two addresses.
  void tick(const Lane &lane, const std::byte *stackBegin, const std::byte *stackEnd);

  /// Appends the values for which lanes wait, one entry for each warp and site.
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
