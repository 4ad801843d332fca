//===- Stack.cpp - Memory for the stacks of fibers -------------------------------------------===//
#include "emulator/fiber/Stack.h"

#include <bit>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace hocket::emulator {

/// Minimum size of a stack in bytes, enough for the lanes of most kernels. Larger sizes are powers of two.
static constexpr size_t kSmallestStack = 64 * 1024;
/// Maximum number of idle stacks to keep. A lane touches two or three pages of its stack, so 4096 idle stacks take
/// about 40 MiB.
static constexpr size_t kMaxIdle = 4096;
/// Maximum number of stacks with a guard page. Each such stack needs two memory mappings, and Linux by default allows
/// 65530 mappings per process.
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

/// The cache is never destroyed, because a thread may still run a launch when the process exits. The cache is created
/// when the library is loaded, like all data that a ForkMutex protects. If a thread created the cache at its first use
/// and the process forked meanwhile, the child process would deadlock.
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
