//===- EmulatedLaunch.h - State that all blocks of one launch share ------------------------------===//
#ifndef HOCKET_EMULATOR_RUN_EMULATEDLAUNCH_H
#define HOCKET_EMULATOR_RUN_EMULATEDLAUNCH_H

#include "emulator/Emulator.h"
#include "emulator/host/Program.h"
#include "emulator/machine/BankCounter.h"
#include "emulator/races/VectorClock.h"
#include "emulator/run/ArrayGaps.h"
#include "emulator/run/BlockSequence.h"
#include "emulator/run/LaunchPrints.h"
#include "emulator/run/StuckThreads.h"
#include "emulator/run/UnwrittenMemory.h"
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
  /// True if the array spans these bytes and none of the bytes is in a gap.
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
  const BlockSequence sequence;   ///< order of blocks; ascending if blocks keep a virtual clock
  std::vector<uint64_t> slots;    ///< arguments as emulated code reads them, one per parameter
  std::vector<ArrayRange> arrays; ///< memory of array arguments, one element per parameter

  /// True if the launch checks for races between warps. Clusters of more than 32 warps cannot be checked, because a
  /// vector clock has 32 epochs.
  bool looksForRaces() const { return options.races && program.numWarps <= kMaxWarps; }

  /// Race detector of global memory; null if the launch does not check for races or if races are impossible.
  std::unique_ptr<GlobalRaces> races;

  /// Returns the shadow of the byte at `address`, which tracks undefined values; null for memory without a shadow.
  std::byte *shadowOf(const void *address) const {
    for (const auto &memory : unwritten)
      if (auto place = reinterpret_cast<uintptr_t>(address); memory->holds(place))
        return memory->shadowAt(place);
    return nullptr;
  }

  uint64_t blockCount() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  Grid blockIndex(uint64_t number) const;
  /// Number of threads that run the blocks.
  uint64_t threadCount() const;

  StuckThreads stuckThreads;
  /// Number of blocks that had not begun when all begun blocks were stuck.
  std::atomic<uint64_t> unbegun = 0;

  BankTotals bankTotals; ///< totals of bank conflicts, if they are counted
  Timelines timelines;   ///< timelines of recorded blocks
  LaunchPrints prints;

  /// Must be called when the block at `position` of the sequence has failed. Blocks at later positions then need not
  /// begin.
  void fail(uint64_t position);
  uint64_t firstFailed() const { return failed.load(std::memory_order_relaxed); }
  /// True if a block failed more than a second ago. A block that still spins may then be waiting for a block that
  /// failed or never began.
  bool failedLongAgo() const;

  static constexpr std::chrono::milliseconds kPollInterval{20};
  std::atomic<bool> stop = false;
  /// Calls shouldStop, at most every 20 ms. Must be called on the thread that called EmulatedKernel::launch.
  void poll();

private:
  /// Sets the last element of `arrays` to the memory of `array`.
  void allow(const ArrayArgument &array);

  /// Storage for wide arguments. A tensor map must be aligned to 64 bytes, the largest alignment of any argument.
  struct alignas(64) WideChunk {
    std::byte bytes[64];
  };
  std::vector<std::shared_ptr<UnwrittenMemory>> unwritten; ///< memory of arguments whose undefined values are tracked
  std::vector<std::vector<WideChunk>> wideValues;          ///< copies of wide arguments; `slots` has their addresses

  std::atomic<uint64_t> failed = ~uint64_t(0);
  std::atomic<std::chrono::steady_clock::time_point> firstFailure;
  std::chrono::steady_clock::time_point nextPoll;
};

} // namespace hocket::emulator

#endif
