//===- RecordRing.h - Circular allocation of profiler memory -----------------------===//
//
// Two threads use a RecordRing:
//
//   launching thread   take memory, launch, mark it written, readLater        never waits for the GPU;
//   reading thread     wait for the oldest launch, copy, clear, recycle       on its own stream.
//
// Buffers are recycled. The bytes of a buffer are zero when a launch takes the buffer. A launch waits for the oldest
// launch only if all buffers are in flight and together reach the limit. Neither the launching thread nor the reading
// thread needs Python's GIL.
//
// The reading thread is woken when outstanding launches use half of the memory for records, or when a thread waits for
// results. Once woken, the reading thread reads until no launch is outstanding. The reading thread is woken rarely
// because waking costs the launching thread some microseconds, and because the driver delays launches during a copy.
//
// A launch that is captured into a graph writes its buffer whenever the graph is replayed. `keep` removes the buffer of
// a captured launch from the ring permanently, because the lifetime of the graphs that contain the launch is unknown.
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

/// The profiler records of one launch, as bytes. The bytes are available after the reading thread has copied them from
/// the GPU. All functions can be called from any thread.
class LaunchBytes {
public:
  explicit LaunchBytes(size_t count) : count(count) {}

  /// Returns the host memory for the bytes, which is aligned to 256 bytes and initially zero. Before `wait` has
  /// returned, only the thread that calls `deliver` can use the memory. Throws std::bad_alloc.
  std::span<std::byte> bytes();
  /// Marks the bytes as available or, if `why` is not empty, as lost for the reason `why`.
  void deliver(std::string why = {});
  /// Waits until `deliver` has been called. Throws LaunchError if the bytes are lost.
  void wait();

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  /// `bytes` allocates the memory at its first call, so that the launching thread does not wait for the allocation.
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

  /// Maximum number of bytes and of buffers that one call of `allocate` allocates, unless a single buffer is larger.
  /// Allocating one buffer at a time would be slow, because an allocation can wait for running launches.
  static constexpr size_t kBytesAtOnce = size_t(32) << 20, kMostAtOnce = 256;

  /// Creates a ring whose buffers together have at most `limitBytes` bytes, unless the buffer of a single launch is
  /// larger.
  RecordRing(Allocate allocate, size_t limitBytes, size_t bytesAtOnce = kBytesAtOnce);
  /// Waits until the records of all launches have been delivered.
  ~RecordRing();
  /// Creates a ring that is destroyed only in this process. In a forked child, the destructor would fail, because the
  /// child has neither the reading thread nor a working driver.
  static std::shared_ptr<RecordRing> make(Allocate allocate, size_t limitBytes);

  /// Returns a buffer of at least `bytes` bytes. Waits if all buffers are in flight. Throws LaunchError.
  ReadbackMemory &take(size_t bytes);
  /// Makes `memory`, the buffer of a launch that has failed, available to other launches.
  void giveBack(ReadbackMemory &memory);
  /// Queues `memory` for the reading thread, which copies the bytes to `launch` after the kernel has ended.
  void readLater(ReadbackMemory &memory, std::shared_ptr<LaunchBytes> launch);
  /// Wakes the reading thread, which reads all buffers that were passed to readLater. startReading does not wait.
  void startReading();
  /// Removes the buffer `memory` from the ring: no later launch uses the buffer, and the buffer is never freed.
  void keep(ReadbackMemory &memory);

private:
  struct Work {
    ReadbackMemory *memory;
    std::shared_ptr<LaunchBytes> launch;
  };

  void readAll();
  void startReadingLocked();
  /// Frees the unused buffers.
  void makeRoom();

  Allocate allocate;
  size_t limit, atOnce, total = 0, bytesWritten = 0; ///< `bytesWritten`: total size of the buffers in `written`
  std::vector<std::unique_ptr<ReadbackMemory>> all;
  /// Unused buffers by their size in bytes. Each vector has at least one buffer.
  std::map<size_t, std::vector<ReadbackMemory *>> unused;
  int waiting = 0; ///< number of threads that wait in `take`
  std::mutex mutex;
  std::condition_variable isGivenBack, mustRead;
  std::deque<Work> written;
  bool isReading = false, isClosed = false;
  std::thread reader;
};

} // namespace hocket

#endif
