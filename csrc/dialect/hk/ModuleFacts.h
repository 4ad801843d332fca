//===- ModuleFacts.h - What a kernel is compiled for -------------------------------===//
//
//   module attributes {hk.target = "gfx950", hk.num_warps = 8 : i32}
//   module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.num_ctas = 2 : i32}
//
// The only readers of these. Who asks may rely on an answer: the verifier demands them of a module with a kernel (C7
// of the dialect), and a pass over functions that are not marked as kernels begins with requireFacts.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_MODULEFACTS_H
#define HOCKET_DIALECT_HK_MODULEFACTS_H

#include "dialect/hk/HkDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "target/TargetInfo.h"

namespace hocket::hk {

/// Iterations in flight (hk.num_stages), or in one (hk.unroll), at most: more would only make the compiler slow.
constexpr int64_t kMaxIterations = 256;

/// Fails with an error at `module` where it does not say its target and its number of warps.
mlir::LogicalResult requireFacts(mlir::ModuleOp module);

/// Fails with an error at the first operation of `module` that makes a tensor whose layout is not decided. One look at
/// the type of every value; the types of a module are few, and each is asked once.
mlir::LogicalResult requireDecidedLayouts(mlir::ModuleOp module);

/// Both: what a pass that asks for the linear maps of tensors begins with.
mlir::LogicalResult requireFactsAndLayouts(mlir::ModuleOp module);

/// The target of the module that `op` is, or is in.
const TargetInfo &targetOf(mlir::Operation *op);

/// How many warps run `op` together: as the innermost WarpPartition, or function with hk.partition, around it says,
/// else the module. Of a module: what the launch asked for.
int numWarpsAt(mlir::Operation *op);

/// How many blocks a cluster has.
int numCtasOf(mlir::Operation *op);

/// How many warps a block of `module` has, those of workers among them.
int blockWarpsOf(mlir::ModuleOp module);

/// The warps that run the function that `op` is, or is in; null if all of the block do.
PartitionAttr partitionOf(mlir::Operation *op);

} // namespace hocket::hk

#endif
