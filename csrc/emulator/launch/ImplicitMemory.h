//===- ImplicitMemory.h - Memory of one launch that no caller passes -----------------------===//
#ifndef HOCKET_EMULATOR_IMPLICITMEMORY_H
#define HOCKET_EMULATOR_IMPLICITMEMORY_H

#include "emulator/Emulator.h"
#include "runtime/KernelFacts.h"

namespace hocket::emulator {

/// How messages call it.
inline constexpr const char *kScratchName = "scratch memory";

/// The implicit arguments of one launch.
class ImplicitMemory {
public:
  /// `profile`: the memory of the argument of that kind, if it is not null.
  ImplicitMemory(llvm::ArrayRef<ImplicitArgument> arguments, Grid grid, void *profile);
  /// The memory lives as long as this object.
  void appendTo(llvm::SmallVectorImpl<Argument> &arguments);

private:
  /// As CUDA and HIP align what they allocate.
  struct alignas(256) Chunk {
    std::byte bytes[256];
  };
  struct Memory {
    size_t bytes;
    std::vector<Chunk> chunks;
    void *given = nullptr; ///< instead of them
  };
  std::vector<Memory> memories;
};

} // namespace hocket::emulator

#endif
