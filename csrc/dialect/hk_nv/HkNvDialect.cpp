//===- HkNvDialect.cpp - Registration of the `hk_nv` dialect, verification of attributes -===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/hk_nv/MatrixTimes.h"

#include "dialect/hk/facts/FactTable.h"

using namespace mlir;

#include "dialect/hk_nv/HkNvDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/hk_nv/HkNvOps.cpp.inc"

namespace hocket::hk_nv {

void HkNvDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/hk_nv/HkNvOps.cpp.inc"
      >();
  attachMatrixTimes(*getContext());
}

LogicalResult HkNvDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  static const hk::DeclaredFact facts[] = {{kElementBytesAttr, hk::FactHolder::Any}};
  return hk::verifyFact(op, attr, facts);
}

} // namespace hocket::hk_nv
