//===- UnwrittenMemory.h - Host arrays with uninitialized contents -----------------------------===//
//
// hocket.emulator.empty allocates arrays with uninitialized contents. The memory of these arrays has a shadow
// (conversion/lane_to_host/steps/Shadows.h), in which bits are set for bits that have not been written. Kernels that
// are checked for undefined values read and clear the shadow. Writes by the host, or by a kernel that is not checked,
// do not update the shadow. Writes that do not update the shadow are detected because the memory initially contains a
// pattern: 8 bytes that differ from the pattern have been written.
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
  /// Shadow of the byte at `address`, which this memory contains.
  std::byte *shadowAt(uintptr_t address) {
    return reinterpret_cast<std::byte *>(shadow.data()) + (address - reinterpret_cast<uintptr_t>(begin()));
  }

  /// Clears the shadow of bytes that were written without an update of the shadow. Must be called before a launch that
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
