//===- Scan.cpp - Lowers hk.scan ------------------------------------------------------===//
//
//   chunks      the inlined combine region, one register after the other
//   lanes       TargetLowering::shuffleUp over distances 1, 2, 4, ..., the combine region, llvm.select
//   steps       between warps: llvm.store of totals by the last lane, barrier, llvm.load; within a warp: shuffles from
//               the last lane
//   prefixes    combines each register with the totals of earlier steps and of earlier lanes
//
// plans/ScanPlan.h explains the plan, and creates it. The combine function has no neutral element, so selects keep
// elements without a predecessor unchanged.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "conversion/hk_to_lane/patterns/InlineRegion.h"
#include "conversion/hk_to_lane/patterns/Patterns.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "conversion/hk_to_lane/patterns/SharedTile.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/TilePlans.h"

using namespace mlir;

namespace hocket {

namespace {

/// One value for each operand of the scan; empty if there is no value.
using Tuple = SmallVector<Value>;

class ScanEmitter {
public:
  ScanEmitter(LoweringContext &lowering, RewriterBase &builder, hk::ScanOp op, const ScanPlan &plan)
      : lowering(lowering), builder(builder), op(op), plan(plan), loc(op.getLoc()) {}

  /// Returns the results of the scan, one tuple for each register. `scratch` is null if warps exchange no values.
  SmallVector<Tuple> run(ArrayRef<ValueRange> srcs, Value scratch);

private:
  /// A chunk and its intermediate results.
  struct Chunk {
    const ScanPlan::Chunk &plan;
    size_t row;
    /// The elements of the chunk, after the scan within the lane.
    SmallVector<Tuple> elements;
    /// The total of this lane and of the lanes before it in the step.
    Tuple total;
    /// The total of the steps before the chunk's step; empty if the chunk's step is always the first step.
    Tuple before;
    /// An i1 that is true if there are steps before the chunk's step; null if steps always precede the chunk's step.
    Value hasBefore;
  };

  Tuple combine(ArrayRef<Value> lhs, ArrayRef<Value> rhs) { return inlineCombineRegion(builder, op, lhs, rhs); }
  Tuple select(Value condition, const Tuple &then, const Tuple &otherwise);
  Value i32(int32_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }
  Value compare(LLVM::ICmpPredicate predicate, Value value, int32_t constant) {
    return LLVM::ICmpOp::create(builder, loc, predicate, value, i32(constant));
  }

  void scanRegisters(ArrayRef<ValueRange> srcs);
  void scanLanes();
  void findBefore(Value scratch);
  void addPrefixes();

  Value lanePosition();
  /// Returns an i1 that is true if at least `distance` lanes of the step precede this lane.
  Value isAfterLanes(unsigned distance);
  Tuple fromLaneBefore(const Tuple &tuple, unsigned distance);
  Tuple ofLastLane(const Tuple &tuple);

  void storeTotals(ArrayRef<Value> bases);
  /// Returns the totals of all steps in the row of a chunk, except the last step.
  SmallVector<Tuple> loadTotals(MutableArrayRef<SharedTile> tiles, unsigned reg);
  SmallVector<Value> scratchOfOperands(Value scratch);
  Value warpStep();
  void selectBefore(Chunk &chunk, ArrayRef<Tuple> before, Value warpStep);

