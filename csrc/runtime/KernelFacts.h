//===- KernelFacts.h - Facts about a compiled kernel -------------------------------===//
//
//   passes --module attributes--> pipeline/ReadFacts --KernelFacts--> bindings --> kernel.metadata
//                                                          |  ^
//                                                          v  |
//                                                       disk cache
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_RUNTIME_KERNELFACTS_H
#define HOCKET_RUNTIME_KERNELFACTS_H

#include "support/CompileError.h"
#include "support/MessageBuffer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hocket {

using GridSize = std::array<int64_t, 3>;

/// Kind of an argument that the runtime adds to the caller's arguments. The argument is always an address.
enum class ImplicitKind : uint8_t {
  Scratch,  ///< scratch memory of one launch, initially undefined
  Messages, ///< messages that the host reads when the launch has ended: support/MessageBuffer.h
  Profile,  ///< records of the profiler, read when the launch has ended: docs/profiling_format.md
};

struct ImplicitArgument {
  ImplicitKind kind = ImplicitKind::Scratch;
  int64_t bytesPerLaunch = 0;
  int64_t bytesPerBlock = 0;

  int64_t bytes(const GridSize &grid) const { return bytesPerLaunch + bytesPerBlock * grid[0] * grid[1] * grid[2]; }
  bool operator==(const ImplicitArgument &) const = default;
};

/// Returns the name of `kind`, such as "scratch".
std::string_view nameOf(ImplicitKind kind);
std::optional<ImplicitKind> findImplicitKind(std::string_view name);

/// A line of the user's source. `line` is 0 if the line is unknown.
struct SyncPlace {
  std::string file;
  int line = 0;
};

/// A wait, fence or barrier, and the two operations that it orders.
struct SyncSite {
  std::string what;
  SyncPlace at;
  bool isWritten = false; ///< true if the wait, fence or barrier is explicit in the user's program
  std::string earlier, later;
  SyncPlace earlierAt, laterAt;
  std::string why;
};

struct KernelFacts {
#define FACT(type, member, pythonName, attribute, description) type member{}; ///< KernelFacts.def lists the members
#include "runtime/KernelFacts.def"

  int threads() const { return (numWarps + workerWarps) * warpSize; }
  /// Returns the size in bytes of the records that the profiler gets from a launch with this grid.
  int64_t recordBytesOf(const GridSize &grid) const {
    int64_t blocks = grid[0] * grid[1] * grid[2];
    return recordBytes * (recordedBlocks ? std::min(blocks, int64_t(recordedBlocks)) : blocks);
  }
};

/// Serializes facts for the disk cache.
std::string toBytes(KernelFacts facts);
/// Returns nullopt unless `bytes` were written by `toBytes` in a build of Hocket with the same list of facts.
std::optional<KernelFacts> factsFromBytes(std::string_view bytes);

} // namespace hocket

#endif
