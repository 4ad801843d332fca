//===- ConvertLayoutShuffle.cpp - Converts a layout by shuffles within a warp -------===//
//
// Implements a ShuffleMoves plan: pack narrow elements into i32, select, shuffle, select, unpack.
//
//   XOR shuffle     nvvm.shfl.sync bfly   | rocdl.ds_swizzle, dpp, ds_bpermute  (TargetLowering::shuffleXor)
//   swaps                                  | rocdl.permlane{16,32}.swap         (TargetLowering::swapLanes)
//   other           nvvm.shfl.sync idx    | rocdl.ds_bpermute                   (TargetLowering::shuffleIndex)
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/patterns/ConvertLayout.h"

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "plans/LaneSwapsPlan.h"
#include <bit>

using namespace mlir;

namespace hocket {

namespace {

/// Packs elements of less than 32 bits into an i32, the first element in the lowest bits. An element of 32 bits or more
/// is not packed.
class WordPacking {
public:
  WordPacking(OpBuilder &builder, Location loc, Type elementType, unsigned elementsPerWord)
      : builder(builder), loc(loc), elementType(elementType), isPacked(elementsPerWord > 1) {
    if (!isPacked)
      return;
    Type stored = elementType.isInteger(1) ? builder.getI8Type() : elementType;
    vectorType = VectorType::get(32 / stored.getIntOrFloatBitWidth(), stored);
  }

  Value pack(ValueRange src, ArrayRef<unsigned> registers) {
    if (!isPacked)
      return src[registers.front()];
    Value vector = LLVM::PoisonOp::create(builder, loc, vectorType);
    if (registers.size() < unsigned(vectorType.getNumElements()))
      vector = LLVM::ZeroOp::create(builder, loc, vectorType);
    for (auto [index, reg] : llvm::enumerate(registers)) {
      Value element = src[reg];
      if (element.getType() != vectorType.getElementType())
        element = LLVM::ZExtOp::create(builder, loc, vectorType.getElementType(), element);
      vector = LLVM::InsertElementOp::create(builder, loc, vector, element, i32Constant(builder, loc, index));
    }
    return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), vector);
  }

  /// Returns the element at `position` of `word`.
  Value unpack(Value word, unsigned position) {
    if (!isPacked)
      return word;
    Value vector = LLVM::BitcastOp::create(builder, loc, vectorType, word);
    Value element = LLVM::ExtractElementOp::create(builder, loc, vector, i32Constant(builder, loc, position));
    if (element.getType() != elementType)
      element = LLVM::TruncOp::create(builder, loc, elementType, element);
    return element;
  }

private:
  OpBuilder &builder;
  Location loc;
  Type elementType;
  VectorType vectorType;
  bool isPacked;
};

} // namespace

/// Returns an i1 that is true if lane & laneMask and warp & warpMask together have an odd number of set bits.
static Value emitParity(LoweringContext &lowering, OpBuilder &builder, Location loc, const WordSelect &select) {
  Value bits;
  unsigned numBits = std::popcount(select.laneMask) + std::popcount(select.warpMask);
  if (!select.warpMask) {
    bits = LLVM::AndOp::create(builder, loc, lowering.laneId(builder, loc), i32Constant(builder, loc, select.laneMask));
  } else {
    unsigned mask = select.laneMask | select.warpMask * lowering.warpSize();
    bits = LLVM::AndOp::create(builder, loc, lowering.threadId(builder, loc), i32Constant(builder, loc, mask));
  }
  if (numBits > 1) {
    bits = LLVM::CtPopOp::create(builder, loc, builder.getI32Type(), bits);
    bits = LLVM::AndOp::create(builder, loc, bits, i32Constant(builder, loc, 1));
  }
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, bits, i32Constant(builder, loc, 0));
}

static SmallVector<Value> emitSelects(LoweringContext &lowering, OpBuilder &builder, Location loc,
                                      ArrayRef<WordSelect> selects, SmallVector<Value> words) {
  for (const WordSelect &select : selects) {
    Value isOdd = emitParity(lowering, builder, loc, select);
    SmallVector<Value> selected;
    for (unsigned word = 0; word < words.size(); ++word)
      selected.push_back(LLVM::SelectOp::create(builder, loc, isOdd, words[word ^ select.wordXor], words[word]));
    words = std::move(selected);
  }
  return words;
}

