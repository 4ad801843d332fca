//===- Fiber.h - Stacks that lanes run on ---------------------------------------------===//
//
// A fiber is a stack and the place where its code stopped. Switching costs a few nanoseconds.
//
// The context-switching primitives of Boost.Context are used directly rather than its fiber class: that class unwinds
// an abandoned stack by throwing an exception through it, and emulated code has no unwind tables. Here an abandoned
// stack is simply started anew (emulated code owns nothing but its stack).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_FIBER_H
#define HOCKET_EMULATOR_FIBER_H

#include <cstddef>
#include <deque>
#include <vector>

namespace hocket::emulator {

/// Memory for one stack with an inaccessible page below it.
class Stack {
public:
  /// Throws std::bad_alloc if the system gives no more.
  explicit Stack(size_t bytes);
  ~Stack();
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  /// How many there are in the process. The system limits mappings (65530 by default), and a stack is two of them.
  static size_t count();

  void *top() const { return static_cast<std::byte *>(memory) + mappedBytes; }
  size_t size() const { return mappedBytes - guardBytes; }

private:
  void *memory;
  size_t mappedBytes, guardBytes;
};

struct Fiber {
  void *context = nullptr; ///< where it stopped; null while it runs
  const Stack *stack = nullptr;
};

/// The fibers of one thread. The thread's own stack is one of them, `main()`.
class FiberPool {
public:
  /// Fibers start in `body(argument)`, which never returns.
  FiberPool(size_t stackBytes, void (*body)(void *), void *argument);

  Fiber &main() { return mainFiber; }
  Fiber &current() { return *running; }
  /// A fiber at the start of its body, or idle since its last `release`.
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
  std::deque<Stack> stacks;
  std::deque<Fiber> fibers;
  std::vector<Fiber *> idle;

  friend struct FiberEntry;
};

} // namespace hocket::emulator

#endif
