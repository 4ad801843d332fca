//===- ScratchTile.cpp - Tiles through which stages of a warp pipeline exchange values --===//
//
// Values of type i1 are stored in tiles as bytes.
//
//===------------------------------------------------------------------------------===//
#include "transforms/warp_pipeline/ScratchTile.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "layout/OptimalSwizzle.h"
#include "layout/SharedAlignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "target/TargetInfo.h"

using namespace mlir;

namespace hocket {

static Type storedType(Type elementType) {
  return elementType.isInteger(1) ? IntegerType::get(elementType.getContext(), 8) : elementType;
}

bool isStorable(Type elementType) {
  return elementType.isInteger(1) || (elementType.isIntOrFloat() && elementType.getIntOrFloatBitWidth() >= 8);
}

Attribute scratchLayout(RankedTensorType stored, RankedTensorType loaded, const TargetInfo &target) {
  unsigned bits = storedType(stored.getElementType()).getIntOrFloatBitWidth();
  SharedLinear shared =
      optimalSwizzle(hk::toLinearLayout(stored), hk::toLinearLayout(loaded), bits, *target.sharedPhases);
  return hk::SharedLinearAttr::get(stored.getContext(), shared.layout.getBasisRows(Dim::Offset), hk::BasisRows(),
                                   kSharedAlignment);
}

Attribute rowMajorLayout(RankedTensorType stored) {
  SmallVector<int64_t> order(llvm::reverse(llvm::seq<int64_t>(0, stored.getRank())));
  return hk::SwizzledSharedAttr::get(stored.getContext(), 1, 1, 1, order, hk::BasisRows());
}

ScratchTile ScratchTile::allocate(OpBuilder &builder, Location loc, RankedTensorType stored, Attribute layout,
                                  int64_t slots) {
  SmallVector<int64_t> shape(stored.getShape());
  if (slots > 1)
    shape.insert(shape.begin(), slots);
  auto type = hk::MemDescType::get(shape, storedType(stored.getElementType()), layout);
  ScratchTile tile;
  tile.buffer = hk::LocalAllocOp::create(builder, loc, type, Value());
  tile.slots = slots;
  return tile;
}

Value ScratchTile::at(OpBuilder &builder, Location loc, Value slot) const {
  hk::LocalAllocOp alloc = buffer;
  if (slots == 1)
    return alloc.getResult();
  hk::MemDescType ring = alloc.getType();
  auto type = hk::MemDescType::get(ring.getTileShape(), ring.getElementType(), ring.getLayout());
  return hk::MemDescIndexOp::create(builder, loc, type, alloc.getResult(), slot);
}

void storeToTile(OpBuilder &builder, Location loc, Value value, Value tile) {
  auto type = cast<RankedTensorType>(value.getType());
  Type stored = storedType(type.getElementType());
  if (stored != type.getElementType())
    value = arith::ExtUIOp::create(builder, loc, type.clone(stored), value);
  hk::LocalStoreOp::create(builder, loc, value, tile);
}

/// Converts `value`, which was loaded from a tile, to type `type`.
static Value asType(OpBuilder &builder, Location loc, RankedTensorType type, Value value) {
  return value.getType() == type ? value : arith::TruncIOp::create(builder, loc, type, value);
}

Value loadFromTile(OpBuilder &builder, Location loc, RankedTensorType type, Value tile) {
  RankedTensorType stored = type.clone(storedType(type.getElementType()));
  return asType(builder, loc, type, hk::LocalLoadOp::create(builder, loc, stored, tile, /*relaxed=*/false));
}

/// Asserts, in kernels that are compiled with checks, that `indices` are less than `size`.
static void checkIndices(OpBuilder &builder, Location loc, Value indices, int64_t size) {
  auto type = cast<RankedTensorType>(indices.getType());
  unsigned width = type.getElementTypeBitWidth();
  bool canExceed = width >= 63 || size < int64_t(1) << width;
  if (!canExceed || !hk::kChecksIndicesAttr.isOn(builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>()))
    return;
  auto end = DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), size));
  // An unsigned comparison also rejects negative indices.
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, indices,
                                     arith::ConstantOp::create(builder, loc, end));
  hk::AssertOp::create(builder, loc, fits, "an index of gather is outside 0.." + std::to_string(size - 1));
}

Value gatherFromTile(OpBuilder &builder, Location loc, RankedTensorType type, Value tile, Value indices,
                     unsigned axis) {
  auto given = cast<RankedTensorType>(indices.getType());
  RankedTensorType words = given.clone(builder.getI32Type());
  int64_t size = cast<hk::MemDescType>(tile.getType()).getShape()[axis];
  checkIndices(builder, loc, indices, size);
  unsigned width = given.getElementTypeBitWidth(), wordBits = words.getElementTypeBitWidth();
  if (width > wordBits)
    indices = arith::TruncIOp::create(builder, loc, words, indices);
  else if (width < wordBits)
    indices = arith::ExtUIOp::create(builder, loc, words, indices);
  auto lowBits = DenseElementsAttr::get(words, builder.getI32IntegerAttr(int32_t(size - 1)));
  indices = arith::AndIOp::create(builder, loc, indices, arith::ConstantOp::create(builder, loc, lowBits));
  RankedTensorType stored = type.clone(storedType(type.getElementType()));
  return asType(builder, loc, type, hk::LocalGatherOp::create(builder, loc, stored, tile, indices, axis));
}

} // namespace hocket
