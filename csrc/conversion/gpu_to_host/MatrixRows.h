//===- MatrixRows.h - Matrix products that a wave computes in one meeting -----------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_MATRIXROWS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_MATRIXROWS_H

#include "conversion/gpu_to_host/HostFunction.h"

namespace hocket {

/// Whether `op` is a matrix instruction: operands 0 and 1 are what a lane has of A and B, 2 and the result of C.
bool isMatrixProduct(mlir::Operation *op);

/// Replaces `product.op` by its part in a meeting of the wave: at once, or with a product that follows.
void computeInRow(HostFunction &host, HostFunction::PendingProduct product);

} // namespace hocket

#endif
