//===- PointerOps.cpp - Operations of PointerOps.td: verification and folding -----===//
#include "dialect/hk/facts/TypeChecks.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket::hk {

static LogicalResult verifySameShapeAndLayout(Operation *op, Type a, Type b) {
  if (!haveSameShapeAndLayout(a, b))
    return op->emitOpError() << "needs operand types of one shape and layout, but has " << a << " and " << b;
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

LogicalResult AddPtrOp::verify() { return verifySameShapeAndLayout(*this, getPtr().getType(), getOffset().getType()); }

LogicalResult PtrToIntOp::verify() {
  Type expected = withElementType(getSrc().getType(), IntegerType::get(getContext(), 64));
  if (getType() != expected)
    return emitOpError() << "of " << getSrc().getType() << " makes " << expected << ", not " << getType();
  return success();
}

LogicalResult IntToPtrOp::verify() {
  Type expected = withElementType(getType(), IntegerType::get(getContext(), 64));
  if (getSrc().getType() != expected)
    return emitOpError() << "to " << getType() << " needs " << expected << ", not " << getSrc().getType();
  return success();
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getType() == getSrc().getType())
    return getSrc();
  return {};
}

LogicalResult PtrCastOp::verify() { return verifySameShapeAndLayout(*this, getSrc().getType(), getType()); }

} // namespace hocket::hk
