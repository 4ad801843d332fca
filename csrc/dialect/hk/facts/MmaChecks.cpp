//===- MmaChecks.cpp - Common checks of MMA operations' verifiers -------------===//
#include "dialect/hk/facts/MmaChecks.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult verifyMmaShapes(Operation *op, const MmaOperandTile &a, const MmaOperandTile &b, RankedTensorType acc,
                              int64_t maxRank) {
  int64_t rank = acc.getRank();
  if (rank < 2 || rank > maxRank || a.type.getRank() != rank || b.type.getRank() != rank)
    return op->emitOpError() << "needs three tensors of rank 2" << (maxRank == 3 ? ", or of rank 3" : "")
                             << ", but has ranks " << a.type.getRank() << ", " << b.type.getRank() << " and " << rank;
  ArrayRef<int64_t> aShape = a.type.getShape(), bShape = b.type.getShape(), accShape = acc.getShape();
  bool areBatchesEqual = rank == 2 || (aShape[0] == accShape[0] && bShape[0] == accShape[0]);
  if (!areBatchesEqual || a.depth() != b.depth() || aShape[rank - 2] != accShape[rank - 2] ||
      bShape[rank - 1] != accShape[rank - 1])
    return op->emitOpError() << "multiplies [M, K] by [K, N] into [M, N], but has [" << aShape << "], [" << bShape
                             << "] and [" << accShape << "]";
  return success();
}

LogicalResult verifyMmaOperands(Operation *op, ArrayRef<MmaOperandTile> operands, Attribute layout) {
  for (const MmaOperandTile &operand : operands) {
    auto dot = dyn_cast<DotOperandAttr>(operand.type.getEncoding());
    if (!dot || dot.getParent() != layout || dot.getOpIdx() != operand.opIdx)
      return op->emitOpError() << "needs " << operand.name << " as #hk.dot_operand<op_idx = " << operand.opIdx
                               << "> of the accumulator's layout, but it is in " << operand.type.getEncoding();
  }
  return success();
}

LogicalResult verifyOneKWidth(Operation *op, const MmaOperandTile &a, const MmaOperandTile &b) {
  if (a.kWidth() == b.kWidth())
    return success();
  return op->emitOpError() << "needs operands of one k_width, but has " << a.kWidth() << " and " << b.kWidth()
                           << ": lanes would multiply elements of different k";
}

} // namespace hocket::hk
