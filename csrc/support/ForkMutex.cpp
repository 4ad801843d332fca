//===- ForkMutex.cpp - Mutexes that stay usable in forked children ------------------===//
#include "support/ForkMutex.h"

#include <atomic>
#include <pthread.h>

namespace hocket {

static std::atomic<ForkMutex *> newest = nullptr;
/// Head of the list of all mutexes that lockAll has locked for a fork and that unlockAll must unlock.
static ForkMutex *newestHeld = nullptr;

void ForkMutex::lockAll() {
  newestHeld = newest;
  for (ForkMutex *each = newestHeld; each; each = each->next)
    each->mutex.lock();
}

void ForkMutex::unlockAll() {
  for (ForkMutex *each = newestHeld; each; each = each->next)
    each->mutex.unlock();
}

ForkMutex::ForkMutex() : next(newest) {
  static const int registered = pthread_atfork(&lockAll, &unlockAll, &unlockAll);
  (void)registered;
  while (!newest.compare_exchange_weak(next, this))
    ;
}

} // namespace hocket
