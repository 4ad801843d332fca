//===- SharedRegion.cpp - The part of a buffer that a memory descriptor shows -----===//
#include "analysis/shared/SharedRegion.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

static int64_t slotStrideBytes(hk::MemDescType type) {
  int64_t slots = ShapedType::getNumElements(type.getAllocShape().take_front(type.getSlotRank()));
  return type.getAllocBytes() / slots;
}

SharedRegion SharedRegion::ofBuffer(hk::LocalAllocOp alloc) {
  SharedRegion region;
  region.owner = alloc;
  region.setGeometry(alloc.getType(), 0);
  return region;
}

SharedRegion SharedRegion::ofScratch(Operation *op, int64_t bytes) {
  SharedRegion region;
  region.owner = op;
  region.bytes = {0, bytes};
  return region;
}

SharedRegion SharedRegion::somewhereInBuffer() const {
  SharedRegion region = ofBuffer(cast<hk::LocalAllocOp>(owner));
  region.exact = false;
  region.forgetBox();
  return region;
}

void SharedRegion::forgetBox() {
  geometry = {};
  box.clear();
  dims.clear();
}

void SharedRegion::setGeometry(hk::MemDescType type, int64_t begin) {
  geometry = type;
  geometryBegin = begin;
  box.clear();
  dims.clear();
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    box.push_back({0, size});
    dims.push_back(dim);
  }
  updateBytes();
}

void SharedRegion::updateBytes() {
  // Slots lie one after the other; within a slot, elements may be anywhere.
  int64_t first = 0, last = 0;
  for (unsigned dim = 0; dim < geometry.getSlotRank(); ++dim) {
    int64_t size = geometry.getAllocShape()[dim];
    first = first * size + box[dim].begin;
    last = last * size + box[dim].end - 1;
  }
  int64_t stride = slotStrideBytes(geometry);
  bytes = {geometryBegin + first * stride, geometryBegin + (last + 1) * stride};
}

SharedRegion SharedRegion::viewedBy(Operation *view) const {
  return llvm::TypeSwitch<Operation *, SharedRegion>(view)
      .Case([&](hk::MemDescIndexOp op) { return indexed(op); })
      .Case([&](hk::MemDescSliceOp op) { return sliced(op); })
      .Case([&](hk::MemDescPermuteOp op) { return permuted(op); })
      .Case<hk::MemDescReshapeOp, hk::MemDescReinterpretOp>(
          [&](auto op) { return reinterpreted(cast<hk::MemDescType>(op.getType())); })
      .Default([&](Operation *) { return somewhereInBuffer(); });
}

SharedRegion SharedRegion::indexed(hk::MemDescIndexOp op) const {
  SharedRegion slot = *this;
  APInt index;
  bool isConstant = matchPattern(op.getIndex(), m_ConstantInt(&index));
  slot.exact &= isConstant;
  if (!geometry)
    return slot;
  unsigned dim = dims.front();
  slot.dims.erase(slot.dims.begin());
  if (isConstant) {
    int64_t at = box[dim].begin + index.getSExtValue();
    slot.box[dim] = {at, at + 1};
    slot.updateBytes();
  }
  return slot;
}

SharedRegion SharedRegion::sliced(hk::MemDescSliceOp op) const {
  SharedRegion part = *this;
  if (!geometry)
    return part;
  for (auto [viewDim, offset, size] :
       llvm::enumerate(op.getOffsets(), cast<hk::MemDescType>(op.getType()).getShape())) {
    int64_t begin = box[dims[viewDim]].begin + offset;
    part.box[dims[viewDim]] = {begin, begin + size};
  }
  part.updateBytes();
  return part;
}

SharedRegion SharedRegion::permuted(hk::MemDescPermuteOp op) const {
  SharedRegion view = *this;
  if (geometry)
    for (auto [viewDim, from] : llvm::enumerate(op.getOrder()))
      view.dims[viewDim] = dims[from];
  return view;
}

SharedRegion SharedRegion::reinterpreted(hk::MemDescType type) const {
  SharedRegion view = *this;
  bool wholeTiles = geometry && exact;
  for (unsigned dim = geometry ? geometry.getSlotRank() : 0; dim < box.size(); ++dim)
    wholeTiles &= box[dim] == Interval{0, geometry.getAllocShape()[dim]};
  if (wholeTiles) {
    view.setGeometry(type, bytes.begin);
    return view;
  }
  view.forgetBox();
  return view;
}

bool SharedRegion::isSameViewOfSlot(const SharedRegion &other) const {
  return geometry && owner == other.owner && geometry == other.geometry && geometryBegin == other.geometryBegin &&
         dims == other.dims && llvm::all_of(dims, [&](unsigned dim) { return box[dim] == other.box[dim]; });
}

Interval SharedRegion::placedBytes() const {
  int64_t offset = owner->getAttrOfType<IntegerAttr>(hk::HkDialect::kOffsetAttr).getInt();
  return {offset + bytes.begin, offset + bytes.end};
}

bool SharedRegion::mayOverlap(const SharedRegion &other) const {
  if (owner == other.owner && geometry && geometry == other.geometry && geometryBegin == other.geometryBegin)
    return llvm::all_of(llvm::zip_equal(box, other.box),
                        [](auto pair) { return std::get<0>(pair).overlaps(std::get<1>(pair)); });
  return placedBytes().overlaps(other.placedBytes());
}

} // namespace hocket
