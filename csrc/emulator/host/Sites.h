//===- Sites.h - The table of sites as the emulator keeps it ----------------------------------===//
#ifndef HOCKET_EMULATOR_HOST_SITES_H
#define HOCKET_EMULATOR_HOST_SITES_H

#include "emulator/host/Program.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket::emulator {

/// Reads the table that gpu_to_host left on `module`.
std::vector<Site> readSites(mlir::ModuleOp module);

} // namespace hocket::emulator

#endif
