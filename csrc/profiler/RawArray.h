//===- RawArray.h - Uninitialized memory for large arrays ------------------------------===//
#ifndef HOCKET_PROFILER_RAWARRAY_H
#define HOCKET_PROFILER_RAWARRAY_H

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace hocket::profiler {

/// Allocates uninitialized memory. Large arrays get huge pages if the system supports them, because page faults of
/// small pages take several times as long as writing the data. The caller must free the memory with std::free. Throws
/// std::bad_alloc.
void *allocateRaw(size_t bytes);

template <typename T>
class RawArray {
public:
  RawArray() = default;
  explicit RawArray(size_t count) : begin(static_cast<T *>(allocateRaw(count * sizeof(T)))) {}

  T *get() const { return begin.get(); }
  const T &operator[](size_t i) const { return begin.get()[i]; }

private:
  struct Free {
    void operator()(T *memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> begin;
};

} // namespace hocket::profiler

#endif
