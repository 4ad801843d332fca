//===- AppendTable.h - Append-only table that is read without locks ----------------===//
//
// Entries never move: the table grows by chunks, and chunk n has twice the size of chunk n - 1. A thread may read an
// entry if it obtained the entry's number through a synchronizing operation, such as an atomic load.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_APPENDTABLE_H
#define HOCKET_EMULATOR_RACES_APPENDTABLE_H

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <mutex>

namespace hocket::emulator {

template <typename T>
class AppendTable {
public:
  AppendTable() = default;
  AppendTable(const AppendTable &) = delete;
  AppendTable &operator=(const AppendTable &) = delete;
  ~AppendTable() {
    for (std::atomic<T *> &chunk : chunks)
      delete[] chunk.load();
  }

  size_t append(T entry) {
    std::lock_guard lock(mutex);
    size_t chunk = chunkOf(count);
    if (!chunks[chunk].load(std::memory_order_relaxed))
      chunks[chunk].store(new T[kFirstChunk << chunk]);
    chunks[chunk].load(std::memory_order_relaxed)[count - beginOf(chunk)] = std::move(entry);
    return count++;
  }

  const T &operator[](size_t number) const {
    size_t chunk = chunkOf(number);
    return chunks[chunk].load(std::memory_order_acquire)[number - beginOf(chunk)];
  }

private:
  static constexpr size_t kFirstChunk = 256;
  static size_t chunkOf(size_t number) { return size_t(std::bit_width(number / kFirstChunk + 1)) - 1; }
  static size_t beginOf(size_t chunk) { return kFirstChunk * ((size_t(1) << chunk) - 1); }

  std::mutex mutex;
  size_t count = 0;
  std::array<std::atomic<T *>, 40> chunks = {};
};

} // namespace hocket::emulator

#endif
