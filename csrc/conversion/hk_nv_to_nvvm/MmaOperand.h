//===- MmaOperand.h - Words of an MMA operand in registers ----------------------------------===//
//
// Words of 4 bytes along K, two per step of an instruction. They are packed at their first use, and then shared by all
// results in their row or column.
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

  /// The words of one step, i32: for each of `rows` rows (or columns), eight apart, beginning with the result's first
  /// one.
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
  /// By row (or column), with the index of the word instead of k.
  std::map<Position, mlir::Value> packed;
};

} // namespace hocket

#endif
