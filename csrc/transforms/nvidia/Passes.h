//===- Passes.h - Passes of NVIDIA's GPUs that stay inside a dialect -----------------------===//
#ifndef HOCKET_TRANSFORMS_NVIDIA_PASSES_H
#define HOCKET_TRANSFORMS_NVIDIA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "transforms/nvidia/Passes.h.inc"

/// Registers these passes with hocket-opt.
void registerNvidiaTransformPasses();

} // namespace hocket

#endif
