//===- LayoutInference.h - The layouts of views and reductions --------------------===//
//
// A view keeps every element where it is, so the layout of its operand decides that of its result, and the other way
// round; a reduction leaves each result where its elements are. These are the only statements of those rules: the front
// end makes types by them, verifiers and plans compare with them, and `hk.LayoutInferenceOp` offers them for an
// operation in both directions, in pairs of rules that undo each other:
//
//     forward, operand -> result        backward, result -> operand
//     inferExpandDims(axis)             inferReduce(axis)
//     inferReduce(axis)                 inferExpandDims(axis)
//     inferPermute(order)               inferPermute(inverse of order)
//     inferReshape(shape -> result)     inferReshape(result -> shape)
//     inferJoin                         inferSplit
//
// Each function takes the layout and the shape that it is known for, and returns the layout on the other side. A class
// of layouts that can write the result itself (Blocked, Slice) does; any other tensor layout becomes #hk.linear, which
// can express all of them. So forward after backward gives an equivalent layout, not always the same attribute. Shared
// layouts cannot express every view: then the result is a failure. `whyNot` (where given) says why.
//
// From a layout that is not decided, that one is inferred.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTINFERENCE_H
#define HOCKET_DIALECT_HK_LAYOUTINFERENCE_H

#include "dialect/hk/HkDialect.h"

namespace hocket::hk {

// Shapes --------------------------------------------------------------------------------------------------------------

/// `shape` with a dimension of size 1 inserted at `axis`.
llvm::SmallVector<int64_t> expandedShape(llvm::ArrayRef<int64_t> shape, unsigned axis);

/// `shape` without dimension `axis`.
llvm::SmallVector<int64_t> reducedShape(llvm::ArrayRef<int64_t> shape, unsigned axis);

/// Whether stretching dimensions of size 1 turns `shape` into `resultShape`.
bool canBroadcast(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> resultShape);

// Tensors -------------------------------------------------------------------------------------------------------------

/// Of a tensor with a 1 inserted at `axis`. A Slice along `axis` gives its parent.
mlir::FailureOr<mlir::Attribute> inferExpandDims(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape, unsigned axis,
                                                 std::string *whyNot = nullptr);

/// Of a tensor with `axis` removed by a reduction: the Slice of `layout`. A 1-D tensor reduces to a scalar: no layout.
mlir::FailureOr<mlir::Attribute> inferReduce(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape, unsigned axis,
                                             std::string *whyNot = nullptr);

/// Of the tensor's elements, in row-major order, in another shape with as many elements.
mlir::FailureOr<mlir::Attribute> inferReshape(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int64_t> resultShape, std::string *whyNot = nullptr);

/// Of a tensor whose dimension i is dimension order[i] of the operand.
mlir::FailureOr<mlir::Attribute> inferPermute(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int32_t> order, std::string *whyNot = nullptr);

/// Of two tensors joined along a new last dimension of size 2: register bit 0 is that dimension.
mlir::FailureOr<mlir::Attribute> inferJoin(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                           std::string *whyNot = nullptr);

/// Of each half of a tensor taken apart along its last dimension, which has size 2 and must be one register bit.
mlir::FailureOr<mlir::Attribute> inferSplit(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                            std::string *whyNot = nullptr);

/// Of a tensor whose dimensions of size 1 are stretched, and of the one before that: the same.
mlir::Attribute inferBroadcast(mlir::Attribute layout);

/// What is left of `type` after a reduction of `axis`: a tensor, or the element type for a 1-D tensor.
mlir::Type inferReducedType(mlir::RankedTensorType type, unsigned axis);

/// Whether the layout of `result` is the one that inferReshape finds for `src`, or an equivalent one. (It compares
/// without the search for an attribute.)
bool hasReshapedLayout(mlir::RankedTensorType src, mlir::RankedTensorType result);

// Memory descriptors --------------------------------------------------------------------------------------------------

/// One slot of a ring.
mlir::FailureOr<MemDescType> inferMemDescIndex(MemDescType type, std::string *whyNot = nullptr);

/// Dimension i is dimension order[i] of `type`. Slots of a ring stay where they are.
mlir::FailureOr<MemDescType> inferMemDescPermute(MemDescType type, llvm::ArrayRef<int32_t> order,
                                                 std::string *whyNot = nullptr);

/// A whole buffer in row-major order in another shape, with the same slots.
mlir::FailureOr<MemDescType> inferMemDescReshape(MemDescType type, llvm::ArrayRef<int64_t> resultShape,
                                                 std::string *whyNot = nullptr);
bool hasReshapedLayout(MemDescType src, MemDescType result);

} // namespace hocket::hk

#endif
