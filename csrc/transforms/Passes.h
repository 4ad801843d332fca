//===- Passes.h - Passes on the hk dialect ----------------------------------------===//
#ifndef HOCKET_TRANSFORMS_PASSES_H
#define HOCKET_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hocket {

#define GEN_PASS_DECL
#include "transforms/Passes.h.inc"

/// Registers the passes of this folder with hocket-opt.
void registerTransformPasses();

} // namespace hocket

#endif
