//===- Stack.h - Memory that fibers run on ---------------------------------------------------===//
//
// Stacks are kept for the next launch, of whatever kernel: mapping one costs more than most lanes run. A stack is as
// large as the code generator says a lane's frame is, with room for runtime calls, so it cannot overflow as long as
// those keep within their room; the inaccessible page below it catches them if they do not.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_BLOCK_STACK_H
#define HOCKET_EMULATOR_BLOCK_STACK_H

#include "support/ForkMutex.h"

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace hocket::emulator {

class Stack {
public:
  /// Throws std::bad_alloc if the system gives no more.
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

/// Stacks of the process that no fiber uses.
class StackCache {
public:
  static StackCache &instance();

  /// A stack of at least `bytes`.
  std::unique_ptr<Stack> take(size_t bytes);
  void give(std::vector<std::unique_ptr<Stack>> stacks);

private:
  ForkMutex mutex;
  std::map<size_t, std::vector<std::unique_ptr<Stack>>> idle; ///< by size
  size_t idleCount = 0, totalCount = 0;
};

} // namespace hocket::emulator

#endif
