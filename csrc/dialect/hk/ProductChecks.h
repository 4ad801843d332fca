//===- ProductChecks.h - What the verifiers of matrix products check --------------===//
#ifndef HOCKET_DIALECT_HK_PRODUCTCHECKS_H
#define HOCKET_DIALECT_HK_PRODUCTCHECKS_H

#include "dialect/hk/HkDialect.h"

namespace hocket::hk {

/// One operand of a product: where it is K, and how many elements one of the tensor's is.
struct ProductOperand {
  llvm::StringRef name;
  unsigned opIdx;
  mlir::RankedTensorType type;
  int64_t elementsPerItem = 1;

  int64_t depth() const { return type.getShape()[type.getRank() - (opIdx == 0 ? 1 : 2)] * elementsPerItem; }
  /// Of its layout, which is a dot operand's.
  int64_t kWidth() const { return mlir::cast<DotOperandAttr>(type.getEncoding()).getKWidth(); }
};

/// [.., M, K] x [.., K, N] -> [.., M, N].
mlir::LogicalResult verifyProductShapes(mlir::Operation *op, const ProductOperand &a, const ProductOperand &b,
                                        mlir::RankedTensorType acc, int64_t maxRank);

/// The operands have the dot operand layouts of `layout`, the accumulators'.
mlir::LogicalResult verifyProductOperands(mlir::Operation *op, llvm::ArrayRef<ProductOperand> operands,
                                          mlir::Attribute layout);

/// They have one k_width.
mlir::LogicalResult verifyOneKWidth(mlir::Operation *op, const ProductOperand &a, const ProductOperand &b);

} // namespace hocket::hk

#endif
