//===- Stack.cpp - Memory for the stacks of fibers -------------------------------------------===//
#include "emulator/fiber/Stack.h"

#include <bit>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace hocket::emulator {

/// Smallest stack, large enough for the lanes of most kernels; larger stacks are powers of two.
static constexpr size_t kSmallestStack = 64 * 1024;
/// Maximum number of idle stacks to keep. A lane touches two or three pages of its stack, so these stacks take about 40
/// MiB.
static constexpr size_t kMaxIdle = 4096;
/// Maximum number of guarded stacks. Each guarded stack needs two mappings, and Linux by default allows 65530 mappings
/// in a process.
static constexpr size_t kMaxGuarded = 16384;

Stack::Stack(size_t bytes, bool guarded) {
  if (guarded)
    guardBytes = size_t(sysconf(_SC_PAGESIZE));
  mappedBytes = bytes + guardBytes;
  memory = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  if (guarded)
    mprotect(memory, guardBytes, PROT_NONE);
}

Stack::~Stack() { munmap(memory, mappedBytes); }

/// The cache is never destroyed, because a thread may still be in a launch at exit. The cache is created when the core
/// is loaded, like all data that a ForkMutex protects: if the process forked while another thread creates it, the child
/// would deadlock.
static StackCache &processCache = *new StackCache;

StackCache &StackCache::instance() { return processCache; }

std::unique_ptr<Stack> StackCache::take(size_t bytes) {
  size_t size = std::max(kSmallestStack, std::bit_ceil(bytes));
  std::lock_guard lock(mutex);
  auto &sameSize = idle[size];
  if (sameSize.empty()) {
    auto stack = std::make_unique<Stack>(size, totalCount < kMaxGuarded);
    ++totalCount;
    return stack;
  }
  std::unique_ptr<Stack> stack = std::move(sameSize.back());
  sameSize.pop_back();
  --idleCount;
  return stack;
}

void StackCache::give(std::vector<std::unique_ptr<Stack>> stacks) {
  std::lock_guard lock(mutex);
  for (std::unique_ptr<Stack> &stack : stacks) {
    if (idleCount >= kMaxIdle) {
      --totalCount;
      continue;
    }
    ++idleCount;
    idle[stack->size()].push_back(std::move(stack));
  }
}

} // namespace hocket::emulator
