//===- Fiber.h - Flows of control with their own stacks ---------------------------------------------===//
//
// A fiber is a stack and the place where its code stopped. Switching costs a few nanoseconds.
//
// The context-switching primitives of Boost.Context are used directly rather than its fiber class: that class unwinds
// an abandoned stack by throwing an exception through it, and emulated code has no unwind tables. Here an abandoned
// stack is simply started anew (emulated code owns nothing but its stack).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_FIBER_H
#define HOCKET_EMULATOR_BLOCK_FIBER_H

#include "emulator/block/FiberSanitizer.h"

#include <deque>

namespace hocket::emulator {

struct Fiber {
  /// Will go on soon: the stacks of a warp's lanes do not fit the first-level cache together. A context is the stack's
  /// pointer where the fiber stopped, and above it is what it needs first.
  void prefetch() const {
    constexpr size_t kLines = 16, kLineBytes = 64;
    for (size_t line = 0; line < kLines; ++line)
      __builtin_prefetch(static_cast<const std::byte *>(context) + line * kLineBytes);
  }

  void *context = nullptr; ///< where it stopped; null while it runs
  const Stack *stack = nullptr;
  size_t shift = 0; ///< bytes of the stack left out
  [[no_unique_address]] FiberSanitizer sanitizer;
};

/// The fibers of one thread. The thread's own stack is one of them, `main()`.
class FiberPool {
public:
  /// Fibers start in `body(argument)`, which never returns.
  FiberPool(size_t stackBytes, void (*body)(void *), void *argument);
  ~FiberPool();

  Fiber &main() { return mainFiber; }
  Fiber &current() { return *running; }
  /// A fiber at the start of its body, or idle since its last `release`. Throws std::bad_alloc.
  Fiber &acquire();
  /// Gives back a fiber whose body will go on when it is switched to.
  void release(Fiber &fiber) { idle.push_back(&fiber); }
  /// Makes all fibers start anew, wherever they are. Only from `main()`.
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
