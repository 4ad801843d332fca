//===- SharedOffsets.cpp - Offsets of a buffer's elements in shared memory --------===//
#include "dialect/hk/layouts/SharedOffsets.h"

#include "dialect/hk/layouts/Layouts.h"
#include "plans/ClusterMovesPlan.h"

using namespace mlir;

namespace hocket::hk {

LinearLayout offsetsOfBuffer(MemDescType type) {
  LinearLayout shared = toLinearLayout(type);
  SmallVector<Dim> dims;
  for (DimBits out : shared.getOutDims())
    dims.push_back(out.dim);
  const Dim offset[] = {Dim::Offset};
  // For a tile that is split among a cluster's blocks, the result is the offset in the shared memory of the block that
  // has the element.
  return shared.pseudoinvert().sublayout(dims, offset);
}

LinearLayout offsetsOfPart(MemDescType type) {
  LinearLayout shared = toLinearLayout(type);
  std::optional<LinearLayout> part = shared.getInDimSizeLog2(Dim::Block) ? withinBlock(shared) : std::nullopt;
  return part ? part->invert() : offsetsOfBuffer(type);
}

int32_t startBits(MemDescType type, const LinearLayout &toOffset) {
  int32_t bits = 0;
  for (auto [dim, size] : llvm::enumerate(type.getTileShape()))
    for (unsigned bit = log2Exact(size); bit < toOffset.getInDimSizeLog2(tensorDim(dim)); ++bit)
      bits |= toOffset.getBasis(tensorDim(dim), bit, Dim::Offset);
  return bits;
}

SharedTileAccess sharedTileAccessOf(RankedTensorType tensor, MemDescType buffer) {
  LinearLayout bufferOffsets = offsetsOfBuffer(buffer);
  auto paddings = cast<SharedLayout>(buffer.getLayout()).getPaddings();
  return {.toOffset = toLinearLayout(tensor).compose(bufferOffsets),
          .elementBits = int32_t(buffer.getElementType().getIntOrFloatBitWidth()),
          .paddings = {paddings.begin(), paddings.end()},
          .startBits = startBits(buffer, bufferOffsets)};
}

} // namespace hocket::hk
