//===- SharedMemoryOps.cpp - Operations of SharedMemoryOps.td: verification and interfaces ------===//
#include "dialect/hk/facts/TypeChecks.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket::hk {

void LocalAllocOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  OpResult buffer = getOperation()->getOpResult(0);
  SideEffects::Resource *memory = getType().getSpace().getResource();
  effects.emplace_back(MemoryEffects::Allocate::get(), buffer, memory);
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), buffer, memory);
}

RankedTensorType LocalAllocOp::getRegisters() {
  return getSrc() ? cast<RankedTensorType>(getSrc().getType()) : RankedTensorType();
}

RankedTensorType LocalLoadOp::getRegisters() { return getType(); }

RankedTensorType LocalStoreOp::getRegisters() { return cast<RankedTensorType>(getValue().getType()); }

// Views ---------------------------------------------------------------------------------------------------------------

ViewedPart MemDescIndexOp::getViewedPart() {
  ViewedBox box{{}, {{0, getIndex()}}};
  for (unsigned dim = 1; dim < getSrc().getType().getShape().size(); ++dim)
    box.dims.push_back({dim});
  return box;
}

ViewedPart MemDescSliceOp::getViewedPart() {
  ViewedBox box;
  for (auto [dim, offset] : llvm::enumerate(getOffsets()))
    box.dims.push_back({unsigned(dim), offset});
  return box;
}

ViewedPart MemDescPermuteOp::getViewedPart() {
  ViewedBox box;
  for (int32_t dim : getOrder())
    box.dims.push_back({unsigned(dim)});
  return box;
}

ViewedPart MemDescReshapeOp::getViewedPart() { return ViewedRowMajor(); }

ViewedPart MemDescReinterpretOp::getViewedPart() { return ViewedBytes(); }

// Verification --------------------------------------------------------------------------------------------------------

static LogicalResult verifySameContents(Operation *op, RankedTensorType tensor, MemDescType desc) {
  if (tensor.getShape() != desc.getShape() || tensor.getElementType() != desc.getElementType())
    return op->emitOpError() << "needs a tensor and a descriptor of one shape and element type, but has " << tensor
                             << " and " << desc;
  return success();
}

static LogicalResult verifyWholeBuffer(Operation *op, MemDescType desc) {
  if (desc.getShape() != desc.getAllocShape())
    return op->emitOpError() << "needs whole buffers, but " << desc << " refers to only a part of one";
  return success();
}

static LogicalResult verifySameSpace(Operation *op, MemDescType src, MemDescType result) {
  if (src.getSpace() != result.getSpace())
    return op->emitOpError() << "needs handles in one memory space, but has " << src << " and " << result;
  return success();
}

static LogicalResult verifySameElementType(Operation *op, MemDescType src, MemDescType result) {
  if (src.getElementType() != result.getElementType())
    return op->emitOpError() << "keeps the element type, but turns " << src.getElementType() << " into "
                             << result.getElementType();
  return success();
}

LogicalResult LocalAllocOp::verify() {
  if (failed(verifyWholeBuffer(*this, getType())))
    return failure();
  if (getSrc() && !isa<SharedSpaceAttr>(getType().getSpace()))
    return emitOpError() << "stores a value into shared memory only, not into " << getType().getSpace().getName();
  if (getSrc())
    return verifySameContents(*this, cast<RankedTensorType>(getSrc().getType()), getType());
  return success();
}

LogicalResult LocalLoadOp::verify() { return verifySameContents(*this, getType(), getSrc().getType()); }

LogicalResult LocalStoreOp::verify() {
  return verifySameContents(*this, cast<RankedTensorType>(getValue().getType()), getDst().getType());
}

/// Verifies that `values` have the type of elements of `desc` that `indices` select along `axis`.
static LogicalResult verifySelected(Operation *op, RankedTensorType values, MemDescType desc, RankedTensorType indices,
                                    int64_t axis) {
  if (!indices.getElementType().isSignlessInteger(32) || indices.getRank() != int64_t(desc.getShape().size()))
    return op->emitOpError() << "needs i32 indices of rank " << desc.getShape().size() << ", not " << indices;
  bool isAlike = values.getShape() == indices.getShape() && values.getElementType() == desc.getElementType() &&
                 mayBeEquivalentLayouts(values.getShape(), values.getEncoding(), indices.getEncoding());
  if (!isAlike)
    return op->emitOpError() << "needs values of the descriptor's element type in the shape and layout of the indices, "
                                "but has "
                             << values << " for " << indices << " and " << desc;
  if (axis < 0 || axis >= indices.getRank())
    return op->emitOpError() << "axis must be in 0.." << indices.getRank() - 1 << ", but is " << axis;
  for (auto [dim, size] : llvm::enumerate(indices.getShape()))
    if (int64_t(dim) != axis && size > desc.getShape()[dim])
      return op->emitOpError() << "selects along axis " << axis << " only, but dimension " << dim << " of " << indices
                               << " is larger than that of " << desc;
  return success();
}

