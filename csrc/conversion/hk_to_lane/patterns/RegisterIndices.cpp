//===- RegisterIndices.cpp - Tensor coordinates of a lane's registers ---------------===//
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "layout/LayoutWarps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <bit>

using namespace mlir;

namespace hocket {

Value xorConstant(OpBuilder &builder, Location loc, Value base, int32_t baseBits, int32_t constant) {
  if (constant == 0)
    return base;
  Value operand = i32Constant(builder, loc, constant);
  if (baseBits == 0)
    return operand;
  if ((baseBits & constant) == 0)
    return LLVM::AddOp::create(builder, loc, base, operand, LLVM::IntegerOverflowFlags::nuw);
  return LLVM::XOrOp::create(builder, loc, base, operand);
}

namespace {

/// An XOR of terms; `add` adds one term. Terms that share no bits are combined by a disjoint OR, which LLVM can treat
/// as an addition.
struct XorSum {
  Value value;
  int32_t bits = 0;

  void add(OpBuilder &builder, Location loc, Value term, int32_t termBits) {
    if (!value)
      value = term;
    else if ((bits & termBits) == 0)
      value = LLVM::OrOp::create(builder, loc, value, term, /*isDisjoint=*/true);
    else
      value = LLVM::XOrOp::create(builder, loc, value, term);
    bits |= termBits;
  }
};

} // namespace

/// Adds the contribution of one run-time input to one output coordinate. One term, (input & mask) << (k - i), covers
/// consecutive input bits i, i + 1, ... whose bases are 2^k, 2^(k+1), ...
static void addInput(OpBuilder &builder, Location loc, const LinearLayout &layout, Dim in, Dim out, Value input,
                     XorSum &sum) {
  unsigned numBits = layout.getInDimSizeLog2(in);
  for (unsigned bit = 0; bit < numBits;) {
    int32_t basis = layout.getBasis(in, bit, out);
    if (basis == 0) {
      ++bit;
      continue;
    }
    if (!std::has_single_bit(static_cast<uint32_t>(basis))) {
      // If an input bit flips several output bits, the contribution is basis * bit.
      Value shifted = bit == 0 ? input : LLVM::LShrOp::create(builder, loc, input, i32Constant(builder, loc, bit));
      Value single = LLVM::AndOp::create(builder, loc, shifted, i32Constant(builder, loc, 1));
      sum.add(builder, loc, LLVM::MulOp::create(builder, loc, single, i32Constant(builder, loc, basis)), basis);
      ++bit;
      continue;
    }
    unsigned run = 1;
    while (bit + run < numBits && layout.getBasis(in, bit + run, out) == basis << run)
      ++run;
    int32_t inputMask = ((int32_t(1) << run) - 1) << bit;
    int shift = std::countr_zero(static_cast<uint32_t>(basis)) - static_cast<int>(bit);
    Value term = input;
    if (run != numBits)
      term = LLVM::AndOp::create(builder, loc, term, i32Constant(builder, loc, inputMask));
    if (shift > 0)
      term = LLVM::ShlOp::create(builder, loc, term, i32Constant(builder, loc, shift));
    else if (shift < 0)
      term = LLVM::LShrOp::create(builder, loc, term, i32Constant(builder, loc, -shift));
    sum.add(builder, loc, term, ((int32_t(1) << run) - 1) * basis);
    bit += run;
  }
}

static SmallVector<XorSum, 2> sumInputs(OpBuilder &builder, Location loc, const LinearLayout &layout,
                                        ArrayRef<std::pair<Dim, Value>> inputs) {
  SmallVector<XorSum, 2> sums(layout.getOutDims().size());
  for (auto [index, out] : llvm::enumerate(layout.getOutDims()))
    for (auto [in, input] : inputs)
      if (layout.hasInDim(in))
        addInput(builder, loc, layout, in, out.dim, input, sums[index]);
  for (XorSum &sum : sums)
    if (!sum.value)
      sum.value = i32Constant(builder, loc, 0);
  return sums;
}

Coordinate applyLayout(OpBuilder &builder, Location loc, const LinearLayout &layout,
                       ArrayRef<std::pair<Dim, Value>> inputs) {
  Coordinate result;
  for (const XorSum &sum : sumInputs(builder, loc, layout, inputs))
    result.push_back(sum.value);
  return result;
}

LaneOrigin emitOrigin(LoweringContext &lowering, OpBuilder &builder, Location loc, const LinearLayout &layout) {
  LaneOrigin origin;
  Value lane = lowering.laneId(builder, loc), warp = lowering.warpId(builder, loc);
  SmallVector<std::pair<Dim, Value>> inputs = {{Dim::Lane, lane}, {Dim::Warp, warp}};
  if (layout.getInDimSizeLog2(Dim::Block))
    inputs.push_back({Dim::Block, lowering.blockRank(builder, loc)});
  for (const XorSum &sum : sumInputs(builder, loc, layout, inputs)) {
    origin.base.push_back(sum.value);
    origin.baseBits.push_back(sum.bits);
  }
  for (int32_t reg = 0, count = layout.getInDimSize(Dim::Register); reg < count; ++reg) {
    Coords coords = layout.apply({{Dim::Register, reg}});
    auto &constants = origin.constants.emplace_back();
    for (DimBits out : layout.getOutDims())
      constants.push_back(coords[out.dim]);
  }
  return origin;
}

SmallVector<Coordinate> emitIndices(LoweringContext &lowering, OpBuilder &builder, Location loc,
                                    const LinearLayout &layout) {
  LaneOrigin origin = emitOrigin(lowering, builder, loc, layout);
  SmallVector<Coordinate> indices;
  indices.reserve(origin.constants.size());
  for (ArrayRef<int32_t> constants : origin.constants) {
    Coordinate &coordinate = indices.emplace_back();
    for (auto [dim, constant] : llvm::enumerate(constants))
      coordinate.push_back(xorConstant(builder, loc, origin.base[dim], origin.baseBits[dim], constant));
  }
  return indices;
}

/// Returns masks of the lane and warp bits in which copies of an element differ. Lanes and warps beyond the size of the
/// layout hold copies.
static std::pair<int32_t, int32_t> copyMasks(LoweringContext &lowering, const LinearLayout &layout) {
  Coords free = layout.getFreeVariableMasks();
  return {free[Dim::Lane] | (lowering.warpSize() - layout.getInDimSize(Dim::Lane)),
          free[Dim::Warp] | (layoutWarps(lowering.numWarps) - layout.getInDimSize(Dim::Warp))};
}

int32_t copiesInBlocks(LoweringContext &lowering, const LinearLayout &layout) {
  return layout.getFreeVariableMasks()[Dim::Block] | (lowering.numBlocks - layout.getInDimSize(Dim::Block));
}

int32_t copyBits(LoweringContext &lowering, const LinearLayout &layout) {
  auto [laneMask, warpMask] = copyMasks(lowering, layout);
  return laneMask | warpMask * lowering.warpSize();
}

/// Returns an i1 that is true if this lane holds the first of several copies of an element: the bits of the lane, warp
/// and block index in which copies differ are all 0. Returns null if elements have no copies. `blockMask`: the bits of
/// the block index in which copies differ.
static Value emitIsFirst(LoweringContext &lowering, OpBuilder &builder, Location loc, const LinearLayout &layout,
                         int32_t blockMask) {
  auto [laneMask, warpMask] = copyMasks(lowering, layout);
  Value copy;
  auto collect = [&](Value id, int32_t mask, int32_t all) {
    if (mask == 0)
      return;
    Value bits = mask == all ? id : LLVM::AndOp::create(builder, loc, id, i32Constant(builder, loc, mask));
    copy = copy ? LLVM::OrOp::create(builder, loc, copy, bits) : bits;
  };
  collect(lowering.laneId(builder, loc), laneMask, lowering.warpSize() - 1);
  collect(lowering.warpId(builder, loc), warpMask, layoutWarps(lowering.numWarps) - 1);
  if (blockMask)
    collect(lowering.blockRank(builder, loc), blockMask, lowering.numBlocks - 1);
  if (!copy)
    return Value();
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, copy, i32Constant(builder, loc, 0));
}

Value emitIsFirstCopy(LoweringContext &lowering, OpBuilder &builder, Location loc, const LinearLayout &layout,
                      int32_t actingBlocks) {
  return emitIsFirst(lowering, builder, loc, layout, copiesInBlocks(lowering, layout) & ~actingBlocks);
}

Value emitIsFirstInBlock(LoweringContext &lowering, OpBuilder &builder, Location loc, const LinearLayout &layout) {
  return emitIsFirst(lowering, builder, loc, layout, 0);
}

} // namespace hocket
