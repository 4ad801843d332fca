//===- NamedBarrierOps.cpp - Operations of NamedBarrierOps.td: interfaces ------------------------===//
#include "dialect/hk_nv/HkNvDialect.h"

namespace hocket::hk_nv {

bool NamedBarrierArriveOp::waits() { return false; }
bool NamedBarrierWaitOp::waits() { return true; }

} // namespace hocket::hk_nv
