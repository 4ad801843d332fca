//===- CompileForHost.h - Compiles a module in lane form for the emulator ---------------===//
#ifndef HOCKET_PIPELINE_COMPILEFORHOST_H
#define HOCKET_PIPELINE_COMPILEFORHOST_H

#include "conversion/lane_to_host/LaneToHost.h"
#include "emulator/Emulator.h"

namespace hocket {

/// Compiles `module`, in lane form, and modifies it in the process. Code that is not `optimized` compiles in half the
/// time or less, and runs slower. An error is a bug in Hocket: the emulator does not support a kernel that the compiler
/// has accepted.
llvm::Expected<std::unique_ptr<EmulatedKernel>> compileForHost(mlir::ModuleOp module, HostCodeOptions options = {},
                                                               bool optimized = true);

} // namespace hocket

#endif
