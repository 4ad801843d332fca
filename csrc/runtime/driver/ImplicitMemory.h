//===- ImplicitMemory.h - Memory of implicit arguments -----------------------------===//
#ifndef HOCKET_RUNTIME_DRIVER_IMPLICITMEMORY_H
#define HOCKET_RUNTIME_DRIVER_IMPLICITMEMORY_H

#include "runtime/KernelFacts.h"

namespace hocket::driver {

/// The implicit arguments of one launch. The memory of implicit arguments is allocated and freed in stream order. No
/// thread waits for the allocation, the memory is freed only after the kernel has ended, and launches on different
/// streams do not share memory.
template <typename Api>
class ImplicitMemory {
public:
  /// The device or context of the stream must be current.
  ImplicitMemory(const typename Api::Driver &driver, const std::vector<ImplicitArgument> &arguments,
                 const GridSize &grid, typename Api::Stream stream, void *messages, uint64_t profile)
      : driver(driver), stream(stream), addresses(arguments.size()), messages(messages), profile(profile) {
    try {
      for (size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].kind == ImplicitKind::Messages)
          places.push_back(&this->messages);
        else if (arguments[i].kind == ImplicitKind::Profile && profile)
          places.push_back(&this->profile);
        else if (places.push_back(&addresses[i]); int64_t bytes = arguments[i].bytes(grid))
          Api::check(driver.memAllocAsync(&addresses[i], bytes, stream), "allocating the kernel's scratch memory");
    } catch (...) {
      release();
      throw;
    }
  }
  ~ImplicitMemory() { release(); }
  ImplicitMemory(const ImplicitMemory &) = delete;

  void appendTo(std::vector<void *> &parameters) { parameters.insert(parameters.end(), places.begin(), places.end()); }

private:
  /// Frees the memory in stream order. Errors of freeing are ignored: if freeing fails, the launch has failed before,
  /// and has reported the error.
  void release() {
    for (typename Api::DevicePointer address : addresses)
      if (address)
        driver.memFreeAsync(address, stream);
  }

  const typename Api::Driver &driver;
  typename Api::Stream stream;
  std::vector<typename Api::DevicePointer> addresses; ///< addresses of the memory that this object has allocated
  void *messages;
  uint64_t profile;           ///< device address to which the kernel writes the profiler's records
  std::vector<void *> places; ///< pointers to the values of the implicit arguments
};

} // namespace hocket::driver

#endif
