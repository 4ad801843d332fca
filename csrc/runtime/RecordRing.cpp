//===- RecordRing.cpp - Circular allocation of profiler memory ----------------------===//
#include "runtime/RecordRing.h"
#include "runtime/LaunchError.h"

#include <algorithm>
#include <bit>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_set>

namespace hocket {

/// Alignment in bytes of the host memory that receives a launch's records.
static constexpr size_t kAlignment = 256;
static constexpr size_t kHugePageBytes = size_t(2) << 20;
/// Minimum size of a buffer in bytes; `take` rounds smaller sizes up.
static constexpr size_t kFewestBytes = 4096;

/// Requests huge pages for `count` bytes at `memory`. With 4 KB pages, the page faults for 128 MB would take longer
/// than copying 128 MB from a GPU.
static void adviseHugePages(std::byte *memory, size_t count) {
  const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
  if (count < kHugePageBytes)
    return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + count) / page * page;
  (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE); // best effort
}

std::span<std::byte> LaunchBytes::bytes() {
  if (!memory) {
    memory.reset(static_cast<std::byte *>(std::calloc(count + kAlignment, 1)));
    if (!memory)
      throw std::bad_alloc();
    adviseHugePages(memory.get(), count);
  }
  auto address = reinterpret_cast<uintptr_t>(memory.get());
  return {memory.get() + (kAlignment - address % kAlignment) % kAlignment, count};
}

void LaunchBytes::deliver(std::string why) {
  std::lock_guard lock(mutex);
  error = std::move(why);
  isThere = true;
  delivered.notify_all();
}

void LaunchBytes::wait() {
  std::unique_lock lock(mutex);
  delivered.wait(lock, [&] { return isThere; });
  if (!error.empty())
    throw LaunchError(error);
}

RecordRing::RecordRing(Allocate allocate, size_t limitBytes, size_t bytesAtOnce)
    : allocate(std::move(allocate)), limit(limitBytes), atOnce(bytesAtOnce), reader([this] { readAll(); }) {}

RecordRing::~RecordRing() {
  {
    std::lock_guard lock(mutex);
    isClosed = true;
  }
  mustRead.notify_one();
  reader.join();
}

std::shared_ptr<RecordRing> RecordRing::make(Allocate allocate, size_t limitBytes) {
  return {new RecordRing(std::move(allocate), limitBytes), [process = getpid()](RecordRing *ring) {
            if (getpid() == process)
              delete ring;
          }};
}

ReadbackMemory &RecordRing::take(size_t bytes) {
  const size_t size = std::max(std::bit_ceil(bytes), kFewestBytes);
  std::unique_lock lock(mutex);
  for (;;) {
    if (auto best = unused.lower_bound(bytes); best != unused.end()) {
      ReadbackMemory *found = best->second.back();
      best->second.pop_back();
      if (best->second.empty())
        unused.erase(best);
      return *found;
    }
    if (total == 0 || total + size <= limit) {
      const size_t room = limit > total ? limit - total : 0;
      const size_t count = std::clamp<size_t>(std::min(atOnce, room) / size, 1, kMostAtOnce);
      for (std::unique_ptr<ReadbackMemory> &memory : allocate(size, count)) {
        unused[memory->bytes()].push_back(memory.get());
        all.push_back(std::move(memory));
        total += size;
      }
      continue;
    }
    if (!unused.empty()) {
      makeRoom(); // every unused buffer is smaller than `bytes`
    } else {
      startReadingLocked();
      ++waiting;
      isGivenBack.wait(lock);
      --waiting;
    }
  }
}

void RecordRing::makeRoom() {
  std::unordered_set<ReadbackMemory *> freed;
  for (const auto &[size, memories] : unused) {
    total -= size * memories.size();
    freed.insert(memories.begin(), memories.end());
  }
  unused.clear();
  std::erase_if(all, [&](const auto &owned) { return freed.contains(owned.get()); });
}

void RecordRing::giveBack(ReadbackMemory &memory) {
  {
    std::lock_guard lock(mutex);
    unused[memory.bytes()].push_back(&memory);
  }
  isGivenBack.notify_one();
}

void RecordRing::readLater(ReadbackMemory &memory, std::shared_ptr<LaunchBytes> launch) {
  std::lock_guard lock(mutex);
  written.push_back({&memory, std::move(launch)});
  bytesWritten += memory.bytes();
  if (waiting > 0 || bytesWritten >= total / 2)
    startReadingLocked();
}

void RecordRing::startReading() {
  std::lock_guard lock(mutex);
  startReadingLocked();
}

void RecordRing::startReadingLocked() {
  if (isReading || written.empty())
    return;
  isReading = true;
  mustRead.notify_one();
}

void RecordRing::keep(ReadbackMemory &memory) {
  std::lock_guard lock(mutex);
  total -= memory.bytes();
  auto owned = std::ranges::find_if(all, [&](const auto &one) { return one.get() == &memory; });
  (void)owned->release();
  all.erase(owned);
}

void RecordRing::readAll() {
  std::unique_lock lock(mutex);
  for (;;) {
    mustRead.wait(lock, [&] { return isClosed || isReading; });
    if (written.empty()) {
      if (isClosed)
        return;
      isReading = false;
      continue;
    }
    Work work = std::move(written.front());
    written.pop_front();
    bytesWritten -= work.memory->bytes();
    lock.unlock();
    std::string why;
    try {
      work.memory->read(work.launch->bytes());
    } catch (const std::exception &error) {
      why = error.what();
    }
    giveBack(*work.memory);
    work.launch->deliver(std::move(why));
    lock.lock();
  }
}

} // namespace hocket
