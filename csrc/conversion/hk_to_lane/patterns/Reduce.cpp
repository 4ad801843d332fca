//===- Reduce.cpp - Lowers hk.reduce and hk.any_in_warp -----------------------------===//
//
//   groups      the inlined combine region: four parallel chains, whose results are combined pairwise
//   lane steps  TargetLowering::shuffleXor, or swapLanes if the target has it; then the combine region
//   exchange    llvm.store of partials, barrier, llvm.load, then the region (and shuffles between lanes that read
//               different partials)
//   any         llvm.or of a lane's registers, then TargetLowering::anyLane
//
// plans/ReducePlan.h explains the plan, and creates it.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/InlineRegion.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/TilePlans.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace hocket {

namespace {

constexpr size_t kChains = 4;
constexpr unsigned kSwappedBits = 32;

/// One value for each operand of the reduction.
using Tuple = SmallVector<Value>;

class ReduceEmitter {
public:
  ReduceEmitter(LoweringContext &lowering, RewriterBase &builder, hk::ReduceOp op, const ReducePlan &plan)
      : lowering(lowering), builder(builder), op(op), plan(plan), loc(op.getLoc()) {}

  SmallVector<Tuple> combineRegisters(ArrayRef<ValueRange> srcs);
  SmallVector<Tuple> combineLanes(SmallVector<Tuple> groups);
  /// Returns the results of the reduction, one tuple for each register of the result.
  SmallVector<Tuple> exchangeWarps(ArrayRef<Tuple> groups, Value scratch);

private:
  Tuple combine(ArrayRef<Value> lhs, ArrayRef<Value> rhs) { return inlineCombineRegion(builder, op, lhs, rhs); }
  Tuple combineTree(ArrayRef<Tuple> tuples);
  Tuple combineChains(ArrayRef<Tuple> tuples);
  bool takesThree() const;
  Tuple shuffleXor(const Tuple &tuple, unsigned laneXor);
  bool canSwap(const Tuple &tuple, unsigned laneXor) const;
  Tuple combineSwapped(const Tuple &tuple, unsigned laneXor);
  /// Returns, for one operand, the partials that this lane reads: element [i][r] is partial i of result register r.
  SmallVector<SmallVector<Value>> loadPartials(SharedTile &tile, Type elementType);

  LoweringContext &lowering;
  RewriterBase &builder;
  hk::ReduceOp op;
  const ReducePlan &plan;
  Location loc;
};

} // namespace

/// Combines adjacent elements in a balanced tree: dependence chains are short, and float sums lose less precision than
/// in a chain. The left half is emitted before the right half, so that few partial results are live at a time.
Tuple ReduceEmitter::combineTree(ArrayRef<Tuple> tuples) {
  if (tuples.size() == 1)
    return tuples.front();
  Tuple left = combineTree(tuples.take_front(tuples.size() / 2));
  return combine(left, combineTree(tuples.drop_front(tuples.size() / 2)));
}

/// True if the target has an instruction that combines three operands.
bool ReduceEmitter::takesThree() const {
  Region &region = op->getRegion(0);
  return lowering.target.hasExtremaOfThree && region.hasOneBlock() && llvm::hasNItems(region.front(), 2) &&
         isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
             region.front().front());
}

/// Combines elements in several parallel chains, whose number suffices to hide the latency of a step. Fewer values are
/// live than in a tree, so that ptxas has enough registers to keep the chains separate, and each element is consumed as
/// soon as it is available. If the target has an instruction with three operands, each step combines the chain with two
/// elements.
Tuple ReduceEmitter::combineChains(ArrayRef<Tuple> tuples) {
  SmallVector<Tuple> ends(tuples.take_front(std::min<size_t>(kChains, tuples.size())));
  const size_t atOnce = takesThree() ? 2 : 1;
  for (size_t i = ends.size(); i < tuples.size(); ++i) {
    Tuple &end = ends[(i - ends.size()) / atOnce % kChains];
    end = combine(end, tuples[i]);
  }
  return combineTree(ends);
}

