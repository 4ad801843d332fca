//===- ForkMutex.h - A mutex of the process that a forked child can lock ------------===//
//
// A child has the forking thread alone. A mutex that another thread held when it was forked stays locked there for
// ever. So a fork, whoever asks for it, waits for these mutexes, and holds them meanwhile: what they protect is whole
// in the child, and they are free. They are held for short times only, one at a time. They are never destroyed, and
// made when the library is loaded: what a function makes at its first call is locked while it does.
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
  ForkMutex *next; ///< made before it
};

} // namespace hocket

#endif
