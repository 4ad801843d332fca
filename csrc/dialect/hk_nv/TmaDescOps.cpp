//===- TmaDescOps.cpp - Operations of TmaDescOps.td: verification ------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_nv/HkNvDialect.h"

using namespace mlir;

namespace hocket::hk_nv {

LogicalResult MakeTensorDescOp::verify() {
  TensorDescType desc = getResult().getType();
  if (desc.isIm2col() || cast<hk::PointerType>(getBase().getType()).getPointee() != desc.getElementType())
    return emitOpError() << "cannot make " << desc << " of " << getBase().getType();
  if (getShape().size() != desc.getRank() || getStrides().size() + 1 != desc.getRank())
    return emitOpError() << "needs " << desc.getRank() << " sizes and " << desc.getRank() - 1 << " strides, not "
                         << getShape().size() << " and " << getStrides().size();
  return success();
}

} // namespace hocket::hk_nv