SmallVector<Tuple> ReduceEmitter::combineRegisters(ArrayRef<ValueRange> srcs) {
  SmallVector<Tuple> groups;
  for (const std::vector<unsigned> &registers : plan.groups) {
    SmallVector<Tuple> tuples;
    for (unsigned reg : registers)
      tuples.push_back(llvm::map_to_vector(srcs, [&](ValueRange src) -> Value { return src[reg]; }));
    groups.push_back(combineChains(tuples));
  }
  return groups;
}

Tuple ReduceEmitter::shuffleXor(const Tuple &tuple, unsigned laneXor) {
  return llvm::map_to_vector(
      tuple, [&](Value value) { return lowering.targetLowering.shuffleXor(builder, loc, value, laneXor); });
}

bool ReduceEmitter::canSwap(const Tuple &tuple, unsigned laneXor) const {
  return llvm::isPowerOf2_32(laneXor) && (lowering.target.laneSwapMasks & laneXor) &&
         llvm::all_of(tuple, [](Value value) {
           return value.getType().isIntOrFloat() && value.getType().getIntOrFloatBitWidth() == kSwappedBits;
         });
}

/// Combines the values of two lanes by swapping a register with its copy between the lanes. After the swap, the
/// register holds the value of the lane whose index lacks the bit `laneXor`, and the copy holds the value of the other
/// lane. Both lanes therefore combine the same two values in the same order.
Tuple ReduceEmitter::combineSwapped(const Tuple &tuple, unsigned laneXor) {
  Tuple without, with;
  for (Value value : tuple) {
    Value word = LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), value);
    auto [first, second] = lowering.targetLowering.swapLanes(builder, loc, word, word, laneXor);
    without.push_back(LLVM::BitcastOp::create(builder, loc, value.getType(), first));
    with.push_back(LLVM::BitcastOp::create(builder, loc, value.getType(), second));
  }
  return combine(without, with);
}

SmallVector<Tuple> ReduceEmitter::combineLanes(SmallVector<Tuple> groups) {
  for (const ReduceLaneStep &step : plan.laneSteps) {
    SmallVector<Tuple> combined;
    for (unsigned group = 0; group < groups.size(); ++group) {
      const Tuple &tuple = groups[group];
      if (step.partner[group] == group && canSwap(tuple, step.laneXor))
        combined.push_back(combineSwapped(tuple, step.laneXor));
      else
        combined.push_back(combine(tuple, shuffleXor(groups[step.partner[group]], step.laneXor)));
    }
    groups = std::move(combined);
  }
  return groups;
}

SmallVector<SmallVector<Value>> ReduceEmitter::loadPartials(SharedTile &tile, Type elementType) {
  const ReduceExchange &exchange = *plan.exchange;
  SmallVector<SmallVector<Value>> partials(exchange.partialsPerLane);
  unsigned maxWidth = lowering.target.maxAccessBits / hk::storageBits(elementType);
  if (exchange.partialStride == 1) {
    unsigned width = std::min(exchange.partialsPerLane, maxWidth);
    for (int32_t reg = 0, end = exchange.loadOffset.getInDimSize(Dim::Register); reg < end; ++reg)
      for (unsigned first = 0; first < exchange.partialsPerLane; first += width)
        for (auto [i, value] : llvm::enumerate(tile.load(tile.registerOffset(reg) + first, width)))
          partials[first + i].push_back(value);
    return partials;
  }
  VectorAccess access = planVectorAccess(exchange.loadOffset, std::min(maxWidth, exchange.results));
  for (unsigned partial = 0; partial < exchange.partialsPerLane; ++partial)
    partials[partial] = tile.loadAll(access, /*addedOffset=*/partial * exchange.partialStride);
  return partials;
}

