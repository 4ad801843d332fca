//===- FormerKernel.h - The kernel that lane_to_host has converted ------------------===//
#ifndef HOCKET_EMULATOR_ABI_FORMERKERNEL_H
#define HOCKET_EMULATOR_ABI_FORMERKERNEL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

/// The signature of the kernel before the conversion. lane_to_host records the signature in the module attribute
/// `hocket.kernel`, and the emulator reads it.
struct FormerKernel {
  mlir::StringAttr name;
  mlir::ArrayAttr parameters;   ///< a dictionary of attributes for each parameter
  bool tracksUndefined = false; ///< true if the host function computes shadows, which track undefined values
};

void setFormerKernel(mlir::ModuleOp module, const FormerKernel &kernel);

/// Returns the signature that setFormerKernel has recorded on `module`.
FormerKernel getFormerKernel(mlir::ModuleOp module);

} // namespace hocket

#endif
