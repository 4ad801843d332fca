//===- Stack.h - Memory for the stacks of fibers ---------------------------------------------===//
//
// Stacks are reused by later launches of any kernel, because mapping a stack takes longer than most lanes run. The size
// of a stack is the frame size of a lane, which the code generator reports, plus a fixed size for runtime calls. A
// stack overflows only if runtime calls need more than this fixed size. The guard page below the stack then stops the
// process.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_FIBER_STACK_H
#define HOCKET_EMULATOR_FIBER_STACK_H

#include "support/ForkMutex.h"

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace hocket::emulator {

class Stack {
public:
  /// Maps a stack of `bytes` bytes; if `guarded`, with an inaccessible guard page below the stack. Throws
  /// std::bad_alloc if the system has no more memory.
  Stack(size_t bytes, bool guarded);
  ~Stack();
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  void *top() const { return static_cast<std::byte *>(memory) + mappedBytes; }
  size_t size() const { return mappedBytes - guardBytes; }

private:
  void *memory;
  size_t mappedBytes, guardBytes = 0;
};

/// The unused stacks of the process.
class StackCache {
public:
  static StackCache &instance();

  /// Returns a stack of at least `bytes` bytes.
  std::unique_ptr<Stack> take(size_t bytes);
  void give(std::vector<std::unique_ptr<Stack>> stacks);

private:
  ForkMutex mutex;
  std::map<size_t, std::vector<std::unique_ptr<Stack>>> idle; ///< by size
  size_t idleCount = 0, totalCount = 0;
};

} // namespace hocket::emulator

#endif
