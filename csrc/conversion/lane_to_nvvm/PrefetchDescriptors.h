//===- PrefetchDescriptors.h - Prefetches tensor descriptors at the start of the kernel -------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_PREFETCHDESCRIPTORS_H
#define HOCKET_CONVERSION_LANE_TO_NVVM_PREFETCHDESCRIPTORS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Creates the pass. It does not change kernels without arguments that are tensor descriptors.
std::unique_ptr<mlir::Pass> createPrefetchDescriptorsPass();

} // namespace hocket

#endif
