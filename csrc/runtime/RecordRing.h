//===- RecordRing.h - The memory that launches record into, and how it comes back --===//
//
//   launching thread   take memory, launch, mark it written, readLater        nothing here waits for the GPU
//   reading thread     wait for the oldest launch, copy, clear, hand it on    on a stream of its own
//
// Memory goes around in a ring, and is zero when it is taken. Only when all of it is in flight does a launch wait for
// the oldest. Neither thread needs Python's lock.
//
// The reading thread begins when half of the memory is in flight, or when somebody waits, and goes on until all has
// been read: waking it takes a launching thread some microseconds, and beside it the driver makes launches wait.
//
// What a launch writes that is captured into a graph is written whenever the graph runs: `keep` takes such memory out
// of the ring, for good, as nobody knows when the last graph with it is gone.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_RECORDRING_H
#define HOCKET_RUNTIME_RECORDRING_H

#include "runtime/Device.h"

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace hocket {

/// The bytes of one launch, once they have been read. Any thread may deliver and wait.
class LaunchBytes {
public:
  explicit LaunchBytes(size_t count) : count(count) {}

  /// At a multiple of 256, zero at first; for who delivers, and after `wait` for all. Throws std::bad_alloc.
  std::span<std::byte> bytes();
  /// The bytes are there or, if `why` is not empty, never will be.
  void deliver(std::string why = {});
  /// Throws LaunchError.
  void wait();

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  /// Made when somebody asks for it: who launches should not have to wait for that.
  std::unique_ptr<std::byte, Free> memory;
  size_t count;
  std::mutex mutex;
  std::condition_variable delivered;
  bool isThere = false;
  std::string error;
};

class RecordRing {
public:
  using Allocate = std::function<std::vector<std::unique_ptr<ReadbackMemory>>(size_t bytes, size_t count)>;

  /// What is made at once: launches that are not waited for soon want more, and making it may wait for them.
  static constexpr size_t kBytesAtOnce = size_t(32) << 20, kMostAtOnce = 256;

  /// `limitBytes`: of all memory together, unless a single launch needs more.
  RecordRing(Allocate allocate, size_t limitBytes, size_t bytesAtOnce = kBytesAtOnce);
  /// When all has been delivered.
  ~RecordRing();
  /// One that a child process leaves as it is: the reading thread is none of its threads, and no driver answers there.
  static std::shared_ptr<RecordRing> make(Allocate allocate, size_t limitBytes);

  /// At least `bytes` bytes. Waits where all are in flight. Throws LaunchError.
  ReadbackMemory &take(size_t bytes);
  /// Of a launch that has failed.
  void giveBack(ReadbackMemory &memory);
  /// `launch` gets the first bytes of `memory` when what writes it has ended and somebody reads.
  void readLater(ReadbackMemory &memory, std::shared_ptr<LaunchBytes> launch);
  /// All that is to be read later is read now. Does not wait for it.
  void startReading();
  /// It is in the ring no more, and lives as long as the process.
  void keep(ReadbackMemory &memory);

private:
  struct Work {
    ReadbackMemory *memory;
    std::shared_ptr<LaunchBytes> launch;
  };

  void readAll();
  void startReadingLocked();
  /// Frees memory that nobody has.
  void makeRoom();

  Allocate allocate;
  size_t limit, atOnce, total = 0, bytesWritten = 0; ///< of the memory that waits to be read
  std::vector<std::unique_ptr<ReadbackMemory>> all;
  std::map<size_t, std::vector<ReadbackMemory *>> unused; ///< by size; no list is empty
  int waiting = 0;                                        ///< threads that `take` makes wait
  std::mutex mutex;
  std::condition_variable isGivenBack, mustRead;
  std::deque<Work> written;
  bool isReading = false, isClosed = false;
  std::thread reader;
};

} // namespace hocket

#endif
