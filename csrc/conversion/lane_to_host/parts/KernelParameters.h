//===- KernelParameters.h - The parameters of a kernel, and the pointers computed from them ---===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_KERNELPARAMETERS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_KERNELPARAMETERS_H

#include "conversion/lane_to_host/HostBuilder.h"
#include "emulator_abi/FormerKernel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace hocket {

class KernelParameters {
public:
  /// Changes the kernel's signature to the signature of a host function, and replaces the parameters of the kernel by
  /// loads from the argument slots.
  explicit KernelParameters(HostBuilder &host);

  /// Returns the number of the parameter from which `pointer` is computed; nullopt if no or several parameters are
  /// possible.
  std::optional<unsigned> originOf(mlir::Value pointer);
  /// True if the runtime passes the parameter, not the caller.
  bool isImplicit(unsigned parameter) const { return implicitParameters.contains(parameter); }

  const FormerKernel &formerKernel() const { return former; }

private:
  llvm::DenseMap<mlir::Value, unsigned> parameterOf; ///< maps each loaded argument to the number of its parameter
  llvm::DenseSet<unsigned> implicitParameters;
  llvm::DenseMap<mlir::Value, std::optional<unsigned>> origins;
  FormerKernel former;
};

} // namespace hocket

#endif
