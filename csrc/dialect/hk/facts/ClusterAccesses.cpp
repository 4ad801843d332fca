//===- ClusterAccesses.cpp - Accesses to tiles that are split among the CTAs of a cluster ------------===//
#include "dialect/hk/facts/ClusterAccesses.h"

#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket::hk {

ClusterPlaces placesOfBuffer(MemDescType type, int numCtas) {
  LinearLayout shared = toLinearLayout(type);
  return placesInCluster(shared, std::max(log2Exact(numCtas), shared.getInDimSizeLog2(Dim::Block)));
}

/// A view that starts in the memory of one CTA is remote memory for the others.
static ClusterAccess inView(ClusterAccess access, MemDescType type, const ClusterPlaces &places) {
  access.isOwn &= !(startBits(type, places.toOffset) & places.rankMask());
  return access;
}

ClusterAccess planLoad(RankedTensorType tensor, MemDescType type, int numCtas) {
  ClusterPlaces places = placesOfBuffer(type, numCtas);
  return inView(planClusterLoad(toLinearLayout(tensor), places), type, places);
}

ClusterAccess planStore(RankedTensorType tensor, MemDescType type, int numCtas) {
  ClusterPlaces places = placesOfBuffer(type, numCtas);
  return inView(planClusterStore(toLinearLayout(tensor), places), type, places);
}

/// `layout` with the coordinate along `axis` replaced by 0.
static LinearLayout withoutAxis(const LinearLayout &layout, unsigned axis) {
  SmallVector<DimBits> outs;
  for (DimBits out : layout.getOutDims())
    outs.push_back({out.dim, out.dim == tensorDim(axis) ? uint8_t(0) : out.bits});
  LinearLayout result = LinearLayout::zeros(layout.getInDims(), std::span<const DimBits>(outs.data(), outs.size()));
  for (DimBits in : layout.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      SmallVector<DimIndex> value;
      for (DimBits out : outs)
        value.push_back({out.dim, out.dim == tensorDim(axis) ? 0 : layout.getBasis(in.dim, bit, out.dim)});
      result.setBasis(in.dim, bit, std::span<const DimIndex>(value.data(), value.size()));
    }
  return result;
}

SelectionPlan planSelection(RankedTensorType indices, MemDescType type, unsigned axis, bool writes, int numCtas) {
  ClusterPlaces places = placesOfBuffer(type, numCtas);
  LinearLayout registers = toLinearLayout(indices), known = withoutAxis(registers, axis);
  ClusterAccess access = writes ? planClusterStore(known, places, registers) : planClusterLoad(known, places);
  int32_t reached = startBits(type, places.toOffset);
  for (unsigned bit = 0; bit < places.toOffset.getInDimSizeLog2(tensorDim(axis)); ++bit)
    reached |= places.toOffset.getBasis(tensorDim(axis), bit, Dim::Offset);
  int32_t ownCopies = places.copies & ~access.copies;
  if (access.isOwn && !(reached & places.rankMask()))
    return {offsetsOfBuffer(type), access.offsetInPart(), places.partBits, ownCopies, 0, true};
  return {places.toOffset, access.toOffset, places.partBits, ownCopies, access.copies, false};
}

bool accessesOtherCtas(Operation *op, int numCtas) {
  if (numCtas == 1)
    return false;
  auto isOneTile = [](MemDescType type) { return type.getSlotRank() == 0; };
  auto typeOf = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<LocalAllocOp>([&](LocalAllocOp alloc) {
        return alloc.getSrc() && isOneTile(alloc.getType()) &&
               !planStore(typeOf(alloc.getSrc()), alloc.getType(), numCtas).isOwn;
      })
      .Case<LocalLoadOp>([&](LocalLoadOp load) {
        MemDescType type = load.getSrc().getType();
        return isOneTile(type) && !planLoad(load.getType(), type, numCtas).isOwn;
      })
      .Case<LocalStoreOp>([&](LocalStoreOp store) {
        MemDescType type = store.getDst().getType();
        return isOneTile(type) && !planStore(typeOf(store.getValue()), type, numCtas).isOwn;
      })
      .Case<LocalGatherOp>([&](LocalGatherOp gather) {
        return !planSelection(typeOf(gather.getIndices()), gather.getSrc().getType(), gather.getAxis(),
                              /*writes=*/false, numCtas)
                    .isOwn;
      })
      .Case<LocalScatterOp, LocalAtomicScatterOp>([&](auto scatter) {
        return !planSelection(typeOf(scatter.getIndices()), scatter.getDst().getType(), scatter.getAxis(),
                              /*writes=*/true, numCtas)
                    .isOwn;
      })
      .Default(false);
}

} // namespace hocket::hk
