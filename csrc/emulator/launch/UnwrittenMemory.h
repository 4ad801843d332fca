//===- UnwrittenMemory.h - Arrays of the host that hold nothing yet ----------------------------===//
//
// hocket.emulator.empty makes arrays in such memory. It has a shadow (conversion/gpu_to_host/Shadows.h): bits that
// nothing has written are set. Kernels that are looked through for undefined values read and clear it. What the host
// writes, or a kernel that is not looked through, shows in the contents, which are a pattern at first: 8 bytes that
// have changed where the shadow says that nothing was written have been written.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_LAUNCH_UNWRITTENMEMORY_H
#define HOCKET_EMULATOR_LAUNCH_UNWRITTENMEMORY_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace hocket::emulator {

class UnwrittenMemory {
public:
  static std::shared_ptr<UnwrittenMemory> make(size_t bytes);
  /// The memory that holds `address`, null if it is any other.
  static std::shared_ptr<UnwrittenMemory> find(uintptr_t address);
  ~UnwrittenMemory();
  UnwrittenMemory(const UnwrittenMemory &) = delete;

  std::byte *begin() { return reinterpret_cast<std::byte *>(contents.data()); }
  size_t size() const { return bytes; }
  bool holds(uintptr_t address) { return address - reinterpret_cast<uintptr_t>(begin()) < bytes; }
  /// Of the byte at `address`, which is held.
  std::byte *shadowAt(uintptr_t address) {
    return reinterpret_cast<std::byte *>(shadow.data()) + (address - reinterpret_cast<uintptr_t>(begin()));
  }

  /// Finds what was written since without the shadow. Before a launch that uses it.
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