  LoweringContext &lowering;
  RewriterBase &builder;
  hk::ScanOp op;
  const ScanPlan &plan;
  Location loc;
  std::vector<Chunk> chunks;
  Value position;
  SmallVector<Value> afterLanes;
};

} // namespace

Tuple ScanEmitter::select(Value condition, const Tuple &then, const Tuple &otherwise) {
  return llvm::map_to_vector(llvm::zip_equal(then, otherwise), [&](auto pair) -> Value {
    return LLVM::SelectOp::create(builder, loc, condition, std::get<0>(pair), std::get<1>(pair));
  });
}

void ScanEmitter::scanRegisters(ArrayRef<ValueRange> srcs) {
  for (auto [row, chunksOfRow] : llvm::enumerate(plan.rows))
    for (const ScanPlan::Chunk &planned : chunksOfRow) {
      Chunk &chunk = chunks.emplace_back(Chunk{planned, row, {}, {}, {}, {}});
      for (unsigned reg : planned.registers) {
        Tuple element = llvm::map_to_vector(srcs, [&](ValueRange src) -> Value { return src[reg]; });
        chunk.elements.push_back(chunk.elements.empty() ? element : combine(chunk.elements.back(), element));
      }
      chunk.total = chunk.elements.back();
    }
}

// Lanes ---------------------------------------------------------------------------------------------------------------

/// Returns, as i32, the number of lanes of the step that precede this lane.
Value ScanEmitter::lanePosition() {
  if (position)
    return position;
  position = lowering.laneId(builder, loc);
  int32_t count = 1 << plan.laneBits;
  if (plan.firstLaneBit)
    position = LLVM::LShrOp::create(builder, loc, position, i32(plan.firstLaneBit));
  if (count << plan.firstLaneBit < lowering.warpSize())
    position = LLVM::AndOp::create(builder, loc, position, i32(count - 1));
  if (plan.isReverse)
    position = LLVM::XOrOp::create(builder, loc, position, i32(count - 1));
  return position;
}

Value ScanEmitter::isAfterLanes(unsigned distance) {
  return compare(LLVM::ICmpPredicate::uge, lanePosition(), distance);
}

Tuple ScanEmitter::fromLaneBefore(const Tuple &tuple, unsigned distance) {
  int lanes = int(distance) << plan.firstLaneBit;
  Value lane = lowering.laneId(builder, loc);
  return llvm::map_to_vector(tuple, [&](Value value) {
    return lowering.targetLowering.shuffleUp(builder, loc, value, lane, plan.isReverse ? -lanes : lanes);
  });
}

void ScanEmitter::scanLanes() {
  for (unsigned bit = 0; bit < plan.laneBits; ++bit)
    afterLanes.push_back(isAfterLanes(1 << bit));
  for (unsigned bit = 0; bit < plan.laneBits; ++bit)
    for (Chunk &chunk : chunks) {
      Tuple combined = combine(fromLaneBefore(chunk.total, 1 << bit), chunk.total);
      chunk.total = select(afterLanes[bit], combined, chunk.total);
    }
}

Tuple ScanEmitter::ofLastLane(const Tuple &tuple) {
  if (plan.laneBits == 0)
    return tuple;
  int32_t mask = ((1 << plan.laneBits) - 1) << plan.firstLaneBit;
  Value lane = lowering.laneId(builder, loc);
  lane = plan.isReverse ? LLVM::AndOp::create(builder, loc, lane, i32(lowering.warpSize() - 1 & ~mask)).getResult()
                        : LLVM::OrOp::create(builder, loc, lane, i32(mask)).getResult();
  return llvm::map_to_vector(
      tuple, [&](Value value) { return lowering.targetLowering.shuffleIndex(builder, loc, value, lane); });
}

// Steps ---------------------------------------------------------------------------------------------------------------

SmallVector<Value> ScanEmitter::scratchOfOperands(Value scratch) {
  SmallVector<Value> bases;
  int64_t offset = 0;
  for (Value src : op.getSrcs()) {
    Value base = scratch;
    if (offset)
      base = LLVM::GEPOp::create(builder, loc, scratch.getType(), builder.getI8Type(), scratch,
                                 ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)}, LLVM::GEPNoWrapFlags::inbounds);
    bases.push_back(base);
    offset += exchangeBytes(*plan.exchange, hk::storageBits(getElementTypeOrSelf(src.getType())));
  }
  return bases;
}

