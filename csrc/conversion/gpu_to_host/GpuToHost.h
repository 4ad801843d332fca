//===- GpuToHost.h - One lane of a kernel as a function of the host ----------------===//
//
// Input:    a module in lane form: LLVM dialect with nvvm or rocdl operations, and `lane` operations.
// Output:   LLVM dialect only: the function `hocket_emulated_kernel` (HostAbi.h), calls of the emulator's runtime for
//           everything that involves other lanes, checks on every access, and the module's table of sites.
// Position: last, instead of the lowering to a GPU; the result is exported to LLVM IR for the host.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_GPUTOHOST_H
#define HOCKET_CONVERSION_GPU_TO_HOST_GPUTOHOST_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

struct HostCodeOptions {
  bool timing = false;    ///< keep a virtual clock (TimedEvents.h)
  bool undefined = false; ///< find uses of undefined values (TrackUndefined.cpp)
  bool unwritten = false; ///< those among them that arrays hold which nothing has written, too
  bool optimized = true;  ///< take two to three times as long, to make faster code
};

/// Rewrites `module` in place. Reports an operation that the emulator does not know by name, at its location.
mlir::LogicalResult convertGpuToHost(mlir::ModuleOp module, HostCodeOptions options = {});

std::unique_ptr<mlir::Pass> createConvertGpuToHostPass();
void registerConvertGpuToHostPass();

} // namespace hocket

#endif
