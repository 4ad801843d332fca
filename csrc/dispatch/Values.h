//===- Values.h - Kernel argument values for the driver -----------------------------===//
//
//   argument      narrow    wide                                 pointers()
//   x: address    7f52...                                        &narrow[0]
//   tensor map    0         copy of 128 bytes, 64-byte aligned   address of the copy
//   n: i32        1000                                           &narrow[2]
//
//===-------------------------------------------------------------------------------===//
#ifndef HOCKET_DISPATCH_VALUES_H
#define HOCKET_DISPATCH_VALUES_H

#include "dispatch/InlineVector.h"

#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace hocket::dispatch {

class Values {
public:
  /// Appends an argument of at most 64 bits, which is in the low bytes of `bits`.
  void append(uint64_t bits) { narrow.push_back(bits); }

  /// Appends an argument of more than 64 bits, such as a tensor map of 128 bytes. The kernel receives a copy that is
  /// aligned to kWideAlignment.
  void appendWide(std::string_view bytes) {
    wide.push_back(
        {narrow.size(), bytes.size(), std::make_unique<Chunk[]>((bytes.size() + kWideAlignment - 1) / kWideAlignment)});
    std::memcpy(wide.back().chunks.get(), bytes.data(), bytes.size());
    narrow.push_back(0);
  }

  size_t size() const { return narrow.size(); }
  /// Returns the bits of argument `i`, which must have been appended by `append`.
  uint64_t operator[](size_t i) const { return narrow[i]; }

  struct Wide {
    size_t index; ///< index of the argument among all arguments
    std::string_view bytes;
  };
  std::vector<Wide> wideValues() const {
    std::vector<Wide> found;
    for (const WideValue &value : wide)
      found.push_back({value.index, {reinterpret_cast<const char *>(value.chunks.get()), value.bytes}});
    return found;
  }

  /// Returns the address of each argument's value. The addresses are valid until the next append or until this object
  /// is destroyed.
  std::span<void *const> pointers() {
    places.clear();
    for (uint64_t &value : narrow)
      places.push_back(&value);
    for (WideValue &value : wide)
      places[value.index] = value.chunks.get();
    return {places.begin(), places.size()};
  }

  /// Alignment in bytes of the copies that appendWide makes. Tensor maps need an alignment of 64 bytes, the largest of
  /// all argument types.
  static constexpr size_t kWideAlignment = 64;

private:
  struct alignas(kWideAlignment) Chunk {
    std::byte bytes[kWideAlignment];
  };
  struct WideValue {
    size_t index;
    size_t bytes;
    std::unique_ptr<Chunk[]> chunks;
  };

  InlineVector<uint64_t, 32> narrow;
  InlineVector<void *, 32> places;
  std::vector<WideValue> wide;
};

} // namespace hocket::dispatch

#endif
