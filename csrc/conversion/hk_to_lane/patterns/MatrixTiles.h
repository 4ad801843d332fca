//===- MatrixTiles.h - Registers of the operands and results of matrix instructions ---------===//
//
// An MMA of tensors is one instruction for every M x N result of a warp and every step along K. To find the registers
// of an instruction, the coordinates of the elements of lane 0 of warp 0 are searched. In other lanes and warps, the
// coordinates of a, b and the accumulators are shifted by the same amounts.
//
//             b:  k 0-3  r0-3 of column 0 | of column 16              a 32 x 32 result of 16x16x16 instructions: four
//                 k 16-  r4-7             | ...                       results, each computed by the instructions of all
//   a:                                                                steps along K, in order
//   row 0         acc r0-3                | acc r4-7
//   row 16        acc r8-11               | acc r12-15
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_MATRIXTILES_H
#define HOCKET_CONVERSION_HK_TO_LANE_PATTERNS_MATRIXTILES_H

#include "layout/LinearLayout.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include <functional>
#include <map>

namespace hocket {

/// The coordinates of an element, one for each dimension of a tensor.
using Position = llvm::SmallVector<int32_t, 3>;

/// Map from the coordinates of an element to the register in which lane 0 of warp 0 holds the element.
class RegistersByPosition {
public:
  explicit RegistersByPosition(mlir::RankedTensorType type);
  /// Returns the register that holds the element. Coordinates beyond the shape of the tensor wrap around, because
  /// surplus results of an instruction are copies.
  unsigned at(const Position &position) const;
  /// Returns the coordinates along `dim` at which lane 0 of warp 0 holds elements, in ascending order.
  llvm::SmallVector<int32_t> along(unsigned dim) const;
  /// Returns the coordinates of the element in each register.
  llvm::ArrayRef<Position> inOrder() const { return positions; }

private:
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Position> positions;
  std::map<Position, unsigned> registers;
};

/// The part of the result that one instruction computes.
struct MatrixTile {
  /// The coordinates of the first row and column of the result, and of its batch.
  Position origin;
  /// The accumulators, in the order of the hardware's registers.
  llvm::SmallVector<unsigned> registers;
};

/// Returns the results that a warp computes, in the order of its registers. `result` maps (register, lane) of the
/// hardware to the row and column in one result.
llvm::SmallVector<MatrixTile> matrixTilesOf(mlir::RankedTensorType acc, const LinearLayout &result);

/// Operand `opIdx` of an MMA of tensors, split into operands of instructions. An operand of an instruction consists of
/// `elementsPerStep` elements of a lane along K, and is packed at its first use. Results in the same row or column
/// share the packed operand.
class MatrixOperand {
public:
  /// Packs elements into the operand of an instruction.
  using Pack = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  MatrixOperand(mlir::RankedTensorType type, unsigned opIdx, mlir::ValueRange registers, unsigned elementsPerStep,
                Pack pack);

  unsigned numSteps() const { return depth.size() / elementsPerStep; }
  mlir::Value get(mlir::OpBuilder &builder, mlir::Location loc, const MatrixTile &tile, unsigned step);

private:
  RegistersByPosition positions;
  mlir::ValueRange registers;
  unsigned elementsPerStep, kDim;
  Pack pack;
  /// The k coordinates that lane 0 holds, ascending.
  llvm::SmallVector<int32_t> depth;
  /// The operands that have been packed so far. The key is the origin of the result, with the step along K as k
  /// coordinate.
  std::map<Position, mlir::Value> packed;
};

/// Returns the elements as a vector; a single element stays a scalar.
mlir::Value packVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange elements);
/// packAccumulators packs the accumulators of each tile into a vector. unpackAccumulators returns the registers of the
/// tensor from the vectors of its tiles.
llvm::SmallVector<mlir::Value> packAccumulators(mlir::OpBuilder &builder, mlir::Location loc,
                                                llvm::ArrayRef<MatrixTile> tiles, mlir::ValueRange registers);
llvm::SmallVector<mlir::Value> unpackAccumulators(mlir::OpBuilder &builder, mlir::Location loc,
                                                  llvm::ArrayRef<MatrixTile> tiles, mlir::ValueRange vectors,
                                                  unsigned numRegisters);

} // namespace hocket

#endif
