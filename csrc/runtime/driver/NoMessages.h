//===- NoMessages.h - Where the driver itself prints for kernels -------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_NOMESSAGES_H
#define HOCKET_RUNTIME_DRIVER_NOMESSAGES_H

#include "runtime/KernelFacts.h"

namespace hocket::driver {

/// See hip/MessageQueue.h. CUDA's kernels call the driver's vprintf and __assertfail: no kernel for it has messages.
template <typename Driver, typename Stream>
class NoMessages {
public:
  explicit NoMessages(const Driver &) {}
  void raiseFailure() {}

  class Launch {
  public:
    Launch(NoMessages &, const KernelFacts &, Stream) {}
    void *address() const { return nullptr; }
    void started() {}
  };
};

} // namespace hocket::driver

#endif
