//===- FormerKernel.h - The kernel that lane_to_host has converted ------------------===//
#ifndef HOCKET_EMULATOR_ABI_FORMERKERNEL_H
#define HOCKET_EMULATOR_ABI_FORMERKERNEL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// Name and parameters of the kernel before lane_to_host converts the kernel to a host function. lane_to_host stores a
/// FormerKernel in the module attribute `hocket.kernel`, which the emulator reads.
struct FormerKernel {
  mlir::StringAttr name;
  mlir::ArrayAttr parameters; ///< for each parameter, the dictionary of its attributes
  /// True if the host function tracks undefined values by shadows (lane_to_host/steps/Shadows.h).
  bool tracksUndefined = false;
};

void setFormerKernel(mlir::ModuleOp module, const FormerKernel &kernel);

/// Returns the FormerKernel that setFormerKernel has stored in `module`.
FormerKernel getFormerKernel(mlir::ModuleOp module);

} // namespace hocket

#endif
