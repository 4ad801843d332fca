//===- Fiber.cpp - Fibers and the stacks that lanes run on ----------------------------===//
#include "emulator/fiber/Fiber.h"

#include <boost/context/detail/fcontext.hpp>

namespace hocket::emulator {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

FiberPool::FiberPool(size_t stackBytes, void (*body)(void *), void *argument)
    : stackBytes(stackBytes), body(body), argument(argument) {}

FiberPool::~FiberPool() { StackCache::instance().give(std::move(stacks)); }

/// Entry point of a fiber. Every switch passes the source fiber to the destination, which stores the context of the
/// source.
struct FiberEntry {
  struct Switch {
    FiberPool *pool;
    Fiber *from;
  };
  static void run(transfer_t transfer) {
    Switch origin = *static_cast<Switch *>(transfer.data);
    origin.from->context = transfer.fctx;
    origin.pool->running->sanitizer.afterSwitchFrom(origin.from->sanitizer);
    origin.pool->body(origin.pool->argument);
  }
};

/// Returns the distance in bytes from the top of a fiber's stack to its first frame. The distance depends on the
/// fiber's number, because stacks are page-aligned: with equal distances, the most used cache lines of all lanes would
/// map to the same few sets of the L1 cache.
static size_t shiftOf(size_t number) {
  constexpr size_t kLines = 7, kLineBytes = 64, kPageBytes = 4096;
  return number * kLines * kLineBytes % kPageBytes;
}

void FiberPool::start(Fiber &fiber) {
  auto *top = static_cast<std::byte *>(fiber.stack->top()) - fiber.shift;
  fiber.context = make_fcontext(top, fiber.stack->size() - fiber.shift, FiberEntry::run);
  fiber.sanitizer.restart(*fiber.stack);
}

Fiber &FiberPool::acquire() {
  if (idle.empty()) {
    stacks.push_back(StackCache::instance().take(stackBytes));
    Fiber &fiber = fibers.emplace_back();
    fiber.stack = stacks.back().get();
    fiber.shift = shiftOf(fibers.size());
    start(fiber);
    return fiber;
  }
  Fiber *fiber = idle.back();
  idle.pop_back();
  return *fiber;
}

void FiberPool::restartAll() {
  idle.clear();
  for (Fiber &fiber : fibers) {
    start(fiber);
    idle.push_back(&fiber);
  }
}

void FiberPool::switchTo(Fiber &next) {
  Fiber &self = *running;
  FiberEntry::Switch origin = {this, &self};
  running = &next;
  fcontext_t context = next.context;
  next.context = nullptr;
  self.sanitizer.beforeSwitchTo(next.sanitizer);
  transfer_t back = jump_fcontext(context, &origin);
  Fiber &from = *static_cast<FiberEntry::Switch *>(back.data)->from;
  self.sanitizer.afterSwitchFrom(from.sanitizer);
  from.context = back.fctx;
}

} // namespace hocket::emulator
