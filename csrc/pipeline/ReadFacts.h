//===- ReadFacts.h - Reads the properties of a kernel that passes recorded ------------===//
#ifndef HOCKET_PIPELINE_READFACTS_H
#define HOCKET_PIPELINE_READFACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/KernelFacts.h"

namespace hocket {

/// Returns the properties of the kernel in `module`, which is in lane form. The names of the parameters and the
/// warnings are missing, because the module does not contain them.
KernelFacts readFacts(mlir::ModuleOp module);

/// Returns the waits, fences and barriers that the tile pipeline has recorded in an attribute of `module`. Removes the
/// attribute, because it would clutter printed artifacts and slow down the compilation.
std::vector<SyncSite> takeSynchronization(mlir::ModuleOp module);

} // namespace hocket

#endif
