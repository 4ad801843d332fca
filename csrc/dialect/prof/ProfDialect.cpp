//===- ProfDialect.cpp - Registration of the `prof` dialect, verification of attributes -===//
#include "dialect/prof/ProfDialect.h"

#include "dialect/hk/facts/FactTable.h"

using namespace mlir;

#include "dialect/prof/ProfDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/prof/ProfOps.cpp.inc"

namespace hocket::prof {

void ProfDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialect/prof/ProfOps.cpp.inc"
      >();
}

LogicalResult ProfDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  using enum hk::FactHolder;
  static const hk::DeclaredFact facts[] = {
      {kConfigAttr, Module, "a #prof.config"},
      {kSitesAttr, Module, "an array of #prof.site"},
      {kFactsAttr, Module},
      {kBlockBytesAttr, Module},
      {kVariableAttr, Module},
      {kBlocksAttr, Module},
  };
  return hk::verifyFact(op, attr, facts);
}

} // namespace hocket::prof