SmallVector<Tuple> ReduceEmitter::exchangeWarps(ArrayRef<Tuple> groups, Value scratch) {
  const ReduceExchange &exchange = *plan.exchange;
  unsigned numOperands = op.getSrcs().size();
  SmallVector<Value> bases;
  int64_t offset = 0;
  auto elementTypeOf = [&](unsigned operand) {
    return cast<RankedTensorType>(op.getSrcs()[operand].getType()).getElementType();
  };
  for (unsigned operand = 0; operand < numOperands; ++operand) {
    bases.push_back(LLVM::GEPOp::create(builder, loc, scratch.getType(), builder.getI8Type(), scratch,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)},
                                        LLVM::GEPNoWrapFlags::inbounds));
    offset += exchangeBytes(exchange, hk::storageBits(elementTypeOf(operand)));
  }

  for (unsigned operand = 0; operand < numOperands; ++operand) {
    SmallVector<Value> registers;
    for (unsigned group : plan.groupOf)
      registers.push_back(groups[group][operand]);
    SharedTile tile(lowering, builder, loc, bases[operand], exchange.storeOffset, registers.front().getType());
    unsigned maxWidth = lowering.target.maxAccessBits / hk::storageBits(elementTypeOf(operand));
    tile.storeAll(planVectorAccess(exchange.storeOffset, maxWidth), registers);
  }
  lowering.targetLowering.blockBarrier(builder, loc, BarrierScope::Shared);

  unsigned numResults = exchange.loadOffset.getInDimSize(Dim::Register);
  SmallVector<SmallVector<Tuple>> partials(numResults, SmallVector<Tuple>(exchange.partialsPerLane));
  for (unsigned operand = 0; operand < numOperands; ++operand) {
    SharedTile tile(lowering, builder, loc, bases[operand], exchange.loadOffset, groups.front()[operand].getType());
    for (auto [partial, registers] : llvm::enumerate(loadPartials(tile, elementTypeOf(operand))))
      for (auto [reg, value] : llvm::enumerate(registers))
        partials[reg][partial].push_back(value);
  }
  return llvm::map_to_vector(partials, [&](SmallVector<Tuple> &tuples) {
    Tuple result = combineTree(tuples);
    for (unsigned laneXor = 1; laneXor < exchange.partials / exchange.partialsPerLane; laneXor *= 2)
      result = combine(result, shuffleXor(result, laneXor));
    return result;
  });
}

namespace {
struct ReduceLowering : LoweringPattern<hk::ReduceOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::ReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ReducePlan plan = hk::planReduce(cast<RankedTensorType>(op.getSrcs().front().getType()), op.getAxis());
    Value scratch;
    if (plan.exchange) {
      scratch = lowering.allocatedAddress(rewriter, op);
      if (!scratch)
        return failure();
    }
    ReduceEmitter emitter(lowering, rewriter, op, plan);
    SmallVector<Tuple> groups = emitter.combineLanes(emitter.combineRegisters(adaptor.getSrcs()));
    SmallVector<Tuple> byRegister;
    if (plan.exchange)
      byRegister = emitter.exchangeWarps(groups, scratch);
    else
      for (unsigned group : plan.resultGroup)
        byRegister.push_back(groups[group]);

    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (const Tuple &tuple : byRegister)
      for (auto [result, value] : llvm::zip_equal(results, tuple))
        result.push_back(value);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct AnyInWarpLowering : LoweringPattern<hk::AnyInWarpOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::AnyInWarpOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ValueRange registers = adaptor.getSrc();
    Value inLane = registers.front();
    for (Value value : registers.drop_front())
      inLane = LLVM::OrOp::create(rewriter, op.getLoc(), inLane, value);
    rewriter.replaceOp(op, lowering.targetLowering.anyLane(rewriter, op.getLoc(), inLane));
    return success();
  }
};
} // namespace

void populateReducePatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<ReduceLowering, AnyInWarpLowering>(lowering);
}

} // namespace hocket
