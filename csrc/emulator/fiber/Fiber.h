//===- Fiber.h - Flows of control with their own stacks ---------------------------------------------===//
//
// A fiber consists of a stack and of the context in which its code was suspended. A switch between two fibers takes a
// few nanoseconds.
//
// This file uses the context-switching primitives of Boost.Context, not its fiber class. The fiber class unwinds an
// abandoned stack by an exception, but emulated code has no unwind tables. FiberPool restarts an abandoned fiber
// without unwinding its stack. This is correct because emulated code owns no resource except its stack.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_FIBER_FIBER_H
#define HOCKET_EMULATOR_FIBER_FIBER_H

#include "emulator/fiber/FiberSanitizer.h"

#include <deque>

namespace hocket::emulator {

struct Fiber {
  /// Prefetches the stack of a fiber that will soon resume, because the stacks of all lanes of a warp do not fit into
  /// the L1 cache. `context` is the stack pointer at which the fiber was suspended. The data that the fiber needs first
  /// are directly above this address.
  void prefetch() const {
    constexpr size_t kLines = 16, kLineBytes = 64;
    for (size_t line = 0; line < kLines; ++line)
      __builtin_prefetch(static_cast<const std::byte *>(context) + line * kLineBytes);
  }

  void *context = nullptr; ///< context of the suspended fiber; null while it runs
  const Stack *stack = nullptr;
  size_t shift = 0; ///< unused bytes at the top of the stack
  [[no_unique_address]] FiberSanitizer sanitizer;
};

/// The fibers of one host thread. One of the fibers, `main()`, runs on the thread's own stack.
class FiberPool {
public:
  /// Fibers start in `body(argument)`, which never returns.
  FiberPool(size_t stackBytes, void (*body)(void *), void *argument);
  ~FiberPool();

  Fiber &main() { return mainFiber; }
  Fiber &current() { return *running; }
  /// Returns an idle fiber or, if there is none, a new fiber at the start of its body. Throws std::bad_alloc if no
  /// memory is left for a stack.
  Fiber &acquire();
  /// Returns a fiber to the pool. The body of the fiber resumes at the next switch to the fiber.
  void release(Fiber &fiber) { idle.push_back(&fiber); }
  /// Resets all fibers to the start of their bodies, in whatever state they are, and makes them idle. Must be called on
  /// the fiber `main()`.
  void restartAll();
  /// Suspends the current fiber and resumes `next`. Returns when a fiber switches back to the current fiber.
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
