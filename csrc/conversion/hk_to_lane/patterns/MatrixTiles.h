//===- MatrixTiles.h - Registers of the operands and results of matrix instructions ---------===//
//
// An MMA of tensors is one instruction for every M x N result of a warp and every step along K. The layouts determine
// the registers of an instruction, by coordinates: lanes and warps shift those of a, b and the accumulators by the same
// amounts, so lane 0 of warp 0 determines them.
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

/// A coordinate per dimension of a tensor.
using Position = llvm::SmallVector<int32_t, 3>;

/// The registers of a lane for a tensor, by the coordinates that lane 0 of warp 0 holds in them.
class RegistersByPosition {
public:
  explicit RegistersByPosition(mlir::RankedTensorType type);
  /// Returns the register with the element. If the tensor is smaller than the result of the instruction, coordinates
  /// wrap: the surplus results are copies.
  unsigned at(const Position &position) const;
  /// Returns the coordinates along `dim`, in ascending order.
  llvm::SmallVector<int32_t> along(unsigned dim) const;
  /// Returns the coordinates of each register.
  llvm::ArrayRef<Position> inOrder() const { return positions; }

private:
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Position> positions;
  std::map<Position, unsigned> registers;
};

/// The result of one instruction.
struct MatrixTile {
  /// Coordinates of its first row and column (and batch).
  Position origin;
  /// The accumulators, in the order of the hardware's registers.
  llvm::SmallVector<unsigned> registers;
};

/// Returns the results that a warp computes, in the order of its registers. `result` maps (register, lane) of the
/// hardware to the row and column in one result.
llvm::SmallVector<MatrixTile> matrixTilesOf(mlir::RankedTensorType acc, const LinearLayout &result);

/// The parts of operand `opIdx` that instructions take: some elements of each lane per step along K. A part is packed
/// at its first use, and then shared by all results in its row or column.
class MatrixOperand {
public:
  /// Makes the operand of an instruction from its elements.
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
  /// By the origin of the result, with the step instead of k.
  std::map<Position, mlir::Value> packed;
};

/// Returns the elements as a vector; a single element stays a scalar.
mlir::Value packVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange elements);
/// Packs the accumulators of each tile into a vector; the inverse returns all registers of the tensor from such
/// vectors.
llvm::SmallVector<mlir::Value> packAccumulators(mlir::OpBuilder &builder, mlir::Location loc,
                                                llvm::ArrayRef<MatrixTile> tiles, mlir::ValueRange registers);
llvm::SmallVector<mlir::Value> unpackAccumulators(mlir::OpBuilder &builder, mlir::Location loc,
                                                  llvm::ArrayRef<MatrixTile> tiles, mlir::ValueRange vectors,
                                                  unsigned numRegisters);

} // namespace hocket

#endif
