//===- MatrixRows.h - Matrix products that a wave computes in one meeting -----------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_MATRIXROWS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_MATRIXROWS_H

#include "conversion/gpu_to_host/HostFunction.h"

namespace hocket {

/// Whether `op` is one of AMD's matrix instructions.
bool isMfma(mlir::Operation *op);

/// Replaces `product.op` by its part in a meeting of the wave: at once, or with a product that follows.
void computeInRow(HostFunction &host, HostFunction::PendingProduct product);

} // namespace hocket

#endif
