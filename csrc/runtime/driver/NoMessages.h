//===- NoMessages.h - Message queue for drivers with printf ------------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_NOMESSAGES_H
#define HOCKET_RUNTIME_DRIVER_NOMESSAGES_H

#include "runtime/KernelFacts.h"

namespace hocket::driver {

/// Counterpart of hip/MessageQueue.h. CUDA kernels call the driver's vprintf and __assertfail, so they never have
/// messages.
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
