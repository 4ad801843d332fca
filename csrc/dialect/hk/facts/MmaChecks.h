//===- MmaChecks.h - Common checks of MMA operations' verifiers ---------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_MMACHECKS_H
#define HOCKET_DIALECT_HK_FACTS_MMACHECKS_H

#include "dialect/hk/ir/HkDialect.h"

namespace hocket::hk {

/// One operand of an MMA. Each element of the tensor type packs `elementsPerItem` elements of the matrix along K.
struct MmaOperandTile {
  llvm::StringRef name;
  unsigned opIdx;
  mlir::RankedTensorType type;
  int64_t elementsPerItem = 1;

  int64_t depth() const { return type.getShape()[type.getRank() - (opIdx == 0 ? 1 : 2)] * elementsPerItem; }
  /// Returns the k_width of the operand's layout.
  int64_t kWidth() const { return mlir::cast<DotOperandAttr>(type.getEncoding()).getKWidth(); }
};

/// Verifies the shapes [..., M, K] x [..., K, N] -> [..., M, N].
mlir::LogicalResult verifyMmaShapes(mlir::Operation *op, const MmaOperandTile &a, const MmaOperandTile &b,
                                    mlir::RankedTensorType acc, int64_t maxRank);

/// Verifies that the operands have #hk.dot_operand layouts whose parent is `layout`, the accumulator's layout.
mlir::LogicalResult verifyMmaOperands(mlir::Operation *op, llvm::ArrayRef<MmaOperandTile> operands,
                                      mlir::Attribute layout);

/// Verifies that both operands have the same k_width.
mlir::LogicalResult verifyOneKWidth(mlir::Operation *op, const MmaOperandTile &a, const MmaOperandTile &b);

} // namespace hocket::hk

#endif
