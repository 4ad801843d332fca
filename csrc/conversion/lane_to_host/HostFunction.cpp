//===- HostFunction.cpp - The host function that a kernel is converted to ------------===//
#include "conversion/lane_to_host/HostFunction.h"

using namespace mlir;

namespace hocket {

void HostFunction::finish(bool tracksUndefined) {
  module()->setAttr(host_abi::kSitesAttr, sites.encode());
  FormerKernel kernel = parameters.formerKernel();
  kernel.tracksUndefined = tracksUndefined;
  setFormerKernel(module(), kernel);
}

} // namespace hocket
