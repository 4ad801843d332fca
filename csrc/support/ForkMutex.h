//===- ForkMutex.h - Mutexes that stay usable in forked children --------------------===//
//
// A forked child has only the thread that called fork. A plain mutex that another thread held at the fork stays locked
// in the child forever. Handlers of pthread_atfork therefore lock every ForkMutex before a fork and unlock it
// afterwards in parent and child. The data that a ForkMutex protects are thus consistent in the child.
//
// Each ForkMutex is held for a short time only, and no thread holds two of them. A ForkMutex is never destroyed. A
// ForkMutex must be a global that is constructed when the library is loaded, not a function-local static. While the
// constructor of a function-local static runs, the compiler's guard of this static is locked. A fork at that time would
// leave the guard locked in the child.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_SUPPORT_FORKMUTEX_H
#define HOCKET_SUPPORT_FORKMUTEX_H

#include <mutex>

namespace hocket {

class ForkMutex {
public:
  ForkMutex();
  ForkMutex(const ForkMutex &) = delete;
  ForkMutex &operator=(const ForkMutex &) = delete;

  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  static void lockAll();
  static void unlockAll();

  std::mutex mutex;
  ForkMutex *next; ///< the ForkMutex that was constructed before this one
};

} // namespace hocket

#endif
