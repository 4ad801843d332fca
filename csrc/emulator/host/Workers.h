//===- Workers.h - Which warps of a block run which worker of warp_specialize -----------------------===//
#ifndef HOCKET_EMULATOR_HOST_WORKERS_H
#define HOCKET_EMULATOR_HOST_WORKERS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::emulator {

struct Worker {
  std::string name; ///< of the user's function
  uint32_t firstWarp, numWarps;
};

/// Of a module in lane form. Workers that are started at different places may have the same warps.
std::vector<Worker> readWorkers(mlir::ModuleOp module);

/// "`load`", or "`load` or `store`" where that depends on what was started; empty for a warp of the launch.
std::string workerOf(const std::vector<Worker> &workers, uint32_t warp);

} // namespace hocket::emulator

#endif
