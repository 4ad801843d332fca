//===- RunBlocks.cpp - Distributes the blocks of a launch over threads ---------------------------===//
//
// Blocks begin in the order of the launch's sequence. No block begins after an earlier block has failed. All blocks
// before the failed block have already begun, and run to their end. The launch therefore finds the first fault of the
// sequence with any schedule of the threads.
//
// A thread runs one block after the other. If all warps of a block spin, the block may be waiting for another block:
// the thread then switches to another block that it has begun. If all blocks that the thread has begun wait, the thread
// begins one more block, up to the number of blocks in a window of the sequence. In a cooperative launch, all blocks
// may wait for each other. Each thread therefore begins an equal number of blocks at once, and begins more blocks while
// these wait.
//
// Threads are started for each launch, because a thread pool would not survive a fork of the process.
//
//===------------------------------------------------------------------------------===//
#include "emulator/run/RunBlocks.h"

#include "emulator/block/BlockRunner.h"
#include "emulator/races/GlobalRaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

namespace hocket::emulator {

namespace {

class BlockQueue {
public:
  explicit BlockQueue(EmulatedLaunch &launch) : launch(launch) {}

  /// Returns the next block; nullopt once all blocks have begun or an earlier block has failed.
  std::optional<uint64_t> take() {
    uint64_t position = next.fetch_add(1, std::memory_order_relaxed);
    if (position >= launch.blockCount() || position > launch.firstFailed())
      return std::nullopt;
    return launch.sequence.blockAt(position);
  }

  uint64_t leftToTake() const { return launch.blockCount() - std::min(launch.blockCount(), next.load()); }

  void report(const BlockFault &fault) {
    uint64_t position = launch.sequence.positionOf(fault.block);
    launch.fail(position);
    std::lock_guard lock(mutex);
    if (first && fault.inLoops && !first->inLoops)
      return; // `fault` is a consequence: its block waits for a failed block
    if (!first || position < firstPosition) {
      first = fault;
      firstPosition = position;
    }
  }

  /// Returns the fault of the first block with a fault. A race of this block takes precedence over the fault that ended
  /// the block.
  const std::optional<BlockFault> &firstFault() const {
    if (!launch.races || !launch.races->firstRace())
      return first;
    bool isRace = !first || launch.races->positionOf(*launch.races->firstRace()) <= firstPosition;
    return isRace ? launch.races->firstRace() : first;
  }

private:
  EmulatedLaunch &launch;
  std::atomic<uint64_t> next = 0;
  uint64_t firstPosition = 0;
  std::mutex mutex;
  std::optional<BlockFault> first;
};

/// State of the helper threads, and the first exception that ended a thread.
struct Helpers {
  std::mutex mutex;
  std::condition_variable ended;
  uint64_t running = 0;
  std::exception_ptr exception;
};

/// Number of rounds without progress after which a thread counts as stuck. In a round, a spinning lane executes some
/// dozens of loop iterations.
static constexpr unsigned kQuietRounds = 16;

/// The blocks that one thread has begun.
class BlocksOfThread {
public:
  BlocksOfThread(EmulatedLaunch &launch, BlockQueue &queue, bool polls)
      : launch(launch), queue(queue), polls(polls),
        share(launch.options.cooperative ? llvm::divideCeil(launch.blockCount(), launch.threadCount()) : 0),
        mostAtOnce(launch.options.cooperative ? launch.blockCount() : BlockSequence::kWindow) {}

  void work() {
    while (running < share && begin())
      ;
    while (running > 0 || begin()) {
      bool hasChanged = runInterleaved();
      if (!hasChanged && running < mostAtOnce)
        hasChanged = begin();
      count(hasChanged);
      if (launch.stuckThreads.areAll())
        return endInLoops();
    }
  }

private:
  /// Begins the next block. Returns false if there is no next block.
  bool begin() {
    std::optional<uint64_t> block = queue.take();
    if (!block || launch.stop.load(std::memory_order_relaxed))
      return false;
    if (running == runners.size())
      runners.push_back(std::make_unique<BlockRunner>(launch, polls));
    runners[running++]->begin(*block);
    return true;
  }

