//===- ClusterAccesses.cpp - Accesses to tiles that are split among the CTAs of a cluster ------------===//
#include "dialect/hk/facts/ClusterAccesses.h"

#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialect/hk/facts/ClusterInterfaces.cpp.inc"

using namespace mlir;

namespace hocket::hk {

ClusterOffsets clusterOffsetsOf(MemDescType type, int numCtas) {
  LinearLayout shared = toLinearLayout(type);
  return offsetsInCluster(shared, std::max(log2Exact(numCtas), shared.getInDimSizeLog2(Dim::Block)));
}

/// Restricts `access` to a view of the type `type`. A view that starts in the memory of one CTA is remote memory for
/// the other CTAs.
static ClusterAccess inView(ClusterAccess access, MemDescType type, const ClusterOffsets &clusterOffsets) {
  access.isOwn &= !(startBits(type, clusterOffsets.toOffset) & clusterOffsets.rankMask());
  return access;
}

ClusterAccess planLoad(RankedTensorType tensor, MemDescType type, int numCtas) {
  ClusterOffsets clusterOffsets = clusterOffsetsOf(type, numCtas);
  return inView(planClusterLoad(toLinearLayout(tensor), clusterOffsets), type, clusterOffsets);
}

ClusterAccess planStore(RankedTensorType tensor, MemDescType type, int numCtas) {
  ClusterOffsets clusterOffsets = clusterOffsetsOf(type, numCtas);
  return inView(planClusterStore(toLinearLayout(tensor), clusterOffsets), type, clusterOffsets);
}

/// Returns `layout` with the coordinate along `axis` replaced by 0.
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
  ClusterOffsets clusterOffsets = clusterOffsetsOf(type, numCtas);
  LinearLayout registers = toLinearLayout(indices), known = withoutAxis(registers, axis);
  ClusterAccess access =
      writes ? planClusterStore(known, clusterOffsets, registers) : planClusterLoad(known, clusterOffsets);
  int32_t reached = startBits(type, clusterOffsets.toOffset);
  for (unsigned bit = 0; bit < clusterOffsets.toOffset.getInDimSizeLog2(tensorDim(axis)); ++bit)
    reached |= clusterOffsets.toOffset.getBasis(tensorDim(axis), bit, Dim::Offset);
  int32_t ownCopies = clusterOffsets.copies & ~access.copies;
  if (access.isOwn && !(reached & clusterOffsets.rankMask()))
    return {offsetsOfBuffer(type), access.offsetInPart(), clusterOffsets.partBits, ownCopies, 0, true};
  return {clusterOffsets.toOffset, access.toOffset, clusterOffsets.partBits, ownCopies, access.copies, false};
}

bool reachesOtherMbarriers(Operation *op) {
  auto use = dyn_cast<ClusterMbarrierUse>(op);
  return use && use.getReachesOtherCtas();
}

bool endsClusterBarrier(Operation *op) {
  auto use = dyn_cast<ClusterMbarrierUse>(op);
  return use && use.getEndsClusterBarrier();
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
