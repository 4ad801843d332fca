//===- BlockFacts.h - Properties of the blocks of a launch and of a kernel's fences ----===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_BLOCKFACTS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_BLOCKFACTS_H

#include "emulator_abi/HostAbi.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "target/TargetInfo.h"

namespace hocket {

struct BlockFacts {
  /// Reads the attributes of `module` that hk::requireFacts checks, and the fences of `kernel`.
  BlockFacts(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp kernel);

  const TargetInfo &target;
  int64_t sharedBytes = 0; ///< bytes of shared memory of one block
  int64_t numCtas;         ///< number of blocks of a cluster
  int64_t threads;         ///< number of threads of a block
  /// True if the kernel has fences that order accesses between blocks. In a kernel with fences between blocks, relaxed
  /// atomic accesses can also order accesses.
  bool hasBlockFences = false;
  /// True if the kernel has fences that order accesses between the warps of a block.
  bool hasWarpFences = false;

  int64_t warpSize() const { return target.warpSize; }
  /// Returns the distance in bytes between the shared memories of the blocks of a cluster.
  int64_t sharedStride() const { return int64_t(host_abi::sharedStride(size_t(sharedBytes))); }
  int64_t clusterSharedBytes() const { return numCtas > 1 ? numCtas * sharedStride() : sharedBytes; }
};

/// True if the scope of `fence` is wider than a block.
bool isBetweenBlocks(mlir::LLVM::FenceOp fence);
/// True if the scope of `fence` is wider than a warp. Accesses of the lanes of a warp are always ordered.
bool isBetweenWarps(mlir::LLVM::FenceOp fence);

} // namespace hocket

#endif
