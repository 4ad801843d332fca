//===- PlaceDescriptors.h - Memory for the descriptors that kernels make -----------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_PLACEDESCRIPTORS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_PLACEDESCRIPTORS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Leaves kernels alone that make no descriptors of tensors.
std::unique_ptr<mlir::Pass> createPlaceDescriptorsPass();

} // namespace hocket

#endif
