//===- MmaOperand.h - Words of an MMA operand in registers ----------------------------------===//
//
// An MmaOperand consists of 4-byte words along K. An instruction takes two words along K from each row or column. A
// word is packed at its first use. Other results in the same row or column share the packed word.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_MMAOPERAND_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_MMAOPERAND_H

#include "conversion/hk_to_lane/patterns/MatrixTiles.h"

namespace hocket {

class MmaOperand {
public:
  MmaOperand(mlir::RankedTensorType type, unsigned opIdx, mlir::ValueRange registers, int elementsPerWord)
      : positions(type), registers(registers), own(type.getRank() - (opIdx == 0 ? 2 : 1)),
        alongK(type.getRank() - (opIdx == 0 ? 1 : 2)), elementsPerWord(elementsPerWord),
        depth(positions.along(alongK)) {}

  unsigned numSteps() const { return depth.size() / (kWordsPerStep * elementsPerWord); }

  /// Returns the i32 words of one step along K, for `rows` rows (or columns) that are eight apart and begin with the
  /// first row of the result.
  llvm::SmallVector<mlir::Value> words(mlir::OpBuilder &builder, mlir::Location loc, const MatrixTile &tile,
                                       unsigned step, int rows);

private:
  static constexpr unsigned kWordsPerStep = 2;

  mlir::Value word(mlir::OpBuilder &builder, mlir::Location loc, Position position, unsigned index);

  RegistersByPosition positions;
  mlir::ValueRange registers;
  unsigned own, alongK;
  int elementsPerWord;
  /// The k coordinates that lane 0 holds, ascending.
  llvm::SmallVector<int32_t> depth;
  /// The words that have been packed so far. In a key, the k coordinate of the position is replaced by the index of the
  /// word along K.
  std::map<Position, mlir::Value> packed;
};

} // namespace hocket

#endif
