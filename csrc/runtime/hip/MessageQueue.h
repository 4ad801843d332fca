//===- MessageQueue.h - What kernels print and why they stop, on AMD GPUs ----------===//
//
// HIP has no printf for code objects that it did not compile. A kernel with messages gets memory of the host of its own
// at each launch (support/MessageBuffer.h); after the kernel, a host function is queued on the stream, which reads the
// memory. So nothing waits, nothing is read while a kernel writes, and who waits for the stream finds the text printed:
// lines on the standard output, a failure on the standard error, and as the LaunchError of the device's next launch or
// synchronisation. At the end of the process kernels that still run are waited for.
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

/// Of one device, as long as the process lives. Thread-safe.
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
    /// Takes memory if a kernel with these facts has messages. The device must be current. Throws LaunchError.
    Launch(MessageQueue &queue, const KernelFacts &facts, Stream stream);
    /// A kernel that was not started has said nothing.
    ~Launch();
    Launch(const Launch &) = delete;

    void *address() const;
    /// The kernel has been queued: its messages will be read after it. Throws LaunchError.
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
  std::vector<uint64_t *> unused; ///< all zero
  std::string failure;
  std::atomic<bool> hasFailed = false;
};

} // namespace hocket::hip

#endif