void ScanEmitter::storeTotals(ArrayRef<Value> bases) {
  auto store = [&] {
    for (auto [operand, base] : llvm::enumerate(bases)) {
      SharedTile tile(lowering, builder, loc, base, plan.exchange->storeOffset,
                      chunks.front().total[operand].getType());
      for (const Chunk &chunk : chunks)
        tile.store(tile.registerOffset(chunk.plan.registers.front()), chunk.total[operand]);
    }
  };
  // The last lane has the total of all lanes.
  if (plan.laneBits == 0)
    store();
  else
    emitIf(builder, loc, compare(LLVM::ICmpPredicate::eq, lanePosition(), (1 << plan.laneBits) - 1), store);
  lowering.targetLowering.blockBarrier(builder, loc, BarrierScope::Shared);
}

SmallVector<Tuple> ScanEmitter::loadTotals(MutableArrayRef<SharedTile> tiles, unsigned reg) {
  const ScanExchange &exchange = *plan.exchange;
  SmallVector<Tuple> byStep(plan.numSteps);
  unsigned unused = plan.positionOf(plan.numSteps - 1);
  for (auto [operand, tile] : llvm::enumerate(tiles)) {
    unsigned maxWidth =
        lowering.target.maxAccessBits / hk::storageBits(getElementTypeOrSelf(op.getSrcs()[operand].getType()));
    unsigned width = exchange.stepStride == 1 ? std::min(plan.numSteps, maxWidth) : 1;
    for (unsigned step = 0; step < plan.numSteps; step += width) {
      if (width == 1 && step == unused)
        continue;
      for (auto [i, value] : llvm::enumerate(tile.load(tile.registerOffset(reg) + step * exchange.stepStride, width)))
        byStep[step + i].push_back(value);
    }
  }
  SmallVector<Tuple> totals;
  for (unsigned i = 0; i + 1 < plan.numSteps; ++i)
    totals.push_back(byStep[plan.positionOf(i)]);
  return totals;
}

/// Returns, as i32, the contribution of the warp to the index of a step. The index of a step is the XOR of the
/// contributions of warp and register.
Value ScanEmitter::warpStep() {
  const DimBits ins[] = {{Dim::Warp, uint8_t(plan.warpSteps.size())}};
  const DimBits outs[] = {{Dim::Offset, uint8_t(log2Exact(plan.numSteps))}};
  LinearLayout layout = LinearLayout::zeros(ins, outs);
  for (auto [bit, step] : llvm::enumerate(plan.warpSteps)) {
    const DimIndex value[] = {{Dim::Offset, int32_t(step)}};
    layout.setBasis(Dim::Warp, bit, value);
  }
  return applyLayout(builder, loc, layout, {{Dim::Warp, lowering.warpId(builder, loc)}}).front();
}

/// Sets the total of the steps before `chunk` to before[i], the total of the first i steps of the row, where i depends
/// on the warp.
void ScanEmitter::selectBefore(Chunk &chunk, ArrayRef<Tuple> before, Value warpStep) {
  unsigned fromWarps = 0;
  for (unsigned step : plan.warpSteps)
    fromWarps |= step;
  SmallVector<unsigned> positions;
  for (unsigned step = 0; step < plan.numSteps; ++step)
    if ((step & ~fromWarps) == chunk.plan.step)
      positions.push_back(plan.positionOf(step));
  llvm::sort(positions);
  for (unsigned at : positions) {
    if (at == 0)
      continue;
    if (chunk.before.empty()) {
      chunk.before = before[at];
      continue;
    }
    Value isHere = compare(LLVM::ICmpPredicate::eq, warpStep, int32_t(plan.positionOf(at) & fromWarps));
    chunk.before = select(isHere, before[at], chunk.before);
  }
  if (positions.front() == 0 && positions.size() > 1)
    chunk.hasBefore = compare(LLVM::ICmpPredicate::ne, warpStep, int32_t(plan.positionOf(0) & fromWarps));
}

