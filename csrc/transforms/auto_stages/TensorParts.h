//===- TensorParts.h - Divides tensors in registers, and joins the parts ------------===//
//
//     divideTensor(%x, {0, 1}, {2, 2})         [ %x0 | %x1 ]
//                                              [ %x2 | %x3 ]
//
// Each lane keeps its elements. No instructions are necessary.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_AUTO_STAGES_TENSORPARTS_H
#define HOCKET_TRANSFORMS_AUTO_STAGES_TENSORPARTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hocket {

/// A division of a dimension of a tensor into equal parts; the number of parts is a power of two.
struct DimParts {
  unsigned dim = 0;
  unsigned parts = 1;
};

/// True if a tensor of type `type` can be divided along the dimension of `divided` without moving elements between
/// lanes: each of the highest bits of the coordinate is a register bit.
bool canDivide(mlir::RankedTensorType type, DimParts divided);

/// Divides `value` along each dimension of `dims`, in this order. Returns the parts in row-major order of the dimensions
/// of `dims`. The parts have the encoding of `value`.
llvm::SmallVector<mlir::Value> divideTensor(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<DimParts> dims);

/// Returns the tensor that divideTensor would divide into `parts`.
mlir::Value joinTensor(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> parts, llvm::ArrayRef<DimParts> dims);

} // namespace hocket

#endif
