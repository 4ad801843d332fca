//===- MatrixRows.h - Converts batches of MFMA and mma.sync to one rendezvous each --------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_MATRIX_MATRIXROWS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_MATRIX_MATRIXROWS_H

#include "conversion/lane_to_host/OpConversions.h"

namespace hocket {

/// An MMA that waits to be computed with its batch.
struct PendingMma {
  mlir::Operation *op; ///< operands 0 and 1 are a lane's parts of A and B; operand 2 and the result are its part of C
  int64_t operation;   ///< index in matrixOperations()
  host_abi::MatrixStep step;
};

/// Collects MMAs that are computed in one rendezvous of the wave.
class MatrixRows {
public:
  /// Adds `mma` to the batch. Emits the rendezvous of the batch if the next operation cannot be added to the batch.
  void add(HostFunction &host, PendingMma mma);

private:
  bool canGoOn() const;
  void emitRendezvous(HostFunction &host);

  llvm::SmallVector<PendingMma> pending;
};

/// Converts an MFMA instruction of AMD.
Converted convertMfma(HostFunction &host, mlir::Operation *op, MatrixRows &rows);
/// Converts a lane.mma, which is an mma.sync of NVIDIA.
Converted convertMma(HostFunction &host, mlir::Operation *op, MatrixRows &rows);

} // namespace hocket

#endif
