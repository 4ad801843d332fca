//===- TmaBoxes.cpp - Positions of TMA's boxes in a tile of shared memory ------------------------===//
#include "dialect/hk_nv/TmaBoxes.h"

#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/layouts/SharedOffsets.h"

using namespace mlir;

namespace hocket::hk_nv {

/// True if `a` and `b` map each coordinate below `size` along dimension `dim` to the same offset.
static bool agreeBelow(const LinearLayout &a, const LinearLayout &b, Dim dim, int64_t size) {
  for (unsigned bit = 0; bit < log2Exact(size); ++bit)
    if (a.getBasis(dim, bit, Dim::Offset) != b.getBasis(dim, bit, Dim::Offset))
      return false;
  return true;
}

std::string whyNotBoxes(hk::MemDescType tile, TensorDescType desc) {
  if (std::string whyNot = desc.getLayout().whyNotForTma(desc.getElementType()); !whyNot.empty())
    return whyNot;
  if (tile.getTileShape() == tile.getAllocTileShape())
    return {};
  ClusterOffsets clusterOffsets = hk::clusterOffsetsOf(tile, 1);
  if (hk::startBits(tile, clusterOffsets.toOffset) & clusterOffsets.rankMask())
    return "only some CTAs of the cluster hold it (cga_layout)";
  auto whole = hk::MemDescType::get(tile.getTileShape(), tile.getElementType(), tile.getLayout());
  LinearLayout inTile = hk::offsetsOfPart(tile), alone = hk::offsetsOfPart(whole);
  SmallVector<int64_t> box = desc.getBoxShape();
  for (auto [dim, size] : llvm::enumerate(box))
    if (!agreeBelow(inTile, alone, tensorDim(dim), size))
      return "its rows are further apart than those of a tile that is not a slice";
  // The hardware swizzles by bits of the address: each box must begin at a multiple of the swizzle's period.
  int32_t starts = hk::startBits(tile, clusterOffsets.toOffset);
  for (auto [dim, size] : llvm::enumerate(box))
    for (unsigned bit = log2Exact(size); bit < inTile.getInDimSizeLog2(tensorDim(dim)); ++bit)
      starts |= inTile.getBasis(tensorDim(dim), bit, Dim::Offset);
  int64_t alignment = cast<MmaSharedAttr>(tile.getLayout()).getAlignment();
  if (starts * int64_t(tile.getElementType().getIntOrFloatBitWidth() / 8) % alignment != 0)
    return "its address is not a multiple of " + std::to_string(alignment) + " bytes";
  return {};
}

SmallVector<TmaBox> boxesOf(hk::MemDescType tile, TensorDescType desc) {
  SmallVector<int64_t> box = desc.getBoxShape(), part = desc.getPartShape();
  LinearLayout toOffset = hk::offsetsOfPart(tile);
  SmallVector<TmaBox> boxes;
  int64_t count = ShapedType::getNumElements(part) / ShapedType::getNumElements(box);
  for (int64_t index = 0; index < count; ++index) {
    TmaBox next;
    next.start.resize(box.size());
    std::vector<DimIndex> coordinates;
    int64_t rest = index;
    for (unsigned dim = box.size(); dim-- > 0;) {
      int64_t along = part[dim] / box[dim];
      next.start[dim] = rest % along * box[dim];
      rest /= along;
      coordinates.push_back({tensorDim(dim), int32_t(next.start[dim])});
    }
    int32_t element = toOffset.apply(coordinates)[Dim::Offset];
    next.bytes = element * (tile.getElementType().getIntOrFloatBitWidth() / 8);
    boxes.push_back(std::move(next));
  }
  return boxes;
}

} // namespace hocket::hk_nv
