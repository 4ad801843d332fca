//===- ProgramOps.cpp - Operations of ProgramOps.td: verification --------------------===//
#include "dialect/hk/facts/PrintText.h"
#include "dialect/hk/facts/TypeChecks.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult PrintOp::verify() {
  SmallVector<Type> elements;
  for (Type type : getValues().getTypes()) {
    if (!haveSameShapeAndLayout(type, getValues().front().getType()))
      return emitOpError("shows values of one shape and layout, not ")
             << getValues().front().getType() << " and " << type;
    elements.push_back(getElementTypeOrSelf(type));
  }
  if (!printfFormat(getText(), elements))
    return emitOpError("has a text whose placeholders do not match its values");
  return success();
}

} // namespace hocket::hk
