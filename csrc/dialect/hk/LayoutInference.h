//===- LayoutInference.h - The layouts of views that move no data -----------------===//
//
// A view of a tensor or buffer keeps every element where it is.
//
// Each function takes the operand's layout and shape and returns the result's layout; the verifier of the operation
// accepts exactly the layouts that are equivalent to it. A Blocked or Slice layout stays one where the result can be
// written so; any other tensor layout becomes #hk.linear, which can express all of them. Shared layouts cannot express
// every view: then the result is a failure, and `whyNot` (where given) says why.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTINFERENCE_H
#define HOCKET_DIALECT_HK_LAYOUTINFERENCE_H

#include "dialect/hk/HkDialect.h"
#include <string>

namespace hocket::hk {

/// Of a tensor with a 1 inserted at `axis`. A Slice along `axis` gives its parent.
mlir::FailureOr<mlir::Attribute> inferExpandDims(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape, unsigned axis,
                                                 std::string *whyNot = nullptr);

/// Of a tensor with `axis` removed by a reduction: the Slice of `layout`. A 1-D tensor reduces to a scalar: no layout.
mlir::FailureOr<mlir::Attribute> inferReduce(mlir::Attribute layout, unsigned axis, std::string *whyNot = nullptr);

/// Of the tensor's elements, in row-major order, in another shape with as many elements.
mlir::FailureOr<mlir::Attribute> inferReshape(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int64_t> resultShape, std::string *whyNot = nullptr);

/// Of a tensor whose dimension i is dimension order[i] of the operand.
mlir::FailureOr<mlir::Attribute> inferPermute(mlir::Attribute layout, llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int32_t> order, std::string *whyNot = nullptr);

/// The same for buffers. Slots of a ring stay where they are.
mlir::FailureOr<mlir::Attribute> inferMemDescPermute(MemDescType type, llvm::ArrayRef<int32_t> order,
                                                     std::string *whyNot = nullptr);
mlir::FailureOr<mlir::Attribute> inferMemDescReshape(MemDescType type, llvm::ArrayRef<int64_t> resultShape,
                                                     std::string *whyNot = nullptr);

} // namespace hocket::hk

#endif
