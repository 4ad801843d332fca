//===- SlotMatrix.cpp - The matrix descriptor of tiles in shared memory -----------------------===//
#include "dialect/hk_nv/SlotMatrix.h"

#include "dialect/hk/layouts/Layouts.h"
#include "dialect/hk/layouts/SharedOffsets.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

std::optional<DescribedMatrix> describeSlots(hk::MemDescType type, unsigned own, int64_t rows, int64_t slots) {
  if (!cast<hk::SharedLayout>(type.getLayout()).getPaddings().empty())
    return std::nullopt;
  LinearLayout toOffset = hk::offsetsOfPart(type);
  if (slots > 1) {
    bool isWhole = type.getTileShape() == type.getAllocTileShape();
    if (!isWhole || toOffset.getOutDimSize(Dim::Offset) != type.getSlotStride())
      return std::nullopt;
    // The sizes of a layout are powers of two, so the number of slots is rounded up. No instruction reads the added
    // slots.
    int64_t size = int64_t(llvm::PowerOf2Ceil(slots));
    toOffset *= LinearLayout::identity1D(int32_t(size), tensorDim(own), Dim::Offset);
    rows *= size;
  }
  return describeMatrix(toOffset, tensorDim(own), tensorDim(1 - own), rows,
                        type.getElementType().getIntOrFloatBitWidth());
}

} // namespace hocket
