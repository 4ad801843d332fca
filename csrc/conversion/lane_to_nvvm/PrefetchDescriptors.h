//===- PrefetchDescriptors.h - Descriptors of tensors are in a cache when TMA needs them ------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_NVVM_PREFETCHDESCRIPTORS_H
#define HOCKET_CONVERSION_LANE_TO_NVVM_PREFETCHDESCRIPTORS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Leaves kernels alone that get no descriptors of tensors.
std::unique_ptr<mlir::Pass> createPrefetchDescriptorsPass();

} // namespace hocket

#endif
