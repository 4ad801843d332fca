//===- SharedOperand.h - What wgmma reads of an operand in shared memory ------------------===//
//
// A matrix descriptor (layout/MatrixDescriptor.h), made once for a warpgroup and operand:
//
//   address of the view + where the warpgroup's first row (column of b) is  ->  bits 0-13
//   distances and swizzle, read off the layout as a linear map              ->  the constant rest
//
// The instructions add constants to it: along K, and to further rows and columns.
//
// The slots of a ring lie one after the other, which descriptors can say as well where a slot ends where the next row
// would be: what one instruction reads of b may be several slots.
//
//===----------------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_SHAREDOPERAND_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_SHAREDOPERAND_H

#include "conversion/hk_to_llvm/LoweringContext.h"
#include "layout/MatrixDescriptor.h"

namespace hocket {

/// How instructions read `type`, and the `slots` - 1 slots after it. `own`: its dimension of rows of a, columns of b,
/// of which an instruction reads `rows`, those of further slots apart. Nothing where no descriptor says what the layout
/// says.
std::optional<DescribedMatrix> describeSlots(hk::MemDescType type, unsigned own, int64_t rows, int64_t slots = 1);

class SharedOperand {
public:
  /// As describeSlots. Fails with an error at `op`, whose operand is called `name`.
  static mlir::FailureOr<SharedOperand> find(mlir::Operation *op, llvm::StringRef name, hk::MemDescType type,
                                             unsigned own, int64_t rows, int64_t slots = 1);

  /// Makes the descriptor of what the warpgroup reads first. `lowered`: the handle; `acc`: the layout of the results.
  void begin(LoweringContext &lowering, mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange lowered,
             const LinearLayout &acc);
  /// That of what is `row` further along its own dimension, and `k` along the other.
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
