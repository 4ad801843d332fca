//===- ImplicitMemory.cpp - Memory of a launch that the caller does not pass -----------------===//
#include "emulator/run/ImplicitMemory.h"

#include "llvm/Support/MathExtras.h"

namespace hocket::emulator {

ImplicitMemory::ImplicitMemory(llvm::ArrayRef<ImplicitArgument> arguments, Grid grid, void *profile) {
  // The uninitialized memory of a GPU contains old data. The bytes 0xCD represent floats that are not 0, so that a
  // kernel that reads uninitialized memory computes wrong results.
  Chunk leftover;
  std::fill(std::begin(leftover.bytes), std::end(leftover.bytes), std::byte{0xCD});
  for (const ImplicitArgument &argument : arguments) {
    auto bytes = size_t(argument.bytes({grid[0], grid[1], grid[2]}));
    void *given = argument.kind == ImplicitKind::Profile ? profile : nullptr;
    size_t chunks = given ? 0 : llvm::divideCeil(bytes, sizeof(Chunk));
    memories.push_back({bytes, std::vector<Chunk>(chunks, leftover), given});
  }
}

void ImplicitMemory::appendTo(llvm::SmallVectorImpl<Argument> &arguments) {
  for (Memory &memory : memories)
    arguments.push_back(ArrayArgument{.name = kScratchName,
                                      .data = memory.given ? memory.given : memory.chunks.data(),
                                      .bytes = memory.bytes,
                                      .dtype = "uint8"});
}

} // namespace hocket::emulator
