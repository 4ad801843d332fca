// Stub.
#include "dialect/hk/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }
LogicalResult AtomicRmwOp::verify() { return success(); }
LogicalResult AtomicCasOp::verify() { return success(); }

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  // A volatile read may be observed, so it may be neither removed nor moved.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable(), GlobalMemory::get());
}

} // namespace hocket::hk