void ScanEmitter::findBefore(Value scratch) {
  if (plan.numSteps == 1)
    return;
  Value ownStep;
  SmallVector<SharedTile, 1> tiles;
  if (plan.exchange) {
    SmallVector<Value> bases = scratchOfOperands(scratch);
    storeTotals(bases);
    for (auto [operand, base] : llvm::enumerate(bases))
      tiles.emplace_back(lowering, builder, loc, base, plan.exchange->loadOffset,
                         chunks.front().total[operand].getType());
    ownStep = warpStep();
  }
  for (auto first = chunks.begin(); first != chunks.end();) {
    auto end = std::find_if(first, chunks.end(), [&](const Chunk &chunk) { return chunk.row != first->row; });
    SmallVector<Tuple> totals;
    if (plan.exchange)
      totals = loadTotals(tiles, first->plan.registers.front());
    else
      for (auto chunk = first; chunk + 1 != end; ++chunk)
        totals.push_back(ofLastLane(chunk->total));
    SmallVector<Tuple> before = {Tuple()};
    for (const Tuple &total : totals)
      before.push_back(before.size() == 1 ? total : combine(before.back(), total));
    for (auto chunk = first; chunk != end; ++chunk)
      selectBefore(*chunk, before, ownStep);
    first = end;
  }
}

// Prefixes ------------------------------------------------------------------------------------------------------------

/// Combines each element with the total of earlier lanes and steps. The last element of a lane already includes the
/// totals of earlier lanes.
void ScanEmitter::addPrefixes() {
  for (Chunk &chunk : chunks) {
    bool isAlone = chunk.elements.size() == 1;
    Tuple prefix = chunk.before;
    Value hasPrefix = chunk.hasBefore; // null if each element has a prefix
    if (plan.laneBits && !isAlone) {
      Tuple lanes = fromLaneBefore(chunk.total, 1);
      Value hasLanes = afterLanes.front();
      if (prefix.empty()) {
        prefix = lanes;
        hasPrefix = hasLanes;
      } else {
        Tuple both = combine(prefix, lanes);
        if (hasPrefix) {
          both = select(hasPrefix, both, lanes);
          hasPrefix = LLVM::OrOp::create(builder, loc, hasPrefix, hasLanes);
        }
        prefix = select(hasLanes, both, prefix);
      }
    }
    auto after = [&](const Tuple &before, Value hasBefore, const Tuple &element) {
      if (before.empty())
        return element;
      Tuple combined = combine(before, element);
      return hasBefore ? select(hasBefore, combined, element) : combined;
    };
    for (Tuple &element : MutableArrayRef(chunk.elements).drop_back())
      element = after(prefix, hasPrefix, element);
    chunk.elements.back() = after(chunk.before, chunk.hasBefore, chunk.total);
  }
}

SmallVector<Tuple> ScanEmitter::run(ArrayRef<ValueRange> srcs, Value scratch) {
  scanRegisters(srcs);
  scanLanes();
  findBefore(scratch);
  addPrefixes();
  SmallVector<Tuple> results(plan.representative.size());
  for (const Chunk &chunk : chunks)
    for (auto [reg, element] : llvm::zip_equal(chunk.plan.registers, chunk.elements))
      results[reg] = element;
  for (unsigned reg = 0; reg < results.size(); ++reg)
    results[reg] = results[plan.representative[reg]];
  return results;
}

namespace {
struct ScanLowering : LoweringPattern<hk::ScanOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(hk::ScanOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto plan = hk::planScan(cast<RankedTensorType>(op.getSrcs().front().getType()), op.getAxis(), op.getReverse());
    if (!plan)
      return op.emitError("a scan needs a layout whose lanes follow each other along the axis; run "
                          "hocket-prepare-scans first");
    Value scratch;
    if (plan->exchange) {
      scratch = lowering.allocatedAddress(rewriter, op);
      if (!scratch)
        return failure();
    }
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (const Tuple &tuple : ScanEmitter(lowering, rewriter, op, *plan).run(adaptor.getSrcs(), scratch))
      for (auto [result, value] : llvm::zip_equal(results, tuple))
        result.push_back(value);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};
} // namespace

void populateScanPatterns(LoweringContext &lowering, RewritePatternSet &patterns) {
  patterns.add<ScanLowering>(lowering);
}

} // namespace hocket
