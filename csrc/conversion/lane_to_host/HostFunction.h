//===- HostFunction.h - Host function to which a kernel is converted -----------------===//
//
// A HostFunction contains the function that is being converted, and the state that conversions of several operations
// share. State of a single conversion, such as deferred operations, is in the file of the conversion.
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
  /// Changes the signature of `kernel` to that of a host function. `module` must have the attributes that
  /// hk::requireFacts checks.
  HostFunction(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp kernel)
      : HostBuilder(module, kernel), block(module, kernel), parameters(*this),
        sites(module.getContext(), block.hasBlockFences), guards(*this), shared(*this), stack(*this) {}

  const BlockFacts block;
  KernelParameters parameters;
  SiteTable sites;
  Guards guards;
  SharedAddresses shared;
  LaneStack stack;

  /// Sets the attributes of the module that contain the table of sites and the kernel's original signature.
  /// `tracksUndefined` is true if the code tracks undefined values.
  void finish(bool tracksUndefined);
};

} // namespace hocket

#endif
