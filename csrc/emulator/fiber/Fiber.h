//===- Fiber.h - Flows of control with their own stacks ---------------------------------------------===//
//
// A fiber is a stack and the context where its code was suspended. A switch costs a few nanoseconds.
//
// Boost.Context's context-switching primitives are used directly rather than its fiber class: that class unwinds an
// abandoned stack by throwing an exception through it, and emulated code has no unwind tables. Here an abandoned stack
// is simply restarted (emulated code owns nothing except its stack).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_FIBER_FIBER_H
#define HOCKET_EMULATOR_FIBER_FIBER_H

#include "emulator/fiber/FiberSanitizer.h"

#include <deque>

namespace hocket::emulator {

struct Fiber {
  /// Prefetches the stack of a fiber that will soon resume: the stacks of a warp's lanes do not fit into the L1 cache
  /// together. A context is the stack pointer where the fiber was suspended, and the data that it needs first are above
  /// it.
  void prefetch() const {
    constexpr size_t kLines = 16, kLineBytes = 64;
    for (size_t line = 0; line < kLines; ++line)
      __builtin_prefetch(static_cast<const std::byte *>(context) + line * kLineBytes);
  }

  void *context = nullptr; ///< where it was suspended; null while it runs
  const Stack *stack = nullptr;
  size_t shift = 0; ///< bytes that are left out at the top of the stack
  [[no_unique_address]] FiberSanitizer sanitizer;
};

/// The fibers of one thread. One of them, `main()`, runs on the thread's own stack.
class FiberPool {
public:
  /// Fibers start in `body(argument)`, which never returns.
  FiberPool(size_t stackBytes, void (*body)(void *), void *argument);
  ~FiberPool();

  Fiber &main() { return mainFiber; }
  Fiber &current() { return *running; }
  /// Returns a fiber that is at the start of its body or idle since its last `release`. Throws std::bad_alloc.
  Fiber &acquire();
  /// Returns a fiber to the pool; its body resumes when it is switched to.
  void release(Fiber &fiber) { idle.push_back(&fiber); }
  /// Restarts all fibers, whatever their state. Must be called on `main()`.
  void restartAll();
  /// Runs `next` until it switches back to the current fiber.
  void switchTo(Fiber &next);

private:
  void start(Fiber &fiber);

  size_t stackBytes;
  void (*body)(void *);
  void *argument;
  Fiber mainFiber;
  Fiber *running = &mainFiber;
  std::vector<std::unique_ptr<Stack>> stacks;
  std::deque<Fiber> fibers;
  std::vector<Fiber *> idle;

  friend struct FiberEntry;
};

} // namespace hocket::emulator

#endif
