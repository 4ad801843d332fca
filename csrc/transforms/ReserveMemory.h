//===- ReserveMemory.h - Reserves memory of the block ------------------------------===//
//
//   0                  allocated bytes before        after
//   +------------------------------+-----------------+
//   | earlier reservations         | [part] [ part ] |
//   +------------------------------+-----------------+
//                                  ^ offset of the reservation
//
// Several passes need memory of the block: AllocateMemory for buffers and scratch, later passes for their own data.
// Each pass reserves a range after all earlier ranges. Each memory space (MemorySpaces.h) has its own total, recorded
// on the module (hk.shared_bytes for shared memory).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_RESERVEMEMORY_H
#define HOCKET_TRANSFORMS_RESERVEMEMORY_H

#include "dialect/hk/facts/MemorySpaces.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace hocket {

inline constexpr char kSmallerTiles[] =
    "use smaller tiles or fewer buffers; buffers that are never in use together share memory";

/// Texts for messages of the emulator about an mbarrier, such as "line 16" or "line 10 of worker `load`": the
/// operations that arrive at the mbarrier, and the operations that start copies that complete on the mbarrier.
struct MbarrierSources {
  std::vector<std::string> arrivals, copies;
};

/// A part of a reservation. Parts that are never live at the same time may overlap.
struct ReservedPart {
  mlir::Location loc;
  std::string name;   ///< name in the list of buffers: "`a_smem`", "scratch of reduce in line 7"
  std::string what;   ///< name in errors that also contain the location: "a buffer"
  int64_t offset = 0; ///< offset of the part in bytes from the start of the reservation
  int64_t bytes = 0;
  std::string hint = kSmallerTiles;                       ///< hint of the error that the part is too large
  std::optional<MbarrierSources> mbarrier = std::nullopt; ///< set only for a buffer of mbarriers
};

/// Reserves memory of `space` for `parts` after all earlier reservations. Returns the offset of the reservation, and
/// extends the attributes of `module` that record reservations (AllocationAttrs). The offset is a multiple of
/// `alignment`, a power of two, and of the minimum alignment of the space. If a block of the target has less memory,
/// changes nothing and emits an error at the largest part. The error about memory is marked as an error of a kernel
/// that is too large. `module` must have a target and a number of warps (hk::requireFacts).
mlir::FailureOr<int64_t> reserveMemory(mlir::ModuleOp module, hk::MemorySpace space, llvm::ArrayRef<ReservedPart> parts,
                                       int64_t alignment = 1);

/// True if reserveMemory has marked `error` as an error of a kernel that is too large.
bool saysTooLarge(mlir::Diagnostic &error);

} // namespace hocket

#endif
