//===- FiberSanitizer.h - Notifies sanitizers of fiber switches --------------------------------===//
//
// AddressSanitizer must be notified of the stack in use, and ThreadSanitizer of the fiber that runs. Every switch
// notifies the sanitizer of the build. In a build without sanitizers, FiberSanitizer does nothing. The sanitizers'
// functions are declared in <sanitizer/*_interface.h>.
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
  /// Clears AddressSanitizer's shadow of the stack, because stack frames of the fiber's last run have poisoned it. Must
  /// be called when the fiber restarts. Does not use __asan_unpoison_memory_region, which has no effect with
  /// allow_user_poisoning=0, an option that tools/sanitize.sh sets.
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
  /// Stores the bounds of the stack of `last`. For the thread's own stack, the bounds are not known before this switch.
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

  /// Replaces ThreadSanitizer's fiber, which discards the call stack of the fiber's last run. Must be called when the
  /// fiber restarts.
  void restart(const Stack &) {
    destroy();
    flow = __tsan_create_fiber(0);
    isOwned = true;
  }
  void beforeSwitchTo(const FiberSanitizer &next) {
    if (!isOwned)
      flow = __tsan_get_current_fiber(); // the fiber `main()`, which runs on the thread's own stack
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
