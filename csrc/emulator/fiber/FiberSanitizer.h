//===- FiberSanitizer.h - Announces fiber switches to sanitizers -------------------------------===//
//
// AddressSanitizer must be notified which stack is in use, ThreadSanitizer which flow of control runs. Every switch
// notifies both sanitizers; in a build without sanitizers, the calls are empty. The functions are declared in
// <sanitizer/*_interface.h>.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_FIBER_FIBERSANITIZER_H
#define HOCKET_EMULATOR_FIBER_FIBERSANITIZER_H

#include "emulator/fiber/Stack.h"

#include <cstdint>

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#endif

namespace hocket::emulator {

#if __has_feature(address_sanitizer)

class FiberSanitizer {
public:
  /// Clears the shadow memory that stack frames of the fiber's last run have poisoned. Must be called when the fiber
  /// restarts. Does not use __asan_unpoison_memory_region, which does nothing under allow_user_poisoning=0, an option
  /// that LLVM's pools need.
  __attribute__((no_sanitize("address"))) void restart(const Stack &stack) {
    size = stack.size();
    bottom = static_cast<std::byte *>(stack.top()) - size;
    size_t scale, offset;
    __asan_get_shadow_mapping(&scale, &offset);
    auto *marks = reinterpret_cast<volatile uint64_t *>((reinterpret_cast<uintptr_t>(bottom) >> scale) + offset);
    for (size_t i = 0; i < (size >> scale) / sizeof(uint64_t); ++i)
      marks[i] = 0;
  }
  void beforeSwitchTo(const FiberSanitizer &next) { __sanitizer_start_switch_fiber(&frames, next.bottom, next.size); }
  /// The bounds of a thread's own stack are stored at the first switch away from it.
  void afterSwitchFrom(FiberSanitizer &last) { __sanitizer_finish_switch_fiber(frames, &last.bottom, &last.size); }

private:
  const void *bottom = nullptr;
  size_t size = 0;
  void *frames = nullptr;
};

#elif __has_feature(thread_sanitizer)

class FiberSanitizer {
public:
  FiberSanitizer() = default;
  FiberSanitizer(const FiberSanitizer &) = delete;
  FiberSanitizer &operator=(const FiberSanitizer &) = delete;
  ~FiberSanitizer() { destroy(); }

  /// Drops the calls from which the fiber's last run has not returned. Must be called when the fiber restarts.
  void restart(const Stack &) {
    destroy();
    flow = __tsan_create_fiber(0);
    isOwned = true;
  }
  void beforeSwitchTo(const FiberSanitizer &next) {
    if (!isOwned)
      flow = __tsan_get_current_fiber(); // the thread's own flow of control
    __tsan_switch_to_fiber(next.flow, 0);
  }
  void afterSwitchFrom(FiberSanitizer &) {}

private:
  void destroy() {
    if (isOwned)
      __tsan_destroy_fiber(flow);
  }

  void *flow = nullptr;
  bool isOwned = false;
};

#else

struct FiberSanitizer {
  void restart(const Stack &) {}
  void beforeSwitchTo(const FiberSanitizer &) {}
  void afterSwitchFrom(FiberSanitizer &) {}
};

#endif

} // namespace hocket::emulator

#endif
