//===- ReadFacts.h - Reads the facts that passes recorded about a kernel -----------===//
#ifndef HOCKET_PIPELINE_READFACTS_H
#define HOCKET_PIPELINE_READFACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/KernelFacts.h"

namespace hocket {

/// Returns the facts of the kernel in `module`, which is in lane form, except the parameters and the warnings, which
/// are not recorded in the module.
KernelFacts readFacts(mlir::ModuleOp module);

/// Returns the synchronization that the tile pipeline recorded in `module`, and removes the attribute from `module`.
/// The attribute would clutter printed artifacts and slow down the compilation.
std::vector<SyncSite> takeSynchronization(mlir::ModuleOp module);

} // namespace hocket

#endif
