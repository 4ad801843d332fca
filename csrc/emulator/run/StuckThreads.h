//===- StuckThreads.h - Detects that no thread of a launch makes progress ---------------------------===//
//
// Each thread counts the rounds of the current *generation* in which none of its blocks progressed (SpinWatch.h). A
// generation ends when a block of any thread begins, ends or progresses. If all threads have counted kQuietRounds
// rounds (RunBlocks.cpp) within one generation, the launch is stuck forever.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RUN_STUCKTHREADS_H
#define HOCKET_EMULATOR_RUN_STUCKTHREADS_H

#include <atomic>
#include <cstdint>
#include <mutex>

namespace hocket::emulator {

class StuckThreads {
public:
  /// Sets the number of worker threads.
  void expect(unsigned threads) { working = threads; }
  /// Must be called when a worker thread has finished.
  void leave();

  uint64_t generation() const { return current.load(); }
  void endGeneration() { ++current; }
  /// Must be called once by each thread that has counted kQuietRounds rounds in `generation`.
  void isStuckIn(uint64_t generation);
  /// True if all threads are stuck.
  bool areAll() const { return all.load(std::memory_order_relaxed); }

private:
  std::mutex mutex;
  unsigned working = 0, stuck = 0;
  uint64_t stuckIn = 0; ///< the generation to which the count `stuck` belongs
  std::atomic<uint64_t> current = 1;
  std::atomic<bool> all = false;
};

} // namespace hocket::emulator

#endif
