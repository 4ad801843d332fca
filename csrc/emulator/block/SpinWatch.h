//===- SpinWatch.h - Detects spinning lanes that cannot make progress -------------------------------===//
//
// The execution of a lane is determined by its stack and by the values that it reads from memory. At a tick
// (BlockRunner::tick), the stack contains all registers of the lane. If a block has spun for several rounds, the watch
// computes each lane's *state* at each tick: a hash of the stack and of all values read since the previous tick. A new
// state counts as progress: a loop that counts or computes always reaches new states. A lane that only repeats earlier
// states continues to repeat them until another lane changes the values that it reads. If all lanes of all blocks only
// repeat states, no lane will ever make progress.
//
// The watch therefore has no false positives. The watch does not find an endless loop that counts its own iterations.
//
// The watch slows down long loops. The watch is therefore enabled only for a few rounds at a time. In a round, every
// lane reaches a tick. Each pause between two watches is twice as long as the previous pause.
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
  /// Ends a scheduling round. Must be called when all runnable warps of the block have reached ticks.
  void endRound();
  bool isOn() const { return on; }
  /// Returns false if no lane has reached a new state in the last round.
  bool mayHaveProgressed() const { return progressed; }

  /// Records an access of memory by `lane`. Must be called before `lane` reads or writes at `address`, a valid address.
  void access(const Lane &lane, uint32_t site, const void *address);
  /// Computes the state of `lane`. Must be called at a tick of `lane`, whose stack extends from `stackBegin` to
  /// `stackEnd`.
  void tick(const Lane &lane, const std::byte *stackBegin, const std::byte *stackEnd);

  /// Appends the addresses that spinning lanes read last, for a deadlock report: one entry for each warp, site and
  /// address.
  void appendWaiting(const LaneRunner &lanes, std::vector<StuckLanes> &stuck) const;

private:
  struct LaneState {
    std::unordered_set<uint64_t> seen;
    uint64_t readSinceTick = 0;
    uint32_t site = 0; ///< site of the last read of global memory
    const void *address = nullptr;
  };
  const Program &program;
  bool on = false, progressed = true, isStateNew = false;
  unsigned roundsOn = 0, roundsToSkip = 0, pause = 1;
  std::vector<LaneState> lanes; ///< the state of each lane while the watch is enabled, indexed by thread
};

} // namespace hocket::emulator

#endif
