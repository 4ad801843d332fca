//===- EmulatedLaunch.h - What all blocks of one launch share ------------------------------------===//
#ifndef HOCKET_EMULATOR_LAUNCH_EMULATEDLAUNCH_H
#define HOCKET_EMULATOR_LAUNCH_EMULATEDLAUNCH_H

#include "emulator/Emulator.h"
#include "emulator/host/Program.h"
#include "emulator/launch/ArrayGaps.h"
#include "emulator/launch/BlockSequence.h"
#include "emulator/launch/LaunchPrints.h"
#include "emulator/launch/StuckThreads.h"
#include "emulator/launch/UnwrittenMemory.h"
#include "emulator/machine/BankCounter.h"
#include "emulator/races/VectorClock.h"
#include "emulator/timing/Timeline.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace hocket::emulator {

/// The memory of an array argument; empty for a scalar.
struct ArrayRange {
  uintptr_t begin = 0;
  size_t bytes = 0;
  bool writable = false;
  std::optional<ArrayGaps> gaps = {};

  bool spans(uintptr_t address, size_t width) const {
    return address >= begin && bytes >= width && address - begin <= bytes - width;
  }
  /// The same, and no byte lies in a gap.
  bool contains(uintptr_t address, size_t width) const {
    return spans(address, width) && (!gaps || gaps->areAvoided(address - begin, width));
  }
};

class GlobalRaces;

class EmulatedLaunch {
public:
  ~EmulatedLaunch();
  EmulatedLaunch(const Program &program, Grid grid, llvm::ArrayRef<Argument> arguments, const LaunchOptions &options);

  const Program &program;
  const Grid grid;
  const llvm::ArrayRef<Argument> arguments;
  const LaunchOptions &options;
  const BlockSequence sequence;   ///< of blocks; the natural one where some are recorded
  std::vector<uint64_t> slots;    ///< one per parameter, as the code reads them
  std::vector<ArrayRange> arrays; ///< one per parameter

  /// Races between warps are found in clusters of up to 32 warps, which is how many a clock has an epoch for.
  bool looksForRaces() const { return options.races && program.numWarps <= kMaxWarps; }

  /// Null where races are not looked for or cannot be.
  std::unique_ptr<GlobalRaces> races;

  /// Of the byte at `address`; null for memory without a shadow.
  std::byte *shadowOf(const void *address) const {
    for (const auto &memory : unwritten)
      if (auto place = reinterpret_cast<uintptr_t>(address); memory->holds(place))
        return memory->shadowAt(place);
    return nullptr;
  }

  uint64_t blockCount() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  Grid blockIndex(uint64_t number) const;
  /// Threads that run them.
  uint64_t threadCount() const;

  StuckThreads stuckThreads;
  /// Blocks that had not begun when all others were stuck.
  std::atomic<uint64_t> unbegun = 0;

  BankTotals bankTotals; ///< where conflicts are counted
  Timelines timelines;   ///< of recorded blocks
  LaunchPrints prints;

  /// Something went wrong in the block at `position` of the sequence: none after it need be begun.
  void fail(uint64_t position);
  uint64_t firstFailed() const { return failed.load(std::memory_order_relaxed); }
  /// Whether something went wrong long ago. A block that still loops then may wait for one that failed or never began.
  bool failedLongAgo() const;

  static constexpr std::chrono::milliseconds kPollInterval{20};
  std::atomic<bool> stop = false;
  /// Asks the caller whether to stop, at most every 20 ms. Only on the calling thread.
  void poll();

private:
  /// The last of `arrays`.
  void allow(const ArrayArgument &array);

  /// A tensor map must lie at a multiple of 64; nothing that is passed needs more.
  struct alignas(64) WideChunk {
    std::byte bytes[64];
  };
  std::vector<std::shared_ptr<UnwrittenMemory>> unwritten; ///< of arguments, where undefined values are looked for
  std::vector<std::vector<WideChunk>> wideValues;          ///< of wide arguments, whose slots hold their addresses

  std::atomic<uint64_t> failed = ~uint64_t(0);
  std::atomic<std::chrono::steady_clock::time_point> firstFailure;
  std::chrono::steady_clock::time_point nextPoll;
};

} // namespace hocket::emulator

#endif
