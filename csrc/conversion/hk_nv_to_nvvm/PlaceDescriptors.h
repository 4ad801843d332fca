//===- PlaceDescriptors.h - Allocates memory for descriptors that kernels build ----------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_PLACEDESCRIPTORS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_PLACEDESCRIPTORS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Creates the pass. It does not change kernels that build no descriptors of tensors.
std::unique_ptr<mlir::Pass> createPlaceDescriptorsPass();

} // namespace hocket

#endif
