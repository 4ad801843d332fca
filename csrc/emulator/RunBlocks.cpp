//===- RunBlocks.cpp - Spreads the blocks of a launch over threads -------------------------------===//
//
// Blocks are taken in ascending order, and none is begun behind one that has failed. Those before it were begun
// earlier and run to their end, so the lowest fault is found whatever the threads do.
//
// Threads live as long as the launch. Starting one costs 20 us, and a pool would not survive a fork of the process.
//
//===------------------------------------------------------------------------------===//
#include "emulator/RunBlocks.h"

#include "emulator/BlockRunner.h"
#include "emulator/GlobalRaces.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace hocket::emulator {

namespace {

class BlockQueue {
public:
  explicit BlockQueue(Launch &launch) : launch(launch) {}

  /// The next block, or nothing once all are taken or one before it has failed.
  std::optional<uint64_t> take() {
    uint64_t block = next.fetch_add(1, std::memory_order_relaxed);
    if (block >= launch.blockCount() || block > launch.lowestFailed())
      return std::nullopt;
    return block;
  }

  void report(BlockFault fault) {
    launch.fail(fault.block);
    std::lock_guard lock(mutex);
    if (!first || fault.block < first->block)
      first = std::move(fault);
  }

  /// Of the lowest block. What stopped a block explains less than a race that it had.
  const std::optional<BlockFault> &firstFault() const {
    bool isRace =
        launch.races && launch.races->firstRace() && (!first || launch.races->firstRace()->block <= first->block);
    return isRace ? launch.races->firstRace() : first;
  }

private:
  Launch &launch;
  std::atomic<uint64_t> next = 0;
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

void work(Launch &launch, BlockQueue &queue, bool polls) {
  BlockRunner runner(launch, polls);
  while (std::optional<uint64_t> block = queue.take()) {
    if (launch.stop.load(std::memory_order_relaxed))
      return;
    if (std::optional<BlockFault> fault = runner.run(*block))
      queue.report(std::move(*fault));
  }
}

/// `work`, with an exception kept for the calling thread and the others told to stop.
void workGuarded(Launch &launch, BlockQueue &queue, bool polls, Helpers &helpers) {
  try {
    work(launch, queue, polls);
  } catch (...) {
    launch.stop.store(true, std::memory_order_relaxed);
    std::lock_guard lock(helpers.mutex);
    if (!helpers.exception)
      helpers.exception = std::current_exception();
  }
}

} // namespace

std::optional<BlockFault> runBlocks(Launch &launch) {
  uint64_t wanted = launch.options.threads ? launch.options.threads : std::max(1u, std::thread::hardware_concurrency());
  BlockQueue queue(launch);
  Helpers helpers;
  helpers.running = std::min(wanted, launch.blockCount()) - 1;
  std::vector<std::thread> threads;
  for (uint64_t i = helpers.running; i > 0; --i)
    threads.emplace_back([&] {
      workGuarded(launch, queue, /*polls=*/false, helpers);
      std::lock_guard lock(helpers.mutex);
      --helpers.running;
      helpers.ended.notify_one();
    });
  workGuarded(launch, queue, /*polls=*/true, helpers);
  // Only the calling thread can be asked to stop, so it stays awake until the others are done.
  for (std::unique_lock lock(helpers.mutex); helpers.running;) {
    helpers.ended.wait_for(lock, Launch::kPollInterval);
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
