//===- HkNvDialect.cpp - Registration of the `hk_nv` dialect ----------------------===//
#include "dialect/hk_nv/HkNvDialect.h"
#include "dialect/hk_nv/MatrixTimes.h"

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

} // namespace hocket::hk_nv
