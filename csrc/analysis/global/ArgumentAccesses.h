//===- ArgumentAccesses.h - Finds the arguments through which a kernel accesses global memory --===//
#ifndef HOCKET_ANALYSIS_ARGUMENTACCESSES_H
#define HOCKET_ANALYSIS_ARGUMENTACCESSES_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace hocket {

/// Names of a kernel's arguments, in order: "x", "tensors[1]".
struct ArgumentAccesses {
  std::vector<std::string> read, written;
};

/// Returns the arguments through which the kernel of `module` (hk IR) accesses global memory. Accesses through
/// addresses that were loaded from memory are not attributed to an argument.
ArgumentAccesses argumentAccesses(mlir::ModuleOp module);

} // namespace hocket

#endif
