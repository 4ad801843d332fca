//===- ScanAndGatherOps.cpp - Operations of ScanAndGatherOps.td: layouts and verification -------===//
#include "dialect/hk/facts/TypeChecks.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket::hk {

// Scan ----------------------------------------------------------------------------------------------------------------

FailureOr<Attribute> ScanOp::inferResultLayout(Attribute operandLayout, std::string *) { return operandLayout; }
FailureOr<Attribute> ScanOp::inferOperandLayout(Attribute resultLayout, std::string *) { return resultLayout; }

LogicalResult ScanOp::verify() {
  if (getSrcs().empty())
    return emitOpError() << "needs at least one operand";
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  for (Type type : getSrcs().getTypes())
    if (!haveSameShapeAndLayout(type, first))
      return emitOpError() << "needs operands of one shape and layout, but has " << first << " and " << type;
  int64_t axis = getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOpError() << "axis must be in 0.." << first.getRank() - 1 << ", but is " << axis;
  if (!llvm::equal(getSrcs().getTypes(), getResultTypes()))
    return emitOpError() << "of (" << getSrcs().getTypes() << ") makes results of the same types, not ("
                         << getResultTypes() << ")";
  return success();
}

// Gather --------------------------------------------------------------------------------------------------------------

LogicalResult GatherOp::verify() {
  RankedTensorType src = getSrc().getType(), index = getIndex().getType(), result = getResult().getType();
  int64_t axis = getAxis();
  if (axis < 0 || axis >= src.getRank())
    return emitOpError() << "axis must be in 0.." << src.getRank() - 1 << ", but is " << axis;
  SmallVector<int64_t> sizes = llvm::to_vector(src.getShape());
  if (index.getRank() == src.getRank())
    sizes[axis] = index.getDimSize(axis);
  if (index.getShape() != ArrayRef(sizes))
    return emitOpError() << "needs an index with the sizes of the operand, except for axis " << axis << ", which has ["
                         << src.getShape() << "], not [" << index.getShape() << "]";
  if (!haveSameShapeAndLayout(index, result) || result.getElementType() != src.getElementType())
    return emitOpError() << "by an index " << index << " makes " << withElementType(index, src.getElementType())
                         << ", not " << result;
  return success();
}

// Histogram -----------------------------------------------------------------------------------------------------------

LogicalResult HistogramOp::verify() {
  RankedTensorType src = getSrc().getType(), result = getResult().getType();
  if (src.getRank() != 1)
    return emitOpError() << "counts the elements of a 1-D tensor, not of " << src;
  if (getMask() && !haveSameShapeAndLayout(getMask().getType(), src))
    return emitOpError() << "needs a mask in the shape and layout of " << src << ", not " << getMask().getType();
  if (result.getRank() != 1 || !result.getElementType().isSignlessInteger(32))
    return emitOpError() << "makes a 1-D tensor of i32, not " << result;
  return success();
}

} // namespace hocket::hk
