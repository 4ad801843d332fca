//===- ReduceAndDotOps.cpp - Operations of ReduceAndDotOps.td: verification -------===//
#include "dialect/hk/facts/TypeChecks.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket::hk {

// Reduce ------------------------------------------------------------------------------------------------------------

FailureOr<Attribute> ReduceOp::inferResultLayout(Attribute operandLayout, std::string *whyNot) {
  return inferReduce(operandLayout, cast<RankedTensorType>(getSrcs().front().getType()).getShape(), getAxis(), whyNot);
}

FailureOr<Attribute> ReduceOp::inferOperandLayout(Attribute resultLayout, std::string *whyNot) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getSrcs().front().getType()).getShape();
  return inferExpandDims(resultLayout, reducedShape(shape, getAxis()), getAxis(), whyNot);
}

static bool isReducedType(Type result, Type expected) {
  if (result == expected)
    return true;
  auto actualTensor = dyn_cast<RankedTensorType>(result), expectedTensor = dyn_cast<RankedTensorType>(expected);
  return actualTensor && expectedTensor && actualTensor.getShape() == expectedTensor.getShape() &&
         actualTensor.getElementType() == expectedTensor.getElementType() &&
         mayBeEquivalentLayouts(actualTensor.getShape(), actualTensor.getEncoding(), expectedTensor.getEncoding());
}

LogicalResult ReduceOp::verify() {
  if (getSrcs().empty())
    return emitOpError() << "needs at least one operand";
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  for (Type type : getSrcs().getTypes())
    if (!haveSameShapeAndLayout(type, first))
      return emitOpError() << "needs operands of one shape and layout, but has " << first << " and " << type;
  int64_t axis = getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOpError() << "axis must be in 0.." << first.getRank() - 1 << ", but is " << axis;
  if (getNumResults() != getSrcs().size())
    return emitOpError() << "has " << getSrcs().size() << " operands but " << getNumResults() << " results";
  for (auto [src, result] : llvm::zip_equal(getSrcs().getTypes(), getResultTypes())) {
    Type expected = inferReducedType(cast<RankedTensorType>(src), axis);
    if (!isReducedType(result, expected))
      return emitOpError() << "of " << src << " along axis " << axis << " makes " << expected << ", not " << result;
  }
  return success();
}

// Combine regions -----------------------------------------------------------------------------------------------------

LogicalResult detail::verifyCombineRegion(Operation *op) {
  auto combine = cast<CombineRegion>(op);
  SmallVector<Type> elements =
      llvm::map_to_vector(combine.getSrcs().getTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  SmallVector<Type> pairs = elements;
  pairs.append(elements);
  Region &region = combine.getCombine();
  if (!llvm::equal(region.getArgumentTypes(), pairs))
    return op->emitOpError() << "combines (" << pairs << "), but its region takes (" << region.getArgumentTypes()
                             << ")";
  for (Block &block : region) {
    if (block.getNumSuccessors() > 0)
      continue;
    auto ret = dyn_cast<CombineReturnOp>(block.getTerminator());
    if (!ret)
      return op->emitOpError() << "must end its region with hk.combine.return";
    if (!llvm::equal(ret.getValues().getTypes(), elements))
      return op->emitOpError() << "must return (" << elements << ") from its region, but returns ("
                               << ret.getValues().getTypes() << ")";
  }
  return verifyElementRegion(op);
}

bool CombineRegion::isOneCommutativeOperation() {
  if (!getCombine().hasOneBlock())
    return false;
  Block &block = getCombine().front();
  return llvm::hasSingleElement(block.without_terminator()) && block.front().hasTrait<OpTrait::IsCommutative>();
}

LogicalResult CombineReturnOp::verify() {
  if (!isa<CombineRegion>((*this)->getParentOp()))
    return emitOpError() << "must be in a region that combines elements, such as that of hk.reduce";
  return success();
}

// Dot ---------------------------------------------------------------------------------------------------------------

LogicalResult DotFmaOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), acc = getAcc().getType();
  int64_t rank = acc.getRank();
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank)
    return emitOpError() << "needs three tensors of rank 2, or of rank 3, but has ranks " << a.getRank() << ", "
                         << b.getRank() << " and " << rank;
  SmallVector<int64_t> product = llvm::to_vector(a.getShape());
  product.back() = b.getShape().back();
  SmallVector<int64_t> expectedB = llvm::to_vector(b.getShape());
  expectedB[rank - 2] = a.getShape().back();
  if (rank == 3)
    expectedB[0] = a.getShape()[0];
  if (b.getShape() != ArrayRef(expectedB) || acc.getShape() != ArrayRef(product))
    return emitOpError() << "multiplies [M, K] by [K, N] into [M, N], but has [" << a.getShape() << "], ["
                         << b.getShape() << "] and [" << acc.getShape() << "]";
  if (!isa<BlockedAttr>(acc.getEncoding()))
    return emitOpError() << "needs an accumulator in a #hk.blocked layout, not " << acc.getEncoding();
  const RankedTensorType operands[] = {a, b};
  for (auto [index, type] : llvm::enumerate(operands)) {
    auto expected = DotOperandAttr::get(getContext(), index, acc.getEncoding(), 0);
    if (type.getEncoding() != expected)
      return emitOpError() << "needs operand " << index << " in layout " << expected << ", not " << type.getEncoding();
  }
  Type elementA = a.getElementType(), elementB = b.getElementType(), elementAcc = acc.getElementType();
  bool areFloats = isa<FloatType>(elementA) && isa<FloatType>(elementAcc);
  bool isWideEnough = elementA.getIntOrFloatBitWidth() >= (areFloats ? 16u : 8u);
  bool accHolds =
      elementAcc == elementA || (areFloats && elementAcc.getIntOrFloatBitWidth() > elementA.getIntOrFloatBitWidth());
  if (elementA != elementB || !isWideEnough || !accHolds)
    return emitOpError() << "needs operands of one type, floats of at least 16 bits or integers of at least 8, and an "
                            "accumulator of that type or a wider float, but has "
                         << elementA << ", " << elementB << " and " << elementAcc;
  return success();
}

} // namespace hocket::hk
