//===- ClusterStoresPlan.cpp - Which block's memory each element of a tile is stored to -----------===//
#include "plans/ClusterStoresPlan.h"

namespace hocket {

using DimList = LinearLayout::DimList;

/// Coordinates -> offset among the memories of all blocks.
static LinearLayout placesInCluster(const LinearLayout &shared, unsigned partBits, unsigned blockBits) {
  LinearLayout holders = shared.pseudoinvert();
  DimList ins;
  for (DimBits in : holders.getInDims())
    ins.push_back(in);
  const DimBits all[] = {{Dim::Offset, uint8_t(partBits + blockBits)}};
  LinearLayout places = LinearLayout::zeros(ins, all);
  for (DimBits in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      int32_t rank = holders.hasOutDim(Dim::Block) ? holders.getBasis(in.dim, bit, Dim::Block) : 0;
      int32_t place = holders.getBasis(in.dim, bit, Dim::Offset) | rank << partBits;
      places.setBasis(in.dim, bit, Coords{{Dim::Offset, place}});
    }
  return places;
}

/// Whether blocks that differ in this bit of their number have copies.
static bool hasCopies(const LinearLayout &layout, unsigned bit) {
  if (bit >= layout.getInDimSizeLog2(Dim::Block))
    return true;
  for (DimBits out : layout.getOutDims())
    if (layout.getBasis(Dim::Block, bit, out.dim))
      return false;
  return true;
}

ClusterStores planClusterStores(const LinearLayout &registers, const LinearLayout &shared, unsigned blockBits) {
  ClusterStores stores;
  stores.partBits = shared.getInDimSizeLog2(Dim::Offset);
  LinearLayout places = placesInCluster(shared, stores.partBits, blockBits);
  LinearLayout stored = registers.compose(places);

  DimList ins;
  for (DimBits in : registers.getInDims())
    if (in.dim != Dim::Block)
      ins.push_back(in);
  ins.push_back({Dim::Block, uint8_t(blockBits)});
  const DimBits all[] = {{Dim::Offset, uint8_t(stores.partBits + blockBits)}};
  stores.toOffset = LinearLayout::zeros(ins, all);
  for (DimBits in : registers.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      stores.toOffset.setBasis(in.dim, bit, stored.getBasis(in.dim, bit));
  for (unsigned bit = 0; bit < blockBits; ++bit) {
    if (!hasCopies(shared, bit))
      continue;
    if (hasCopies(registers, bit))
      stores.toOffset.setBasis(Dim::Block, bit, Coords{{Dim::Offset, int32_t(1) << (stores.partBits + bit)}});
    else
      stores.copies |= int32_t(1) << bit;
  }
  return stores;
}

} // namespace hocket
