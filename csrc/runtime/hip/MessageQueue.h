//===- MessageQueue.h - Output and failures of kernels on AMD GPUs -----------------===//
//
// HIP has no printf for code objects that it did not compile. A kernel with messages gets its own host memory at each
// launch (support/MessageBuffer.h); a host function that reads the memory is queued on the stream after the kernel. No
// thread waits for the kernel, and the host function reads the memory only after the kernel has ended. A
// synchronization with the stream returns only after the text has been printed. Lines are printed on the standard
// output, failures on the standard error. After a failure, the next launch or synchronization of the device throws a
// LaunchError. At process exit, the runtime waits for kernels that are still running.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_HIP_MESSAGEQUEUE_H
#define HOCKET_RUNTIME_HIP_MESSAGEQUEUE_H

#include "runtime/KernelFacts.h"
#include "third_party/hip/Driver.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace hocket::hip {

/// Message queue of one device, which lives as long as the process. Thread-safe.
class MessageQueue {
public:
  explicit MessageQueue(const Driver &driver) : driver(driver) {}

  /// Throws LaunchError, once, if an assertion of an earlier kernel has failed.
  void raiseFailure() {
    if (hasFailed) [[unlikely]]
      raiseKeptFailure();
  }

  /// The messages of one launch.
  class Launch {
  public:
    /// Allocates memory for messages if the kernel that `facts` describes has messages. The queue's device must be
    /// current. Throws LaunchError.
    Launch(MessageQueue &queue, const KernelFacts &facts, Stream stream);
    /// Makes the memory available to other launches if the kernel was not started.
    ~Launch();
    Launch(const Launch &) = delete;

    void *address() const;
    /// Queues the host function that reads the messages. Must be called after the kernel has been queued. Throws
    /// LaunchError.
    void started();

  private:
    struct Pending;
    std::unique_ptr<Pending> pending;
    Stream stream;
    static void read(void *pending);
  };

private:
  uint64_t *takeMemory();
  void giveBack(uint64_t *memory);
  void fail(const std::string &text);
  void raiseKeptFailure();

  const Driver &driver;
  std::mutex mutex;
  std::vector<uint64_t *> unused; ///< message buffers that no launch uses, filled with zeros
  std::string failure;
  std::atomic<bool> hasFailed = false;
};

} // namespace hocket::hip

#endif
