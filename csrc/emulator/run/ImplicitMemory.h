//===- ImplicitMemory.h - Memory of a launch that the caller does not pass -----------------===//
#ifndef HOCKET_EMULATOR_RUN_IMPLICITMEMORY_H
#define HOCKET_EMULATOR_RUN_IMPLICITMEMORY_H

#include "emulator/Emulator.h"
#include "runtime/KernelFacts.h"

namespace hocket::emulator {

/// Name of scratch memory in messages.
inline constexpr const char *kScratchName = "scratch memory";

/// The implicit arguments of one launch.
class ImplicitMemory {
public:
  /// `profile` is the memory for the profiler's records; if `profile` is null, this object allocates the memory.
  ImplicitMemory(llvm::ArrayRef<ImplicitArgument> arguments, Grid grid, void *profile);
  /// Appends the implicit arguments. The memory of implicit arguments lives as long as this object.
  void appendTo(llvm::SmallVectorImpl<Argument> &arguments);

private:
  /// Unit of allocations, with the alignment of allocations in CUDA and HIP.
  struct alignas(256) Chunk {
    std::byte bytes[256];
  };
  struct Memory {
    size_t bytes;
    std::vector<Chunk> chunks;
    void *given = nullptr; ///< memory of the caller that is used instead of `chunks`, or null
  };
  std::vector<Memory> memories;
};

} // namespace hocket::emulator

#endif
