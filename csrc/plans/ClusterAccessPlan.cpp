//===- ClusterAccessPlan.cpp - Accesses to tiles in a cluster's distributed shared memory ---------===//
#include "plans/ClusterAccessPlan.h"

namespace hocket {

using DimList = LinearLayout::DimList;

/// True if CTAs whose ranks differ only in bit number `bit` hold copies of the same elements.
static bool hasCopies(const LinearLayout &layout, unsigned bit) {
  if (bit >= layout.getInDimSizeLog2(Dim::Block))
    return true;
  for (DimBits out : layout.getOutDims())
    if (layout.getBasis(Dim::Block, bit, out.dim))
      return false;
  return true;
}

ClusterOffsets offsetsInCluster(const LinearLayout &shared, unsigned blockBits) {
  LinearLayout holders = shared.pseudoinvert();
  ClusterOffsets positions;
  positions.partBits = shared.getInDimSizeLog2(Dim::Offset);
  positions.blockBits = blockBits;
  DimList ins;
  for (DimBits in : holders.getInDims())
    ins.push_back(in);
  const DimBits all[] = {{Dim::Offset, uint8_t(positions.partBits + blockBits)}};
  positions.toOffset = LinearLayout::zeros(ins, all);
  for (DimBits in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      int32_t rank = holders.hasOutDim(Dim::Block) ? holders.getBasis(in.dim, bit, Dim::Block) : 0;
      int32_t offset = holders.getBasis(in.dim, bit, Dim::Offset) | rank << positions.partBits;
      positions.toOffset.setBasis(in.dim, bit, Coords{{Dim::Offset, offset}});
    }
  for (unsigned bit = 0; bit < blockBits; ++bit)
    if (hasCopies(shared, bit))
      positions.copies |= int32_t(1) << bit;
  return positions;
}

/// Plans accesses to the copy in the CTA with the lowest rank, if several CTAs have copies of an element.
static ClusterAccess accessFirstCopies(const LinearLayout &registers, const ClusterOffsets &positions) {
  LinearLayout accessed = registers.compose(positions.toOffset);
  DimList ins;
  for (DimBits in : registers.getInDims())
    if (in.dim != Dim::Block)
      ins.push_back(in);
  ins.push_back({Dim::Block, uint8_t(positions.blockBits)});
  const DimBits all[] = {{Dim::Offset, uint8_t(positions.partBits + positions.blockBits)}};
  ClusterAccess access;
  access.partBits = positions.partBits;
  access.toOffset = LinearLayout::zeros(ins, all);
  for (DimBits in : registers.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      access.toOffset.setBasis(in.dim, bit, accessed.getBasis(in.dim, bit));
  return access;
}

/// Changes `access` so that each CTA accesses a copy in a CTA whose rank equals its own rank in bit number `bit`.
static void accessOwnCopy(ClusterAccess &access, unsigned bit) {
  int32_t offset = access.toOffset.getBasis(Dim::Block, bit, Dim::Offset);
  access.toOffset.setBasis(Dim::Block, bit, Coords{{Dim::Offset, offset | int32_t(1) << (access.partBits + bit)}});
}

static bool isOwn(const ClusterAccess &access) {
  if (access.copies)
    return false;
  for (DimBits in : access.toOffset.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      int32_t rank = access.toOffset.getBasis(in.dim, bit, Dim::Offset) >> access.partBits;
      if (rank != (in.dim == Dim::Block ? int32_t(1) << bit : 0))
        return false;
    }
  return true;
}

ClusterAccess planClusterLoad(const LinearLayout &registers, const ClusterOffsets &positions) {
  ClusterAccess access = accessFirstCopies(registers, positions);
  for (unsigned bit = 0; bit < positions.blockBits; ++bit)
    if (positions.copies >> bit & 1)
      accessOwnCopy(access, bit);
  access.isOwn = isOwn(access);
  return access;
}

ClusterAccess planClusterStore(const LinearLayout &registers, const ClusterOffsets &positions) {
  return planClusterStore(registers, positions, registers);
}

ClusterAccess planClusterStore(const LinearLayout &known, const ClusterOffsets &positions,
                               const LinearLayout &registers) {
  ClusterAccess access = accessFirstCopies(known, positions);
  for (unsigned bit = 0; bit < positions.blockBits; ++bit) {
    if (!(positions.copies >> bit & 1))
      continue;
    if (hasCopies(registers, bit))
      accessOwnCopy(access, bit);
    else
      access.copies |= int32_t(1) << bit;
  }
  access.isOwn = isOwn(access);
  return access;
}

LinearLayout ClusterAccess::offsetInPart() const {
  const DimBits part[] = {{Dim::Offset, uint8_t(partBits)}};
  return toOffset.ensureNotLargerThan(part);
}

} // namespace hocket
