//===- HkDialect.cpp - Registration of the `hk` dialect, and materialization of constants -----------------===//
#include "dialect/hk/HkDialect.h"
#include "dialect/hk/LayoutCache.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialect/hk/HkDialect.cpp.inc"

#include "dialect/hk/HkEnums.cpp.inc"

#include "dialect/hk/HkOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/hk/HkOps.cpp.inc"

namespace hocket::hk {

void HkDialect::initialize() {
  registerAttributes();
  registerTypes();
  addInterfaces<LayoutCache>();
  addOperations<
#define GET_OP_LIST
#include "dialect/hk/HkOps.cpp.inc"
      >();
}

Operation *HkDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace hocket::hk
