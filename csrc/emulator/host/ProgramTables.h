//===- ProgramTables.h - Reads the tables that the compiler recorded on a module -------------===//
#ifndef HOCKET_EMULATOR_HOST_PROGRAMTABLES_H
#define HOCKET_EMULATOR_HOST_PROGRAMTABLES_H

#include "emulator/host/Program.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket::emulator {

/// Reads the table of sites that lane_to_host recorded on `module`.
std::vector<Site> readSites(mlir::ModuleOp module);

/// Reads the buffers that AllocateMemory recorded on `module`.
std::vector<SharedBuffer> readBuffers(mlir::ModuleOp module);

/// Reads the workers of a module in lane form. Workers of different warp_specialize operations may use the same warps.
std::vector<Worker> readWorkers(mlir::ModuleOp module);

} // namespace hocket::emulator

#endif