/// Returns, as i32, the lane from which this lane reads in a round whose laneXor is 0.
static Value emitExchangeLane(LoweringContext &lowering, OpBuilder &builder, Location loc, const ShuffleMoves &moves) {
  const DimBits ins[] = {{Dim::Lane, uint8_t(moves.laneColumns.size())},
                         {Dim::Warp, uint8_t(moves.warpColumns.size())}};
  const DimBits outs[] = {{Dim::Offset, uint8_t(moves.laneColumns.size())}};
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  for (auto [dim, columns] : {std::pair(Dim::Lane, &moves.laneColumns), std::pair(Dim::Warp, &moves.warpColumns)})
    for (unsigned bit = 0; bit < columns->size(); ++bit) {
      const DimIndex value[] = {{Dim::Offset, int32_t((*columns)[bit])}};
      layout.setBasis(dim, bit, value);
    }
  return applyLayout(builder, loc, layout,
                     {{Dim::Lane, lowering.laneId(builder, loc)}, {Dim::Warp, lowering.warpId(builder, loc)}})
      .front();
}

/// Exchanges `words` (of 32 bits) by swaps, and returns the received words.
static SmallVector<Value> emitSwaps(const TargetLowering &target, OpBuilder &builder, Location loc,
                                    const LaneSwaps &plan, ArrayRef<Value> words) {
  Type type = words.front().getType(), i32 = builder.getI32Type();
  auto cast = [&](Value value, Type to) {
    return value.getType() == to ? value : LLVM::BitcastOp::create(builder, loc, to, value).getResult();
  };
  SmallVector<std::array<Value, 2>> swapped;
  for (auto [a, b] : plan.swaps) {
    auto [first, second] = target.swapLanes(builder, loc, cast(words[a], i32), cast(words[b], i32), plan.laneMask);
    swapped.push_back({cast(first, type), cast(second, type)});
  }
  return llvm::map_to_vector(plan.received, [&](const LaneSwaps::Source &source) {
    return source.swap ? swapped[*source.swap][source.index] : words[source.index];
  });
}

/// Exchanges `words` between lanes in three steps: selects, one shuffle for each round, and selects again. Returns the
/// received words.
static SmallVector<Value> emitRounds(LoweringContext &lowering, OpBuilder &builder, Location loc,
                                     const ShuffleMoves &moves, SmallVector<Value> words) {
  const TargetLowering &target = lowering.targetLowering;
  words = emitSelects(lowering, builder, loc, moves.before, std::move(words));

  bool isButterfly = moves.isButterfly();
  Value exchangeLane = isButterfly ? Value() : emitExchangeLane(lowering, builder, loc, moves);
  SmallVector<Value> received(moves.rounds.size());
  for (const ShuffleRound &round : moves.rounds) {
    Value word = words[round.sendWord];
    if (!isButterfly) {
      Value lane = exchangeLane;
      if (round.laneXor)
        lane = LLVM::XOrOp::create(builder, loc, lane, i32Constant(builder, loc, round.laneXor));
      word = target.shuffleIndex(builder, loc, word, lane);
    } else if (round.laneXor) {
      word = target.shuffleXor(builder, loc, word, round.laneXor);
    }
    received[round.receiveWord] = word;
  }
  return emitSelects(lowering, builder, loc, moves.after, std::move(received));
}

SmallVector<Value> emitShuffleMoves(LoweringContext &lowering, OpBuilder &builder, Location loc,
                                    const ShuffleMoves &moves, ValueRange src) {
  WordPacking packing(builder, loc, src.front().getType(), moves.words.front().size());
  SmallVector<Value> words;
  for (const std::vector<unsigned> &registers : moves.words)
    words.push_back(packing.pack(src, registers));

  Type type = words.front().getType();
  bool is32Bits = type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 32;
  std::optional<LaneSwaps> swaps = is32Bits ? tryLaneSwaps(moves, lowering.target) : std::nullopt;
  SmallVector<Value> received = swaps ? emitSwaps(lowering.targetLowering, builder, loc, *swaps, words)
                                      : emitRounds(lowering, builder, loc, moves, std::move(words));
  SmallVector<Value> result;
  for (auto [word, position] : llvm::zip_equal(moves.resultWord, moves.resultPosition))
    result.push_back(packing.unpack(received[word], position));
  return result;
}

} // namespace hocket
