//===- Workers.h - Maps warps of a block to workers of warp_specialize ------------------------------===//
#ifndef HOCKET_EMULATOR_HOST_WORKERS_H
#define HOCKET_EMULATOR_HOST_WORKERS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::emulator {

struct Worker {
  std::string name; ///< name of the user's function
  uint32_t firstWarp, numWarps;
};

/// Reads the workers of a module in lane form. Workers of different warp_specialize regions may use the same warps.
std::vector<Worker> readWorkers(mlir::ModuleOp module);

/// Returns "`load`", "`load` or `store`" if several workers use the warp, or nothing for a warp of the default
/// partition.
std::string workerOf(const std::vector<Worker> &workers, uint32_t warp);

} // namespace hocket::emulator

#endif
