//===- Steps.cpp - Compilation steps and cancellation -------------------------------===//
#include "support/Steps.h"

#include <chrono>
#include <mutex>
#include <thread>

namespace hocket {

static thread_local const std::atomic<bool> *current = nullptr;

EndsWhen::EndsWhen(const std::atomic<bool> &abandoned) : before(current) { current = &abandoned; }
EndsWhen::~EndsWhen() { current = before; }

bool isAbandoned() { return current && current->load(std::memory_order_relaxed); }

namespace {
struct Hold {
  std::atomic<bool> isSet = false;
  std::mutex mutex;
  std::string step;
  std::atomic<bool> isReached = false;
};
} // namespace

static Hold &hold() {
  static auto *hold = new Hold; // never destroyed: an abandoned compilation can still use it at process exit
  return *hold;
}

static bool isHeldAt(std::string_view step) {
  std::lock_guard lock(hold().mutex);
  return step == hold().step;
}

static void stayWhileHeldAt(std::string_view step) {
  if (!isHeldAt(step) || hold().isReached.exchange(true))
    return;
  while (isHeldAt(step))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void beginStep(std::string_view name) {
  if (hold().isSet.load(std::memory_order_relaxed)) [[unlikely]]
    stayWhileHeldAt(name);
  if (isAbandoned())
    throw Abandoned();
}

void holdAt(std::string step) {
  std::lock_guard lock(hold().mutex);
  hold().isReached = false;
  hold().isSet = !step.empty();
  hold().step = std::move(step);
}

bool isHeld() { return hold().isReached; }

} // namespace hocket
