//===- KernelParameters.h - The parameters of a kernel, and the pointers computed from them ---===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_PARTS_KERNELPARAMETERS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_PARTS_KERNELPARAMETERS_H

#include "conversion/lane_to_host/HostBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace hocket {

class KernelParameters {
public:
  /// Changes the kernel's signature to that of a host function: loads from the argument slots replace its parameters.
  explicit KernelParameters(HostBuilder &host);

  /// Returns the parameter from which `pointer` is computed, if it is the same on every path.
  std::optional<unsigned> originOf(mlir::Value pointer);
  /// True if the parameter is passed by the runtime and not by the caller.
  bool isImplicit(unsigned parameter) const { return implicitParameters.contains(parameter); }

  /// Returns the value of host_abi::kKernelAttr, which describes the original kernel.
  llvm::ArrayRef<mlir::NamedAttribute> formerKernel() const { return former; }

private:
  llvm::DenseMap<mlir::Value, unsigned> parameterOf; ///< maps a loaded argument to its number
  llvm::DenseSet<unsigned> implicitParameters;
  llvm::DenseMap<mlir::Value, std::optional<unsigned>> origins;
  llvm::SmallVector<mlir::NamedAttribute> former;
};

} // namespace hocket

#endif
