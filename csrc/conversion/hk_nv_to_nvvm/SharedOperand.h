//===- SharedOperand.h - Matrix descriptors of wgmma operands in shared memory ------------===//
//
// A matrix descriptor (layout/MatrixDescriptor.h) is made once for a warpgroup and operand:
//
//   address of the view + offset of the warpgroup's first row (column of b)  ->  bits 0-13
//   distances and swizzle, from the layout as a linear map                   ->  the constant rest
//
// The instructions add constants to it: along K, and to further rows and columns.
//
// The slots of a ring buffer are contiguous. If the first row of a slot follows the
// last row of the slot before at the descriptor's distance of rows, one descriptor covers both slots, and one instruction
// can read a part of B that spans them.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_SHAREDOPERAND_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_SHAREDOPERAND_H

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk_nv/SlotMatrix.h"

namespace hocket {

class SharedOperand {
public:
  /// Like describeSlots. Fails with an error at `op`, whose operand is called `name`.
  static mlir::FailureOr<SharedOperand> find(mlir::Operation *op, llvm::StringRef name, hk::MemDescType type,
                                             unsigned own, int64_t rows, int64_t slots = 1);

  /// Makes the descriptor of the warpgroup's first instruction. `lowered`: the handle; `acc`: the layout of the
  /// results.
  void begin(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange lowered,
             const LinearLayout &acc);
  /// Returns the descriptor advanced by `row` along the operand's own dimension and by `k` along the other.
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
