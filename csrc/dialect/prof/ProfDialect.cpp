//===- ProfDialect.cpp - Registration of the `prof` dialect -----------------------===//
#include "dialect/prof/ProfDialect.h"

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

} // namespace hocket::prof
