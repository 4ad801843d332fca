//===- LayoutInference.h - Layouts of views and reductions ------------------------===//
//
// A view moves no elements, so the layout of its operand determines the layout of its result, and vice versa. A
// reduction leaves each result in the lanes that hold the reduced elements. The functions of this file are the only
// definition of the rules by which layouts propagate through views and reductions. The front end derives types with
// these functions; verifiers and plans compare types with their results. `hk.LayoutInferenceOp` provides the rules for
// an operation in both directions, in pairs of rules that are inverse to each other:
//
//     forward, operand -> result        backward, result -> operand
//     inferExpandDims(axis)             inferReduce(axis)
//     inferReduce(axis)                 inferExpandDims(axis)
//     inferPermute(order)               inferPermute(inverse of order)
//     inferReshape(shape -> result)     inferReshape(result -> shape)
//     inferJoin                         inferSplit
//
// Each function takes the layout and the shape of one side, and returns the layout of the other side. The result is in
// the same class of layouts if that class can express it (Blocked, Slice); any other tensor layout becomes #hk.linear,
// which can express every layout. A backward rule followed by the forward rule therefore gives an equivalent layout,
// but not always the same attribute. If shared layouts cannot express a view, the function fails and stores the reason
// in `whyNot` (if given).
//
// From an undecided layout, each function infers the same undecided layout.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_LAYOUTINFERENCE_H
#define HOCKET_DIALECT_HK_LAYOUTS_LAYOUTINFERENCE_H

#include "dialect/hk/ir/HkDialect.h"

namespace hocket::hk {

// Shapes --------------------------------------------------------------------------------------------------------------

/// Returns `shape` with a dimension of size 1 inserted at `axis`.
llvm::SmallVector<int64_t> expandedShape(llvm::ArrayRef<int64_t> shape, unsigned axis);

/// Returns `shape` without dimension `axis`.
llvm::SmallVector<int64_t> reducedShape(llvm::ArrayRef<int64_t> shape, unsigned axis);

/// True if broadcasting dimensions of size 1 turns `shape` into `resultShape`.
bool canBroadcast(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> resultShape);

// Tensors -------------------------------------------------------------------------------------------------------------

/// Infers the layout of a tensor after a dimension of size 1 has been inserted at `axis`. For a Slice along `axis`, the
/// result is the parent of the Slice.
mlir::FailureOr<mlir::Attribute> inferExpandDims(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape, unsigned axis,
                                                 std::string *whyNot = nullptr);

/// Infers the layout of a tensor with `axis` removed by a reduction: the Slice of `layout`. A 1-D tensor reduces to a
/// scalar, which has no layout.
mlir::FailureOr<mlir::Attribute> inferReduce(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape, unsigned axis,
                                             std::string *whyNot = nullptr);

/// Infers the layout of the tensor's elements, in row-major order, in another shape with the same number of elements.
mlir::FailureOr<mlir::Attribute> inferReshape(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int64_t> resultShape, std::string *whyNot = nullptr);

/// Infers the layout of a tensor whose dimension i is dimension order[i] of the operand.
mlir::FailureOr<mlir::Attribute> inferPermute(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int32_t> order, std::string *whyNot = nullptr);

/// Infers the layout of two tensors joined along a new last dimension of size 2, which is register bit 0.
mlir::FailureOr<mlir::Attribute> inferJoin(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                           std::string *whyNot = nullptr);

/// Infers the layout of each half of a tensor that is split along its last dimension, which has size 2 and must be one
/// register bit.
mlir::FailureOr<mlir::Attribute> inferSplit(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                            std::string *whyNot = nullptr);

/// Infers the layout of a broadcast tensor from its operand, or vice versa: both layouts are equal.
mlir::Attribute inferBroadcast(mlir::Attribute layout);

/// Returns the type of the result of reducing `axis` of `type`: a tensor, or the element type for a 1-D tensor.
mlir::Type inferReducedType(mlir::RankedTensorType type, unsigned axis);

/// True if reshaping `src` to the shape of `result` gives the layout of `result`, or if one of the layouts is
/// undecided. Layouts with the same linear map count as equal. Unlike inferReshape, the function constructs no layout
/// attribute.
bool hasReshapedLayout(mlir::RankedTensorType src, mlir::RankedTensorType result);

// Memory descriptors --------------------------------------------------------------------------------------------------

/// Returns the type of one slot of a ring buffer.
mlir::FailureOr<MemDescType> inferMemDescIndex(MemDescType type, std::string *whyNot = nullptr);

/// Returns the type whose dimension i is dimension order[i] of `type`. The dimensions that select a slot stay first.
mlir::FailureOr<MemDescType> inferMemDescPermute(MemDescType type, llvm::ArrayRef<int32_t> order,
                                                 std::string *whyNot = nullptr);

/// Returns the type of a whole buffer after its tile has been reshaped to `resultShape`, with elements in row-major
/// order. The dimensions that select a slot stay the same.
mlir::FailureOr<MemDescType> inferMemDescReshape(MemDescType type, llvm::ArrayRef<int64_t> resultShape,
                                                 std::string *whyNot = nullptr);
bool hasReshapedLayout(MemDescType src, MemDescType result);

} // namespace hocket::hk

#endif
