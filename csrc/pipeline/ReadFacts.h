//===- ReadFacts.h - What passes found out about a kernel --------------------------===//
#ifndef HOCKET_PIPELINE_READFACTS_H
#define HOCKET_PIPELINE_READFACTS_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/KernelFacts.h"

namespace hocket {

/// The facts of the kernel in `module`, which is in lane form; without those that only its compilation knows
/// (parameters, warnings).
KernelFacts readFacts(mlir::ModuleOp module);

} // namespace hocket

#endif
