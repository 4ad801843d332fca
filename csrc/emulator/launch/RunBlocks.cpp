//===- RunBlocks.cpp - Spreads the blocks of a launch over threads -------------------------------===//
//
// Blocks begin in the order of their sequence, and none after one that has failed. Those before it were begun earlier
// and run to their end, so the first fault of the sequence is found whatever the threads do.
//
// A thread runs one block after the other. Where one may wait for another (all its warps are in loops for long), the
// thread turns to others that have begun, and begins another one if they all wait: one more, until there are as many
// as a window of the sequence has. Those of a cooperative launch do wait for each other: a thread begins its share of
// them at once, and as many as there are if need be.
//
// Threads live as long as the launch. Starting one costs 20 us, and a pool would not survive a fork of the process.
//
//===------------------------------------------------------------------------------===//
#include "emulator/launch/RunBlocks.h"

#include "emulator/block/BlockRunner.h"
#include "emulator/races/GlobalRaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace hocket::emulator {

namespace {

class BlockQueue {
public:
  explicit BlockQueue(EmulatedLaunch &launch) : launch(launch) {}

  /// The next block, or nothing once all are taken or one before it has failed.
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
      return; // it waits for a block that has failed
    if (!first || position < firstPosition) {
      first = fault;
      firstPosition = position;
    }
  }

  /// Of the first block. What stopped a block explains less than a race that it had.
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

/// Threads other than the caller's, and the exception that one of them ended with.
struct Helpers {
  std::mutex mutex;
  std::condition_variable ended;
  uint64_t running = 0;
  std::exception_ptr exception;
};

/// Each turn is some dozens of iterations.
static constexpr unsigned kQuietTurns = 16;

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
      bool hasChanged = takeTurns();
      if (!hasChanged && running < mostAtOnce)
        hasChanged = begin();
      count(hasChanged);
      if (launch.stuckThreads.areAll())
        return endInLoops();
    }
  }

private:
  /// Begins the next block, if there is one.
  bool begin() {
    std::optional<uint64_t> block = queue.take();
    if (!block || launch.stop.load(std::memory_order_relaxed))
      return false;
    if (running == runners.size())
      runners.push_back(std::make_unique<BlockRunner>(launch, polls));
    runners[running++]->begin(*block);
    return true;
  }

  /// Whether one of the blocks has ended.
  bool takeTurns() {
    unsigned before = running;
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

  /// Counts turns in which nothing happened.
  void count(bool hasChanged) {
    for (unsigned i = 0; i < running; ++i)
      hasChanged |= runners[i]->mayHaveProgressed();
    StuckThreads &stuck = launch.stuckThreads;
    if (hasChanged)
      stuck.endGeneration();
    if (generation != stuck.generation()) {
      generation = stuck.generation();
      quietTurns = 0;
    } else if (++quietTurns == kQuietTurns) {
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
  unsigned quietTurns = 0;
  /// The first `running` of them have a block; the others had one before.
  std::vector<std::unique_ptr<BlockRunner>> runners;
  unsigned running = 0;
};

/// `work`, with an exception kept for the calling thread and the others told to stop.
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

/// Starts `count` threads that do `work`, or as many as the system gives: those that exist share all blocks. `work`
/// must outlive the threads.
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
  // Only the calling thread can be asked to stop, so it stays awake until the others are done.
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
