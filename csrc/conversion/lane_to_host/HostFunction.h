//===- HostFunction.h - The host function that a kernel is converted to --------------===//
//
// Contains the function being converted, and the parts that conversions of operations share. A conversion that defers
// operations keeps them in its own file.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_HOSTFUNCTION_H
#define HOCKET_CONVERSION_LANE_TO_HOST_HOSTFUNCTION_H

#include "conversion/lane_to_host/HostBuilder.h"
#include "conversion/lane_to_host/parts/BlockFacts.h"
#include "conversion/lane_to_host/parts/Guards.h"
#include "conversion/lane_to_host/parts/KernelParameters.h"
#include "conversion/lane_to_host/parts/LaneStack.h"
#include "conversion/lane_to_host/parts/SharedAddresses.h"
#include "conversion/lane_to_host/parts/SiteTable.h"

namespace hocket {

class HostFunction : public HostBuilder {
public:
  /// Changes `kernel` to the host signature. `module` must have its facts (hk::requireFacts).
  HostFunction(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp kernel)
      : HostBuilder(module, kernel), block(module, kernel), parameters(*this),
        sites(module.getContext(), block.hasBlockFences), guards(*this), shared(*this), stack(*this) {}

  const BlockFacts block;
  KernelParameters parameters;
  SiteTable sites;
  Guards guards;
  SharedAddresses shared;
  LaneStack stack;

  /// Sets the table of sites and the kernel's former signature on the module. `tracksUndefined`: the code computes
  /// shadows.
  void finish(bool tracksUndefined);
};

} // namespace hocket

#endif
