//===- HostFunction.cpp - The host function that a kernel is converted to ------------===//
#include "conversion/lane_to_host/HostFunction.h"

using namespace mlir;

namespace hocket {

void HostFunction::finish(bool tracksUndefined) {
  module()->setAttr(host_abi::kSitesAttr, sites.encode());
  SmallVector<NamedAttribute> kernel(parameters.formerKernel());
  if (tracksUndefined)
    kernel.push_back(builder.getNamedAttr("tracks_undefined", builder.getUnitAttr()));
  module()->setAttr(host_abi::kKernelAttr, builder.getDictionaryAttr(kernel));
}

} // namespace hocket
