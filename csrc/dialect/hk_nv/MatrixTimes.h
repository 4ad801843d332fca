//===- MatrixTimes.h - Times of wgmma and mma.sync --------------------------------===//
#ifndef HOCKET_DIALECT_HK_NV_MATRIXTIMES_H
#define HOCKET_DIALECT_HK_NV_MATRIXTIMES_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace hocket::hk_nv {

/// Attaches the interface MatrixTime to the MMA operations of the dialect.
void attachMatrixTimes(mlir::MLIRContext &context);

} // namespace hocket::hk_nv

#endif
