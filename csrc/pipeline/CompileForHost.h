//===- CompileForHost.h - Compiles a module in lane form for the emulator ---------------===//
#ifndef HOCKET_PIPELINE_COMPILEFORHOST_H
#define HOCKET_PIPELINE_COMPILEFORHOST_H

#include "conversion/lane_to_host/LaneToHost.h"
#include "emulator/Emulator.h"

namespace hocket {

/// Compiles `module`, which is in lane form, to host code for the emulator. The compilation modifies `module`. If
/// `optimized` is false, the compilation takes at most half the time, and the host code is slower. An error is a bug in
/// Hocket, because the emulator must support every kernel that the compiler accepts.
llvm::Expected<std::unique_ptr<EmulatedKernel>> compileForHost(mlir::ModuleOp module, HostCodeOptions options = {},
                                                               bool optimized = true);

} // namespace hocket

#endif
