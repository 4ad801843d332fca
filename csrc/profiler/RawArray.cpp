//===- RawArray.cpp - Uninitialized memory for large arrays ----------------------------===//
#include "profiler/RawArray.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace hocket::profiler {

void *allocateRaw(size_t bytes) {
  constexpr size_t kLargePage = size_t(2) << 20;
  bytes = std::max<size_t>(bytes, 1);
  bool isLarge = bytes >= 2 * kLargePage;
  if (isLarge)
    bytes = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void *memory = isLarge ? std::aligned_alloc(kLargePage, bytes) : std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  if (isLarge)
    madvise(memory, bytes, MADV_HUGEPAGE); // if madvise fails, the memory has small pages
  return memory;
}

} // namespace hocket::profiler
