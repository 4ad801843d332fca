//===- MatrixRows.h - Converts batches of MFMA and mma.sync to one rendezvous each --------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_MATRIX_MATRIXROWS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_MATRIX_MATRIXROWS_H

#include "conversion/lane_to_host/HostFunction.h"

namespace hocket {

/// True if `op` is a matrix instruction: operands 0 and 1 are a lane's parts of A and B, operand 2 and the result those
/// of C.
bool isMatrixProduct(mlir::Operation *op);

/// Replaces `product.op` by its part in a rendezvous of the wave: at once, or together with later MMAs.
void computeInRow(HostFunction &host, HostFunction::PendingProduct product);

} // namespace hocket

#endif
