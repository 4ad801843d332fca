//===- StackRoom.cpp - Check for remaining stack space -----------------------------===//
#include "support/StackRoom.h"

#include <cstddef>
#include <cstdint>
#include <pthread.h>

namespace hocket {

/// Returns the lowest stack address at which at least half of this thread's stack is free. The stack grows downwards.
/// Returns 0 if the bounds of the stack are not known.
static uintptr_t lowestGoodAddress() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  void *lowest = nullptr;
  size_t bytes = 0;
  bool isKnown = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return isKnown ? reinterpret_cast<uintptr_t>(lowest) + bytes / 2 : 0;
}

bool isStackNearlyFull() {
  thread_local const uintptr_t lowest = lowestGoodAddress();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < lowest;
}

} // namespace hocket
