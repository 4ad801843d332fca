// Stub.
#include "dialect/hk/HkDialect.h"

using namespace mlir;

namespace hocket::hk {

LogicalResult LocalAllocOp::verify() { return success(); }
LogicalResult LocalLoadOp::verify() { return success(); }
LogicalResult LocalStoreOp::verify() { return success(); }
LogicalResult MemDescIndexOp::verify() { return success(); }
LogicalResult MemDescSliceOp::verify() { return success(); }
LogicalResult MemDescPermuteOp::verify() { return success(); }
LogicalResult MemDescReshapeOp::verify() { return success(); }
LogicalResult MemDescReinterpretOp::verify() { return success(); }

void LocalAllocOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  OpResult buffer = getOperation()->getOpResult(0);
  effects.emplace_back(MemoryEffects::Allocate::get(), buffer, SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), buffer, SharedMemory::get());
}

} // namespace hocket::hk
