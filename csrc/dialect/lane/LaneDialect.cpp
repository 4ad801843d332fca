// The `lane` dialect: registration and verification.
#include "dialect/lane/LaneDialect.h"

using namespace mlir;

#include "dialect/lane/LaneDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/lane/LaneOps.cpp.inc"

namespace hocket::lane {

void LaneDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/lane/LaneOps.cpp.inc"
      >();
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), hk::GlobalMemory::get());
  // A volatile read may be observed, so it may be neither removed nor moved.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(), hk::GlobalMemory::get());
}

LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }

} // namespace hocket::lane
