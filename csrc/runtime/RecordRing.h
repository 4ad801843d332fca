//===- RecordRing.h - Circular allocation of profiler memory -----------------------===//
//
//   launching thread   take memory, launch, mark it written, readLater        never waits for the GPU
//   reading thread     wait for the oldest launch, copy, clear, recycle       on its own stream
//
// Buffers are recycled, and are zero when they are taken. A launch waits for the oldest launch only if all buffers are
// in flight. Neither thread needs Python's GIL.
//
// The reading thread starts when half of the memory is in flight, or when a thread waits for results, and continues
// until everything has been read: waking it takes a launching thread some microseconds, and while it copies, the driver
// delays launches.
//
// A launch that is captured into a graph writes its buffer whenever the graph is replayed. `keep` removes such a buffer
// from circulation permanently, because the lifetime of the graphs that contain it is unknown.
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

/// The bytes of one launch, available once they have been read. Any thread may deliver and wait.
class LaunchBytes {
public:
  explicit LaunchBytes(size_t count) : count(count) {}

  /// Memory at a multiple of 256, initially zero; for the thread that delivers, and after `wait` for all. Throws
  /// std::bad_alloc.
  std::span<std::byte> bytes();
  /// Marks the bytes as available or, if `why` is not empty, as lost.
  void deliver(std::string why = {});
  /// Waits for the bytes. Throws LaunchError if they are lost.
  void wait();

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  /// Allocated at the first use, so that the launching thread does not wait for the allocation.
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

  /// Amount allocated at once: launches that are not waited for soon need more, and an allocation may wait for them.
  static constexpr size_t kBytesAtOnce = size_t(32) << 20, kMostAtOnce = 256;

  /// `limitBytes` limits all buffers together, unless a single launch needs more.
  RecordRing(Allocate allocate, size_t limitBytes, size_t bytesAtOnce = kBytesAtOnce);
  /// Waits until everything has been delivered.
  ~RecordRing();
  /// Creates a ring that a forked child does not destroy: the reading thread does not exist in the child, and its
  /// driver does not work.
  static std::shared_ptr<RecordRing> make(Allocate allocate, size_t limitBytes);

  /// Returns at least `bytes` bytes. Waits if all buffers are in flight. Throws LaunchError.
  ReadbackMemory &take(size_t bytes);
  /// Returns the buffer of a launch that has failed.
  void giveBack(ReadbackMemory &memory);
  /// Delivers the first bytes of `memory` to `launch` after its kernel has ended and the reading thread has run.
  void readLater(ReadbackMemory &memory, std::shared_ptr<LaunchBytes> launch);
  /// Starts reading everything that was passed to readLater. Does not wait for it.
  void startReading();
  /// Removes the buffer from circulation; it lives as long as the process.
  void keep(ReadbackMemory &memory);

private:
  struct Work {
    ReadbackMemory *memory;
    std::shared_ptr<LaunchBytes> launch;
  };

  void readAll();
  void startReadingLocked();
  /// Frees unused buffers.
  void makeRoom();

  Allocate allocate;
  size_t limit, atOnce, total = 0, bytesWritten = 0; ///< `bytesWritten`: memory that waits to be read
  std::vector<std::unique_ptr<ReadbackMemory>> all;
  std::map<size_t, std::vector<ReadbackMemory *>> unused; ///< by size; no list is empty
  int waiting = 0;                                        ///< threads that wait in `take`
  std::mutex mutex;
  std::condition_variable isGivenBack, mustRead;
  std::deque<Work> written;
  bool isReading = false, isClosed = false;
  std::thread reader;
};

} // namespace hocket

#endif
