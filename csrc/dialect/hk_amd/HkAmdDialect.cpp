//===- HkAmdDialect.cpp - Registration of the `hk_amd` dialect --------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "dialect/hk_amd/MatrixTimes.h"

using namespace mlir;

#include "dialect/hk_amd/HkAmdDialect.cpp.inc"

#include "dialect/hk_amd/HkAmdEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/hk_amd/HkAmdOps.cpp.inc"

namespace hocket::hk_amd {

void HkAmdDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialect/hk_amd/HkAmdOps.cpp.inc"
      >();
  attachMatrixTimes(*getContext());
}

} // namespace hocket::hk_amd
