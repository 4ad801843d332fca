//===- RecordRing.h - Circular allocation of profiler memory -----------------------===//
//
//   launching thread   take memory, launch, mark it written, readLater        never waits for the GPU
//   reading thread     wait for the oldest launch, copy, clear, recycle       on its own stream
//
// Buffers are recycled. A buffer is zero when a launch takes it. A launch waits for the oldest launch only if all
// buffers are in flight. Neither the launching thread nor the reading thread needs Python's GIL.
//
// The reading thread is woken when outstanding launches use half of the memory for records, or when a thread waits for
// results. Once woken, the reading thread reads until no launch is outstanding. The reading thread is woken rarely
// because waking costs the launching thread some microseconds, and because the driver delays launches during a copy.
//
// A launch that is captured into a graph writes its buffer whenever the graph is replayed. `keep` removes the buffer of
// a captured launch from circulation permanently, because the lifetime of the graphs that contain the launch is
// unknown.
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

/// The bytes that one launch recorded, available after the reading thread has read them. All functions can be called
/// from any thread.
class LaunchBytes {
public:
  explicit LaunchBytes(size_t count) : count(count) {}

  /// Returns the memory of the bytes, aligned to 256 and initially zero. Only the thread that delivers the bytes can
  /// use the memory before `wait` has returned. Throws std::bad_alloc.
  std::span<std::byte> bytes();
  /// Marks the bytes as available or, if `why` is not empty, as lost.
  void deliver(std::string why = {});
  /// Waits for the bytes. Throws LaunchError if the bytes are lost.
  void wait();

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  /// The memory is allocated at its first use, so that the launching thread does not wait for the allocation.
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

  /// Number of bytes and of buffers that are allocated at once. Allocating one buffer at a time would be slow, because
  /// an allocation can wait for running launches.
  static constexpr size_t kBytesAtOnce = size_t(32) << 20, kMostAtOnce = 256;

  /// Creates a ring whose buffers together have at most `limitBytes` bytes, unless a single launch needs more.
  RecordRing(Allocate allocate, size_t limitBytes, size_t bytesAtOnce = kBytesAtOnce);
  /// Waits until the records of all launches have been delivered.
  ~RecordRing();
  /// Creates a ring that a forked child does not destroy: the reading thread does not exist in the child, and its
  /// driver does not work.
  static std::shared_ptr<RecordRing> make(Allocate allocate, size_t limitBytes);

  /// Returns a buffer of at least `bytes` bytes. Waits if all buffers are in flight. Throws LaunchError.
  ReadbackMemory &take(size_t bytes);
  /// Puts the buffer of a launch that has failed back into circulation.
  void giveBack(ReadbackMemory &memory);
  /// Lets the reading thread copy the first bytes of `memory` to `launch` after the kernel has ended.
  void readLater(ReadbackMemory &memory, std::shared_ptr<LaunchBytes> launch);
  /// Wakes the reading thread, which reads everything that was passed to readLater. Returns without waiting.
  void startReading();
  /// Removes the buffer from circulation. The buffer lives as long as the process.
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
  size_t limit, atOnce, total = 0, bytesWritten = 0; ///< `bytesWritten`: bytes of launches that have not been read
  std::vector<std::unique_ptr<ReadbackMemory>> all;
  std::map<size_t, std::vector<ReadbackMemory *>> unused; ///< unused buffers by size; no list is empty
  int waiting = 0;                                        ///< number of threads that wait in `take`
  std::mutex mutex;
  std::condition_variable isGivenBack, mustRead;
  std::deque<Work> written;
  bool isReading = false, isClosed = false;
  std::thread reader;
};

} // namespace hocket

#endif