LogicalResult LocalGatherOp::verify() {
  return verifySelected(*this, getType(), getSrc().getType(), cast<RankedTensorType>(getIndices().getType()),
                        getAxis());
}

LogicalResult LocalScatterOp::verify() {
  return verifySelected(*this, cast<RankedTensorType>(getValues().getType()), getDst().getType(),
                        cast<RankedTensorType>(getIndices().getType()), getAxis());
}

LogicalResult LocalAtomicScatterOp::verify() {
  RankedTensorType values = getType();
  if (failed(
          verifySelected(*this, values, getDst().getType(), cast<RankedTensorType>(getIndices().getType()), getAxis())))
    return failure();
  if (getMask() && getMask().getType() != withElementType(values, IntegerType::get(getContext(), 1)))
    return emitOpError() << "needs a mask in the shape and layout of the values, but has " << getMask().getType()
                         << " for " << values;
  return verifyAtomicElements(*this, getOp(), values);
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType src = getSrc().getType(), result = getType();
  FailureOr<MemDescType> expected = inferMemDescIndex(src);
  if (failed(expected))
    return emitOpError() << "needs a ring of buffers: the layout of " << src
                         << " includes all dimensions; give it a rank lower than the descriptor's";
  if (result != *expected)
    return emitOpError() << "of " << src << " makes " << *expected << ", not " << result;
  return success();
}

LogicalResult MemDescSliceOp::verify() {
  MemDescType src = getSrc().getType(), result = getType();
  if (getOffsets().size() != src.getShape().size())
    return emitOpError() << "needs one offset for each of " << src.getShape().size() << " dimensions, but has "
                         << getOffsets().size();
  if (result.getShape().size() != src.getShape().size() || result.getElementType() != src.getElementType() ||
      result.getLayout() != src.getLayout() || result.getAllocShape() != src.getAllocShape() ||
      result.getSpace() != src.getSpace())
    return emitOpError() << "changes the shape only, but turns " << src << " into " << result;
  for (auto [dim, offset] : llvm::enumerate(getOffsets())) {
    int64_t size = result.getShape()[dim];
    if (offset < 0 || offset + size > src.getShape()[dim])
      return emitOpError() << "selects [" << offset << ", " << offset + size << ") of dimension " << dim
                           << ", which has " << src.getShape()[dim] << " elements";
    if (dim >= src.getSlotRank() && offset % size != 0)
      return emitOpError() << "needs an offset that is a multiple of the size " << size << " in dimension " << dim
                           << ", not " << offset;
  }
  return success();
}

LogicalResult MemDescPermuteOp::verify() {
  MemDescType src = getSrc().getType(), result = getType();
  std::string whyNot;
  FailureOr<MemDescType> expected = inferMemDescPermute(src, getOrder(), &whyNot);
  if (failed(expected))
    return emitOpError() << "cannot have the order [" << getOrder() << "]: " << whyNot;
  bool isSame = result.getShape() == expected->getShape() && result.getAllocShape() == expected->getAllocShape() &&
                result.getElementType() == expected->getElementType() && result.getSpace() == expected->getSpace() &&
                areEquivalentLayouts(result.getAllocTileShape(), result.getLayout(), expected->getLayout());
  if (!isSame)
    return emitOpError() << "of " << src << " by [" << getOrder() << "] makes " << *expected << ", not " << result;
  return success();
}

LogicalResult MemDescReshapeOp::verify() {
  MemDescType src = getSrc().getType(), result = getType();
  if (failed(verifyWholeBuffer(*this, src)) || failed(verifyWholeBuffer(*this, result)) ||
      failed(verifySameSpace(*this, src, result)) || failed(verifySameElementType(*this, src, result)))
    return failure();
  unsigned slotRank = src.getSlotRank();
  if (result.getSlotRank() != slotRank ||
      src.getShape().take_front(slotRank) != result.getShape().take_front(slotRank) ||
      src.getNumElements() != result.getNumElements())
    return emitOpError() << "keeps the number of buffers and of elements, but turns " << src << " into " << result;
  if (!hasReshapedLayout(src, result))
    return emitOpError() << "moves no data, but layouts " << src.getLayout() << " and " << result.getLayout()
                         << " hold row-major elements at different positions";
  return success();
}

LogicalResult MemDescReinterpretOp::verify() {
  MemDescType src = getSrc().getType(), result = getType();
  if (failed(verifyWholeBuffer(*this, src)) || failed(verifyWholeBuffer(*this, result)) ||
      failed(verifySameSpace(*this, src, result)))
    return failure();
  if (result.getAllocBytes() > src.getAllocBytes())
    return emitOpError() << "to " << result << " needs " << result.getAllocBytes() << " bytes, but " << src << " has "
                         << src.getAllocBytes();
  return success();
}

} // namespace hocket::hk
