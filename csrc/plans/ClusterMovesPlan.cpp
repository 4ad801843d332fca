//===- ClusterMovesPlan.cpp - Layout conversions between the blocks of a cluster ------------===//
#include "plans/ClusterMovesPlan.h"

#include "plans/PositionMap.h"
#include <algorithm>
#include <bit>
#include <vector>

namespace hocket {

using DimList = LinearLayout::DimList;

/// Returns the size of one block's part of the tile: for each dimension, the number of low index bits in which elements
/// of the part differ.
static DimList sizesOfPart(const LinearLayout &layout) {
  DimList sizes;
  for (DimBits out : layout.getOutDims()) {
    uint32_t reached = 0;
    for (DimBits in : layout.getInDims())
      for (unsigned bit = 0; bit < in.bits && in.dim != Dim::Block; ++bit)
        reached |= uint32_t(layout.getBasis(in.dim, bit, out.dim));
    sizes.push_back({out.dim, uint8_t(std::bit_width(reached))});
  }
  return sizes;
}

std::optional<LinearLayout> withinBlock(const LinearLayout &layout) {
  DimList ins, outs = sizesOfPart(layout);
  for (DimBits in : layout.getInDims())
    if (in.dim != Dim::Block)
      ins.push_back(in);
  LinearLayout part = LinearLayout::zeros(ins, outs);
  for (DimBits in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      part.setBasis(in.dim, bit, layout.getBasis(in.dim, bit));
  bool startsApart = true;
  for (unsigned bit = 0; bit < layout.getInDimSizeLog2(Dim::Block); ++bit)
    for (DimBits out : outs)
      startsApart &= layout.getBasis(Dim::Block, bit, out.dim) % out.size() == 0;
  if (!startsApart || !part.isSurjective())
    return std::nullopt;
  return part;
}

static std::vector<uint64_t> blockBases(const LinearLayout &layout, unsigned bits) {
  return flatBases(layout, Dim::Block, bits);
}

bool haveEqualParts(const LinearLayout &src, const LinearLayout &dst) {
  unsigned bits = std::max(src.getInDimSizeLog2(Dim::Block), dst.getInDimSizeLog2(Dim::Block));
  return blockBases(src, bits) == blockBases(dst, bits);
}

/// Maps the operand's elements to offsets in the scratch memories of all blocks. The low bits of an offset are the
/// offset within a block's part of the tile, and the high bits are the rank of the block. If several blocks hold copies
/// of an element, the block with the lowest rank is chosen.
static LinearLayout offsetsInCluster(const LinearLayout &src, const LinearLayout &part, unsigned partBits,
                                     unsigned blockBits) {
  DimList ins;
  for (DimBits out : src.getOutDims())
    ins.push_back(out);
  const DimBits offset[] = {{Dim::Offset, uint8_t(partBits + blockBits)}};
  LinearLayout positions = LinearLayout::zeros(ins, offset);
  unsigned shift = partBits;
  for (DimBits in : ins) { // the last dimension is contiguous in scratch memory
    unsigned inPart = part.getOutDimSizeLog2(in.dim);
    shift -= inPart;
    for (unsigned bit = 0; bit < inPart; ++bit)
      positions.setBasis(in.dim, bit, Coords{{Dim::Offset, int32_t(1) << (shift + bit)}});
  }
  for (unsigned block = 0; block < src.getInDimSizeLog2(Dim::Block); ++block)
    for (DimBits in : ins)
      if (int32_t start = src.getBasis(Dim::Block, block, in.dim))
        positions.setBasis(in.dim, unsigned(std::countr_zero(uint32_t(start))),
                           Coords{{Dim::Offset, int32_t(1) << (partBits + block)}});
  return positions;
}

std::optional<ClusterMoves> planClusterMoves(const LinearLayout &src, const LinearLayout &dst, unsigned elementBits,
                                             int maxAccessBits) {
  std::optional<LinearLayout> part = withinBlock(src);
  if (!part)
    return std::nullopt;
  for (unsigned block = 0; block < src.getInDimSizeLog2(Dim::Block); ++block) {
    // Each bit of a block's rank must change at most one coordinate bit, so that this coordinate bit determines the
    // rank bit.
    unsigned moved = 0;
    for (DimBits out : src.getOutDims())
      moved += unsigned(std::popcount(uint32_t(src.getBasis(Dim::Block, block, out.dim))));
    if (moved > 1)
      return std::nullopt;
  }
  unsigned blockBits = std::max(src.getInDimSizeLog2(Dim::Block), dst.getInDimSizeLog2(Dim::Block));
  ClusterMoves moves;
  moves.partBits = part->getTotalOutBits();
  LinearLayout positions = offsetsInCluster(src, *part, moves.partBits, blockBits);

  const DimBits offset[] = {{Dim::Offset, uint8_t(moves.partBits)}};
  std::vector<Dim> tile;
  for (DimBits out : src.getOutDims())
    tile.push_back(out.dim);
  const Dim holders[] = {Dim::Register, Dim::Lane, Dim::Warp};
  moves.storeOffset = src.sublayout(holders, tile).compose(positions).ensureNotLargerThan(offset);

  DimList ins;
  for (DimBits in : dst.getInDims())
    if (in.dim != Dim::Block)
      ins.push_back(in);
  ins.push_back({Dim::Block, uint8_t(blockBits)});
  const DimBits all[] = {{Dim::Offset, uint8_t(moves.partBits + blockBits)}};
  LinearLayout wanted = dst.compose(positions);
  moves.loadOffset = LinearLayout::zeros(ins, all);
  for (DimBits in : dst.getInDims())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      moves.loadOffset.setBasis(in.dim, bit, wanted.getBasis(in.dim, bit));
  // If several blocks hold copies of an element, each of these blocks reads its own copy.
  std::vector<uint64_t> starts = blockBases(src, blockBits);
  for (unsigned block = 0; block < blockBits; ++block)
    if (!starts[block]) {
      int32_t position = moves.loadOffset.getBasis(Dim::Block, block, Dim::Offset);
      moves.loadOffset.setBasis(Dim::Block, block,
                                Coords{{Dim::Offset, position | int32_t(1) << (moves.partBits + block)}});
    }

  int32_t maxWidth = int32_t(1) << std::min<unsigned>(moves.partBits, unsigned(log2Exact(maxAccessBits / elementBits)));
  moves.store = planVectorAccess(moves.storeOffset, maxWidth);
  moves.load = planVectorAccess(moves.loadOffset, maxWidth);
  moves.scratchBytes = (int64_t(1) << moves.partBits) * elementBits / 8;
  return moves;
}

} // namespace hocket
