//===- ExchangeHalves.cpp - The store and the load of an exchange between warps ----------===//
#include "transforms/warp_pipeline/ExchangeHalves.h"

#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/layouts/Layouts.h"
#include "transforms/AxisParts.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace hocket {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns the mask of the coordinate bits along the axis of `reduce` in which warps differ; 0 if the axis cannot be
/// divided into one part for each warp.
static uint64_t partBits(hk::ReduceOp reduce) {
  RankedTensorType type = tensorType(reduce.getSrcs().front());
  unsigned axis = reduce.getAxis();
  LinearLayout layout = hk::toLinearLayout(type);
  std::optional<int64_t> bits = axisBitsOf(layout, Dim::Warp, axis);
  if (!bits)
    return 0;
  // Register and lane bits must not change `bits`, because each warp must hold only its own part.
  for (Dim dim : {Dim::Register, Dim::Lane})
    for (unsigned bit = 0; bit < layout.getInDimSizeLog2(dim); ++bit)
      if (layout.getBasis(dim, bit, tensorDim(axis)) & *bits)
        return 0;
  // If `bits` are the highest bits of the coordinate, dividing the axis needs one more dimension. Otherwise, a view
  // that moves `bits` to the top needs two more dimensions.
  uint64_t size = type.getShape()[axis];
  bool isAtTop =
      (size - 1) >> llvm::countr_zero(uint64_t(*bits)) == uint64_t(*bits) >> llvm::countr_zero(uint64_t(*bits));
  return type.getRank() + (isAtTop ? 1 : 2) <= kMaxTensorRank ? uint64_t(*bits) : 0;
}

bool ExchangeHalves::canDivide(Operation *op) {
  auto areStorable = [](ValueRange values) {
    return llvm::all_of(values, [](Value value) { return isStorable(getElementTypeOrSelf(value.getType())); });
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](hk::ConvertLayoutOp convert) { return areStorable(convert.getSrc()); })
      .Case([&](hk::GatherOp gather) { return areStorable(gather.getSrc()); })
      .Case([&](hk::ReduceOp reduce) { return areStorable(reduce.getSrcs()) && partBits(reduce) != 0; })
      .Default(false);
}

Exchange ExchangeHalves::getWarps() const {
  return llvm::TypeSwitch<Operation *, Exchange>(op)
      .Case([](hk::ConvertLayoutOp convert) {
        return findExchange(tensorType(convert.getSrc()), tensorType(convert.getResult()));
      })
      .Case([](hk::GatherOp gather) {
        RankedTensorType src = tensorType(gather.getSrc());
        unsigned axis = gather.getAxis();
        return findExchange(src, withWholeAxis(tensorType(gather.getIndex()), axis, src.getShape()[axis]));
      })
      .Case([](hk::ReduceOp reduce) {
        RankedTensorType src = tensorType(reduce.getSrcs().front());
        unsigned axis = reduce.getAxis();
        return findExchange(src, withWholeAxis(src, axis, src.getShape()[axis]));
      });
}

/// Reduces the operands of `reduce` within each warp.
static SmallVector<Value> reduceWithinWarps(hk::ReduceOp reduce) {
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  unsigned axis = reduce.getAxis();
  uint64_t bits = partBits(reduce);
  SmallVector<Value> parts;
  for (Value src : reduce.getSrcs()) {
    int64_t held = tensorType(src).getShape()[axis] >> llvm::popcount(bits);
    std::string whyNot;
    Value ordered = withBitsAtTop(builder, loc, src, axis, bits);
    parts.push_back(dividedIntoParts(builder, loc, ordered, axis, held, whyNot));
  }
  return llvm::to_vector_of<Value>(reduceAs(reduce, parts, axis + 1, builder).getResults());
}

void ExchangeHalves::store(OpBuilder &allocations, int64_t slots, Value slot) {
  const TargetInfo &target = hk::targetOf(op);
  auto reduce = dyn_cast<hk::ReduceOp>(op);
  SmallVector<Value> values = reduce ? reduceWithinWarps(reduce) : SmallVector<Value>{op->getOperand(0)};
  OpBuilder builder(op);
  for (Value value : values) {
    RankedTensorType stored = tensorType(value);
    RankedTensorType loaded = reduce ? givenToAll(stored, reduce.getAxis(), Dim::Warp) : tensorType(op->getResult(0));
    // The addresses that a gather reads are not known, so no layout avoids its bank conflicts.
    Attribute layout = isa<hk::GatherOp>(op) ? rowMajorLayout(stored) : scratchLayout(stored, loaded, target);
    tiles.push_back(ScratchTile::allocate(allocations, op->getLoc(), stored, layout, slots));
    loadedTypes.push_back(loaded);
    storeToTile(builder, op->getLoc(), value, tiles.back().at(builder, op->getLoc(), slot));
  }
}

Value ExchangeHalves::getIndices() const {
  auto gather = dyn_cast<hk::GatherOp>(op);
  return gather ? Value(gather.getIndex()) : Value();
}

SmallVector<Value> ExchangeHalves::load(OpBuilder &builder, Value slot, Value indices) const {
  Location loc = op->getLoc();
  if (auto gather = dyn_cast<hk::GatherOp>(op))
    return {gatherFromTile(builder, loc, loadedTypes.front(), tiles.front().at(builder, loc, slot), indices,
                           gather.getAxis())};
  SmallVector<Value> values;
  for (auto [tile, type] : llvm::zip_equal(tiles, loadedTypes))
    values.push_back(loadFromTile(builder, loc, type, tile.at(builder, loc, slot)));
  auto reduce = dyn_cast<hk::ReduceOp>(op);
  if (!reduce)
    return values;
  SmallVector<Value> results;
  hk::ReduceOp last = reduceAs(reduce, values, reduce.getAxis(), builder);
  for (auto [reduced, result] : llvm::zip_equal(last.getResults(), reduce.getResults()))
    // Both layouts have the same linear map, so this conversion moves no values between registers or lanes.
    results.push_back(reduced.getType() == result.getType()
                          ? Value(reduced)
                          : hk::ConvertLayoutOp::create(builder, loc, result.getType(), reduced));
  return results;
}

} // namespace hocket
