//===- MatrixTimes.h - Times of MFMAs ---------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_AMD_MATRIXTIMES_H
#define HOCKET_DIALECT_HK_AMD_MATRIXTIMES_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace hocket::hk_amd {

/// Attaches the interface MatrixTime to the MMA operations of the dialect.
void attachMatrixTimes(mlir::MLIRContext &context);

} // namespace hocket::hk_amd

#endif
