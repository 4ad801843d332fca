//===- HostFunction.cpp - Host function to which a kernel is converted ---------------===//
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
