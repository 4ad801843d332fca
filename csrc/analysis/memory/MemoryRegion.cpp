//===- MemoryRegion.cpp - The part of a buffer that a memory descriptor refers to -===//
#include "analysis/memory/MemoryRegion.h"

#include "dialect/hk/facts/Scratch.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

hk::MemorySpace spaceOf(Operation *owner) {
  if (auto alloc = dyn_cast<hk::LocalAllocOp>(owner))
    return alloc.getType().getSpace();
  return hk::SharedSpaceAttr::get(owner->getContext());
}

static int64_t slotStrideBytes(hk::MemDescType type) {
  int64_t slots = ShapedType::getNumElements(type.getAllocShape().take_front(type.getSlotRank()));
  return type.getAllocBytes() / slots;
}

MemoryRegion MemoryRegion::ofBuffer(hk::LocalAllocOp alloc) {
  MemoryRegion region;
  region.owner = alloc;
  region.setGeometry(alloc.getType(), 0);
  return region;
}

MemoryRegion MemoryRegion::ofScratch(Operation *op, int64_t bytes) {
  MemoryRegion region;
  region.owner = op;
  region.bytes = {0, bytes};
  return region;
}

MemoryRegion MemoryRegion::somewhereInBuffer() const {
  MemoryRegion region = ofBuffer(cast<hk::LocalAllocOp>(owner));
  region.exact = false;
  region.forgetBox();
  return region;
}

void MemoryRegion::forgetBox() {
  geometry = {};
  box.clear();
  dims.clear();
}

void MemoryRegion::setGeometry(hk::MemDescType type, int64_t begin) {
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

void MemoryRegion::updateBytes() {
  // The slots of a buffer are contiguous in memory. `bytes` is the interval of all slots of the ring buffer that the
  // box intersects, for any layout of the elements within a slot.
  int64_t first = 0, last = 0;
  for (unsigned dim = 0; dim < geometry.getSlotRank(); ++dim) {
    int64_t size = geometry.getAllocShape()[dim];
    first = first * size + box[dim].begin;
    last = last * size + box[dim].end - 1;
  }
  int64_t stride = slotStrideBytes(geometry);
  bytes = {geometryBegin + first * stride, geometryBegin + (last + 1) * stride};
}

MemoryRegion MemoryRegion::viewedBy(hk::MemDescView view) const {
  auto type = cast<hk::MemDescType>(view->getResult(0).getType());
  hk::ViewedPart part = view.getViewedPart();
  if (auto *viewed = std::get_if<hk::ViewedBox>(&part))
    return cut(*viewed, type.getShape());
  return reinterpreted(type);
}

MemoryRegion MemoryRegion::cut(const hk::ViewedBox &viewed, ArrayRef<int64_t> shape) const {
  MemoryRegion part = *this;
  part.dims.clear();
  for (auto [dim, size] : llvm::zip_equal(viewed.dims, shape)) {
    if (!geometry)
      break;
    unsigned cutDim = part.dims.emplace_back(dims[dim.source]);
    int64_t begin = box[cutDim].begin + dim.offset;
    part.box[cutDim] = {begin, begin + size};
  }
  for (const hk::ViewedBox::Selection &selection : viewed.selected) {
    APInt index;
    bool isConstant = matchPattern(selection.index, m_ConstantInt(&index));
    part.exact &= isConstant;
    if (!geometry || !isConstant)
      continue;
    Interval &interval = part.box[dims[selection.source]];
    int64_t at = interval.begin + index.getSExtValue();
    interval = {at, at + 1};
  }
  if (geometry)
    part.updateBytes();
  return part;
}

MemoryRegion MemoryRegion::reinterpreted(hk::MemDescType type) const {
  MemoryRegion view = *this;
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

bool MemoryRegion::isSameViewOfSlot(const MemoryRegion &other) const {
  return geometry && owner == other.owner && geometry == other.geometry && geometryBegin == other.geometryBegin &&
         dims == other.dims && llvm::all_of(dims, [&](unsigned dim) { return box[dim] == other.box[dim]; });
}

LogicalResult requirePlaced(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    bool isOwner = isa<hk::LocalAllocOp>(op) || hk::getScratchBytes(op) > 0;
    if (!isOwner || hk::offsetOf(op))
      return WalkResult::advance();
    return WalkResult(op->emitError() << "'" << op->getName() << "' was given no " << spaceOf(op).getName()
                                      << "; run hocket-allocate-memory first");
  });
  return failure(result.wasInterrupted());
}

Interval MemoryRegion::placedBytes() const {
  int64_t offset = *hk::offsetOf(owner);
  return {offset + bytes.begin, offset + bytes.end};
}

bool MemoryRegion::mayOverlap(const MemoryRegion &other) const {
  if (owner == other.owner && geometry && geometry == other.geometry && geometryBegin == other.geometryBegin)
    return llvm::all_of(llvm::zip_equal(box, other.box),
                        [](auto pair) { return std::get<0>(pair).overlaps(std::get<1>(pair)); });
  if (owner == other.owner)
    return bytes.overlaps(other.bytes);
  return getSpace() == other.getSpace() && placedBytes().overlaps(other.placedBytes());
}

} // namespace hocket
