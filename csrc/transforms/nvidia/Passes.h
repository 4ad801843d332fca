//===- Passes.h - Passes for NVIDIA GPUs that do not change the level of the IR ------------===//
#ifndef HOCKET_TRANSFORMS_NVIDIA_PASSES_H
#define HOCKET_TRANSFORMS_NVIDIA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "transforms/nvidia/Passes.h.inc"

/// Registers the passes of this folder with hocket-opt.
void registerNvidiaTransformPasses();

} // namespace hocket

#endif