  /// Runs each block until it ends or waits. Returns true if a block has ended.
  bool runInterleaved() {
    unsigned before = running;
    if (launch.options.seed != 0) // each begun block waits or has yielded, so any order is allowed
      std::shuffle(runners.begin(), runners.begin() + running, random);
    for (unsigned i = 0; i < running;) {
      if (!runners[i]->run()) {
        ++i;
        continue;
      }
      if (runners[i]->failure())
        queue.report(*runners[i]->failure());
      std::rotate(runners.begin() + i, runners.begin() + i + 1, runners.begin() + running--);
    }
    return running < before;
  }

  /// Counts rounds without progress.
  void count(bool hasChanged) {
    for (unsigned i = 0; i < running; ++i)
      hasChanged |= runners[i]->mayHaveProgressed();
    StuckThreads &stuck = launch.stuckThreads;
    if (hasChanged)
      stuck.endGeneration();
    if (generation != stuck.generation()) {
      generation = stuck.generation();
      quietRounds = 0;
    } else if (++quietRounds == kQuietRounds) {
      stuck.isStuckIn(generation);
    }
  }

  void endInLoops() {
    launch.unbegun = queue.leftToTake();
    while (running > 0) {
      BlockRunner &runner = *runners[--running];
      runner.endInLoops();
      queue.report(*runner.failure());
    }
  }

  EmulatedLaunch &launch;
  BlockQueue &queue;
  const bool polls;
  const uint64_t share, mostAtOnce;
  uint64_t generation = 0;
  unsigned quietRounds = 0;
  /// Block runners of this thread. The first `running` elements have a block; the other elements are idle and will be
  /// reused.
  std::vector<std::unique_ptr<BlockRunner>> runners;
  unsigned running = 0;
  std::mt19937_64 random{launch.options.seed};
};

/// Runs blocks on the current thread. An exception stops the other threads, and is stored for the thread that called
/// runBlocks.
void workGuarded(EmulatedLaunch &launch, BlockQueue &queue, bool polls, Helpers &helpers) {
  try {
    BlocksOfThread(launch, queue, polls).work();
  } catch (...) {
    launch.stop.store(true, std::memory_order_relaxed);
    std::lock_guard lock(helpers.mutex);
    if (!helpers.exception)
      helpers.exception = std::current_exception();
  }
  launch.stuckThreads.leave();
}

/// Starts `count` threads that call `work`. If the system refuses to start a thread, starts fewer threads, which then
/// run all blocks. `work` must outlive the threads.
template <typename Work>
void startHelpers(Helpers &helpers, std::vector<std::thread> &threads, uint64_t count, const Work &work) {
  auto changeRunning = [&helpers](int64_t by) {
    std::lock_guard lock(helpers.mutex);
    helpers.running += by;
  };
  threads.reserve(count);
  while (threads.size() < count) {
    changeRunning(+1);
    try {
      threads.emplace_back([&helpers, &work, changeRunning] {
        work();
        changeRunning(-1);
        helpers.ended.notify_one();
      });
    } catch (const std::system_error &) {
      return changeRunning(-1);
    }
  }
}

} // namespace

std::optional<BlockFault> runBlocks(EmulatedLaunch &launch) {
  BlockQueue queue(launch);
  Helpers helpers;
  std::vector<std::thread> threads;
  auto help = [&] { workGuarded(launch, queue, /*polls=*/false, helpers); };
  uint64_t count = launch.threadCount();
  launch.stuckThreads.expect(unsigned(count));
  startHelpers(helpers, threads, count - 1, help);
  for (uint64_t missing = count - 1 - threads.size(); missing; --missing)
    launch.stuckThreads.leave();
  workGuarded(launch, queue, /*polls=*/true, helpers);
  // Only the calling thread polls shouldStop, so it wakes up periodically until the helper threads have ended.
  for (std::unique_lock lock(helpers.mutex); helpers.running;) {
    helpers.ended.wait_for(lock, EmulatedLaunch::kPollInterval);
    lock.unlock();
    launch.poll();
    lock.lock();
  }
  for (std::thread &thread : threads)
    thread.join();
  if (helpers.exception)
    std::rethrow_exception(helpers.exception);
  return queue.firstFault();
}

} // namespace hocket::emulator
