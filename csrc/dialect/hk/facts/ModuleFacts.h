//===- ModuleFacts.h - Target, number of warps and cluster size of a kernel --------===//
//
//   module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32}
//   module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.num_ctas = 2 : i32}
//
// The functions of this file are the only readers of these module attributes. The functions always return a value: the
// verifier requires the attributes in a module with a kernel (C7 of the dialect), and a pass over functions that are
// not marked as kernels begins with requireFacts.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_MODULEFACTS_H
#define HOCKET_DIALECT_HK_FACTS_MODULEFACTS_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "target/TargetInfo.h"

namespace hocket::hk {

/// Maximum number of iterations in flight (hk.num_stages), and maximum unroll factor (hk.unroll). Higher values would
/// only make compilation slower.
constexpr int64_t kMaxIterations = 256;

/// Fails with an error at `module` if `module` has no target or no number of warps.
mlir::LogicalResult requireFacts(mlir::ModuleOp module);

/// Fails with an error at the first operation of `module` that creates a tensor with an undecided layout. Checks the
/// type of every value. A module has few different types, and each type is checked once.
mlir::LogicalResult requireDecidedLayouts(mlir::ModuleOp module);

/// Calls requireFacts and requireDecidedLayouts. Passes that need the linear maps of tensors must call this function
/// first.
mlir::LogicalResult requireFactsAndLayouts(mlir::ModuleOp module);

/// Returns the target of the module that is, or contains, `op`.
const TargetInfo &targetOf(mlir::Operation *op);

/// Returns the number of warps that run `op` together. The innermost surrounding WarpPartition or function with
/// hk.partition determines this number; if no partition surrounds `op`, the module determines the number. For a module,
/// the result is hk.num_warps.
int numWarpsAt(mlir::Operation *op);

/// Returns the number of blocks in a cluster.
int numCtasOf(mlir::Operation *op);

/// Returns the number of warps in a block of `module`, including the warps of workers.
int blockWarpsOf(mlir::ModuleOp module);

/// Returns the partition of the function that is, or contains, `op`; null if all warps of the block run this function.
PartitionAttr partitionOf(mlir::Operation *op);

} // namespace hocket::hk

#endif
