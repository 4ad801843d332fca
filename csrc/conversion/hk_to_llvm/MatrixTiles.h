//===- MatrixTiles.h - The registers that one matrix instruction takes ----------------------===//
//
// A product of tensors is one instruction for every M x N result of a warp and every step along K. Which registers an
// instruction takes is read off the layouts, by coordinates: lanes and warps shift those of a, b and the accumulators
// alike, so it is enough to look at lane 0 of warp 0.
//
//             b:  k 0-3  r0-3 of column 0 | of column 16              a 32 x 32 result of 16x16x16 instructions: four
//                 k 16.. r4-7             | ..                        results, each of the instructions of all steps
//   a:                                                                along K, one after the other
//   row 0         acc r0-3                | acc r4-7
//   row 16        acc r8-11               | acc r12-15
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_MATRIXTILES_H
#define HOCKET_CONVERSION_HK_TO_LLVM_MATRIXTILES_H

#include "layout/LinearLayout.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include <functional>
#include <map>

namespace hocket {

/// A coordinate per dimension of a tensor.
using Place = llvm::SmallVector<int32_t, 3>;

/// The registers that a lane holds of a tensor, by what lane 0 of warp 0 holds in them.
class RegistersByPlace {
public:
  explicit RegistersByPlace(mlir::RankedTensorType type);
  /// Which register holds the element. Where the tensor is smaller than what the instruction covers, the coordinates
  /// wrap: the result of what lies beyond is a copy.
  unsigned at(const Place &place) const;
  /// The coordinates along `dim`, in ascending order.
  llvm::SmallVector<int32_t> along(unsigned dim) const;
  /// One place per register.
  llvm::ArrayRef<Place> inOrder() const { return places; }

private:
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<Place> places;
  std::map<Place, unsigned> registers;
};

/// The result of one instruction.
struct MatrixTile {
  /// Its first row and column (and batch).
  Place origin;
  /// The accumulators, in the order of the hardware's registers.
  llvm::SmallVector<unsigned> registers;
};

/// The results that a warp computes, in the order of its registers. `result` maps (register, lane) of the hardware to
/// the rows and columns of one.
llvm::SmallVector<MatrixTile> matrixTilesOf(mlir::RankedTensorType acc, const LinearLayout &result);

/// What the instructions take of operand `opIdx`: some elements of each lane per step along K. Packed at the first use,
/// and then shared by all results in its row or column.
class MatrixOperand {
public:
  /// Makes what an instruction takes from its elements.
  using Pack = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  MatrixOperand(mlir::RankedTensorType type, unsigned opIdx, mlir::ValueRange registers, unsigned elementsPerStep,
                Pack pack);

  unsigned numSteps() const { return depth.size() / elementsPerStep; }
  mlir::Value get(mlir::OpBuilder &builder, mlir::Location loc, const MatrixTile &tile, unsigned step);

private:
  RegistersByPlace places;
  mlir::ValueRange registers;
  unsigned elementsPerStep, kDim;
  Pack pack;
  /// The k that lane 0 holds, ascending.
  llvm::SmallVector<int32_t> depth;
  /// By the origin of the result, with the step in place of k.
  std::map<Place, mlir::Value> packed;
};

/// The elements as a vector; one element alone stays a scalar.
mlir::Value packVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange elements);
/// The accumulators of each tile as a vector, and all registers of the tensor from such vectors.
llvm::SmallVector<mlir::Value> packAccumulators(mlir::OpBuilder &builder, mlir::Location loc,
                                                llvm::ArrayRef<MatrixTile> tiles, mlir::ValueRange registers);
llvm::SmallVector<mlir::Value> unpackAccumulators(mlir::OpBuilder &builder, mlir::Location loc,
                                                  llvm::ArrayRef<MatrixTile> tiles, mlir::ValueRange vectors,
                                                  unsigned numRegisters);

} // namespace hocket

#endif
