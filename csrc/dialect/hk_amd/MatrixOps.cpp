//===- MatrixOps.cpp - Operations of MatrixOps.td: verification ---------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"

using namespace mlir;

namespace hocket::hk_amd {

LogicalResult MfmaOp::verify() { return success(); }

LogicalResult MfmaScaledOp::verify() { return success(); }

} // namespace hocket::hk_amd
