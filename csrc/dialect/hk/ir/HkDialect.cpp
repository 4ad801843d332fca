//===- HkDialect.cpp - Registration of the `hk` dialect, and materialization of constants -----------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/LayoutCache.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialect/hk/ir/HkDialect.cpp.inc"

#include "dialect/hk/ir/HkEnums.cpp.inc"

#include "dialect/hk/ir/HkOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/hk/ir/HkOps.cpp.inc"

namespace hocket::hk {

void HkDialect::initialize() {
  registerAttributes();
  registerTypes();
  addInterfaces<LayoutCache>();
  addOperations<
#define GET_OP_LIST
#include "dialect/hk/ir/HkOps.cpp.inc"
      >();
}

Operation *HkDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace hocket::hk
