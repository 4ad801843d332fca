//===- InlineVector.h - A vector that stores up to N values inline ------------------===//
#ifndef HOCKET_DISPATCH_INLINEVECTOR_H
#define HOCKET_DISPATCH_INLINEVECTOR_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

namespace hocket::dispatch {

/// A vector of trivially copyable values. Up to N values are stored inside the object; a vector that grows beyond N
/// values moves to the heap.
template <typename T, size_t N>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  InlineVector() = default;
  InlineVector(const InlineVector &other) { *this = other; }
  InlineVector &operator=(const InlineVector &other) {
    clear();
    for (const T &value : other)
      push_back(value);
    return *this;
  }

  void push_back(const T &value) {
    if (count == capacity) [[unlikely]]
      grow(T(value)); // `value` is copied, because it can be an element of this vector, whose memory grow() frees
    else
      new (begin() + count++) T(value);
  }
  /// Replaces the contents with `size` copies of `value`.
  void assign(size_t size, const T &value) {
    clear();
    for (size_t i = 0; i < size; ++i)
      push_back(value);
  }
  void clear() { count = 0; }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *begin() { return heap ? reinterpret_cast<T *>(heap.get()) : reinterpret_cast<T *>(inlined); }
  const T *begin() const { return const_cast<InlineVector *>(this)->begin(); }
  T *end() { return begin() + count; }
  const T *end() const { return begin() + count; }
  T &operator[](size_t i) { return begin()[i]; }
  const T &operator[](size_t i) const { return begin()[i]; }
  T &back() { return begin()[count - 1]; }
  const T &back() const { return begin()[count - 1]; }

private:
  void grow(T value) {
    std::unique_ptr<std::byte[]> larger(new std::byte[2 * capacity * sizeof(T)]);
    std::memcpy(larger.get(), begin(), count * sizeof(T));
    heap = std::move(larger);
    capacity *= 2;
    new (begin() + count++) T(value);
  }

  size_t count = 0, capacity = N;
  std::unique_ptr<std::byte[]> heap;
  alignas(T) std::byte inlined[N * sizeof(T)];
};

} // namespace hocket::dispatch

#endif
