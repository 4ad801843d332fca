//===- Sites.h - The emulator's table of sites ------------------------------------------------===//
#ifndef HOCKET_EMULATOR_HOST_SITES_H
#define HOCKET_EMULATOR_HOST_SITES_H

#include "emulator/host/Program.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket::emulator {

/// Reads the table of sites that lane_to_host recorded on `module`.
std::vector<Site> readSites(mlir::ModuleOp module);

} // namespace hocket::emulator

#endif
