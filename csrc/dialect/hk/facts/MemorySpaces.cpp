//===- MemorySpaces.cpp - Shared memory as a memory space ---------------------------===//
#include "dialect/hk/facts/MemorySpaces.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "layout/SharedAlignment.h"
#include "target/TargetInfo.h"

using namespace mlir;

#include "dialect/hk/facts/MemorySpaces.cpp.inc"

namespace hocket::hk {

StringRef SharedSpaceAttr::getName() const { return "shared memory"; }

SideEffects::Resource *SharedSpaceAttr::getResource() const { return SharedMemory::get(); }

int64_t SharedSpaceAttr::getCapacity(const TargetInfo &target) const { return target.maxSharedBytes; }

int64_t SharedSpaceAttr::getAlignment() const { return kSharedAlignment; }

AllocationAttrs SharedSpaceAttr::getAllocationAttrs() const {
  return {kSharedBytesAttr, kSharedAlignmentAttr, kBuffersAttr};
}

bool SharedSpaceAttr::isBarrier(Operation *op) const {
  auto cluster = dyn_cast<ClusterBarrierOp>(op);
  return isa<BarrierOp>(op) || (cluster && !cluster.getRelaxed());
}

Operation *SharedSpaceAttr::createBarrier(OpBuilder &builder, Location loc, bool ordersGlobal) const {
  return BarrierOp::create(builder, loc, /*local=*/!ordersGlobal);
}

bool SharedSpaceAttr::needsProxyFences() const { return true; }

bool SharedSpaceAttr::isOrderedByStages() const { return true; }

bool isOnMemorySpace(const MemoryEffects::EffectInstance &effect) {
  Value value = effect.getValue();
  auto handle = value ? dyn_cast<MemDescType>(value.getType()) : MemDescType();
  return effect.getResource() == (handle ? handle.getSpace().getResource() : SharedMemory::get());
}

} // namespace hocket::hk
