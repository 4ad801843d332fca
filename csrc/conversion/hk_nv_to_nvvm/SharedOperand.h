//===- SharedOperand.h - Matrix descriptors of wgmma operands in shared memory ------------===//
//
// The matrix descriptor (layout/MatrixDescriptor.h) of an operand is computed once for each warpgroup:
//
//   address of the view + offset of the warpgroup's first row (column of b)  ->  bits 0-13
//   distances and swizzle, from the layout as a linear map                   ->  the other bits, which are constant
//
// For later steps along K, and for other rows or columns, constants are added to the descriptor.
//
// The slots of a ring buffer are contiguous. If the distance between rows is the same within a slot and from one slot
// to the next, one descriptor covers both slots. One instruction can then read a part of B that spans both slots.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_SHAREDOPERAND_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_SHAREDOPERAND_H

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk_nv/SlotMatrix.h"

namespace hocket {

class SharedOperand {
public:
  /// Finds the matrix descriptor of an operand in shared memory (SlotMatrix.h). If no descriptor can describe the
  /// operand's layout, emits an error at `op`, whose message calls the operand `name`.
  static mlir::FailureOr<SharedOperand> find(mlir::Operation *op, llvm::StringRef name, hk::MemDescType type,
                                             unsigned own, int64_t rows, int64_t slots = 1);

  /// Emits the computation of the descriptor for the warpgroup's first instruction. `lowered` is the lowered handle of
  /// the operand, `acc` the layout of the accumulators.
  void begin(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange lowered,
             const LinearLayout &acc);
  /// Returns the descriptor, advanced by `row` rows (of a) or columns (of b), and by `k` along K.
  mlir::Value at(mlir::OpBuilder &builder, mlir::Location loc, int32_t row, int32_t k) const;
  bool isTransposed() const { return matrix.isTransposed; }

private:
  SharedOperand(hk::MemDescType type, unsigned own, DescribedMatrix matrix)
      : type(type), own(own), matrix(std::move(matrix)) {}
  LinearLayout bytesOfWarpgroup(const LinearLayout &acc) const;

  hk::MemDescType type;
  unsigned own;
  DescribedMatrix matrix;
  mlir::Value first;
};

} // namespace hocket

#endif
