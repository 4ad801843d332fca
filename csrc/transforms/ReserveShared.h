//===- ReserveShared.h - Asking for a place in shared memory -----------------------===//
//
//   0                  hk.shared_bytes before        after
//   +------------------------------+-----------------+
//   | what others have asked for   | [part] [ part ] |
//   +------------------------------+-----------------+
//                                  ^ the place that is given
//
// Several passes need shared memory: AllocateShared for buffers and scratch, whoever comes later for its own. Each asks
// here, gets the place of what it asked for, and does not move what others have.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_RESERVESHARED_H
#define HOCKET_TRANSFORMS_RESERVESHARED_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace hocket {

/// Widest access of one lane, in bytes: 128 bits on all targets.
inline constexpr int64_t kSharedAlignment = 16;

inline constexpr char kSmallerTiles[] =
    "use smaller tiles or fewer slots; buffers that are never in use together share memory";

/// Who brings what the phases of an mbarrier wait for, as the emulator puts it: "line 16", "line 10 of worker `load`".
struct MbarrierSources {
  std::vector<std::string> arrivals, copies;
};

/// A piece of a request. Pieces that are never in use together may overlap.
struct SharedPart {
  mlir::Location loc;
  std::string name;   ///< as the emulator puts it, and hk.buffers: "`a_smem`", "scratch of reduce in line 7"
  std::string what;   ///< as errors put it, before its place in the source: "a buffer"
  int64_t offset = 0; ///< in the request
  int64_t bytes = 0;
  std::string hint = kSmallerTiles;                       ///< what to do where it is too large
  std::optional<MbarrierSources> mbarrier = std::nullopt; ///< of a buffer of mbarriers
};

/// Gives `parts` a place after everything that was reserved before: returns the offset at which the request begins, and
/// extends hk.shared_bytes and hk.buffers of `module`. The address there is a multiple of `alignment`, a power of two.
/// Fails with an error at the largest
/// part, and changes nothing, where a block of the target has less memory. `module` has its facts (hk::requireFacts).
mlir::FailureOr<int64_t> reserveShared(mlir::ModuleOp module, llvm::ArrayRef<SharedPart> parts,
                                       int64_t alignment = kSharedAlignment);

} // namespace hocket

#endif
