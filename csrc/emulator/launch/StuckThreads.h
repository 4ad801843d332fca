//===- StuckThreads.h - When no thread of a launch gets anywhere ------------------------------------===//
//
// Each thread counts its turns in which none of its blocks progressed (SpinWatch.h) since anything changed anywhere: a
// *generation* ends when a block begins, ends or progresses, on whatever thread. All threads that have counted enough
// within one generation are stuck for good.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_LAUNCH_STUCKTHREADS_H
#define HOCKET_EMULATOR_LAUNCH_STUCKTHREADS_H

#include <atomic>
#include <cstdint>
#include <mutex>

namespace hocket::emulator {

class StuckThreads {
public:
  /// That many threads are going to work.
  void expect(unsigned threads) { working = threads; }
  /// One does not any longer.
  void leave();

  uint64_t generation() const { return current.load(); }
  void endGeneration() { ++current; }
  /// A thread has counted enough turns in `generation`. To be said once.
  void isStuckIn(uint64_t generation);
  /// Whether all are.
  bool areAll() const { return all.load(std::memory_order_relaxed); }

private:
  std::mutex mutex;
  unsigned working = 0, stuck = 0;
  uint64_t stuckIn = 0; ///< the generation in which `stuck` threads are
  std::atomic<uint64_t> current = 1;
  std::atomic<bool> all = false;
};

} // namespace hocket::emulator

#endif
