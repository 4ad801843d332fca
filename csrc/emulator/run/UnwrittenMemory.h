//===- UnwrittenMemory.h - Host arrays with uninitialized contents -----------------------------===//
//
// hocket.emulator.empty allocates arrays with uninitialized contents. The memory of these arrays has a shadow
// (conversion/lane_to_host/steps/Shadows.h), in which a set bit marks a bit that has not been written. Kernels that are
// checked for undefined values read and clear the shadow. Writes by the host, or by a kernel that is not checked, do
// not update the shadow. To detect these writes, the memory initially contains a pattern. An 8-byte word that differs
// from the pattern has been written.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RUN_UNWRITTENMEMORY_H
#define HOCKET_EMULATOR_RUN_UNWRITTENMEMORY_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace hocket::emulator {

class UnwrittenMemory {
public:
  static std::shared_ptr<UnwrittenMemory> make(size_t bytes);
  /// Returns the UnwrittenMemory that contains `address`; null if there is none.
  static std::shared_ptr<UnwrittenMemory> find(uintptr_t address);
  ~UnwrittenMemory();
  UnwrittenMemory(const UnwrittenMemory &) = delete;

  std::byte *begin() { return reinterpret_cast<std::byte *>(contents.data()); }
  size_t size() const { return bytes; }
  bool holds(uintptr_t address) { return address - reinterpret_cast<uintptr_t>(begin()) < bytes; }
  /// Returns the shadow of the byte at `address`. Requires that this memory contains the byte.
  std::byte *shadowAt(uintptr_t address) {
    return reinterpret_cast<std::byte *>(shadow.data()) + (address - reinterpret_cast<uintptr_t>(begin()));
  }

  /// Clears the shadow of words that were written without an update of the shadow. Must be called before a launch that
  /// uses the shadow.
  void update();

private:
  struct alignas(256) Chunk {
    uint64_t words[32];
  };

  explicit UnwrittenMemory(size_t bytes);

  const size_t bytes;
  std::vector<Chunk> contents, shadow;
  std::mutex mutex;
};

} // namespace hocket::emulator

#endif
