//===- ReducePlanTest.cpp - Reductions of random layouts, executed ----------------===//
//
// The reductions combine sets of elements. Every result must contain each element of its row once.
//
//===------------------------------------------------------------------------------===//
#include "SimulatedBlock.h"

#include "layout/Factories.h"
#include "plans/ReducePlan.h"
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

namespace hocket {

namespace {

/// The elements that were combined into a value, with repetitions, sorted.
using Elements = std::vector<int64_t>;

Elements combine(const Elements &a, const Elements &b) {
  Elements result(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), result.begin());
  return result;
}

Registers<Elements> execute(const ReducePlan &plan, const Registers<int64_t> &src, unsigned numResults) {
  unsigned warps = src.size(), lanes = src[0].size(), groups = plan.groups.size();
  Registers<Elements> values =
      makeRegisters<Elements>(warps, lanes, groups, [&](unsigned group, unsigned lane, unsigned warp) {
        Elements value;
        for (unsigned reg : plan.groups[group])
          value = combine(value, {src[warp][lane][reg]});
        return value;
      });
  for (const ReduceLaneStep &step : plan.laneSteps)
    values = makeRegisters<Elements>(warps, lanes, groups, [&](unsigned group, unsigned lane, unsigned warp) {
      return combine(values[warp][lane][group], values[warp][lane ^ step.laneXor][step.partner[group]]);
    });
  if (!plan.exchange)
    return makeRegisters<Elements>(warps, lanes, numResults, [&](unsigned reg, unsigned lane, unsigned warp) {
      return values[warp][lane][plan.resultGroup[reg]];
    });

  const ReduceExchange &exchange = *plan.exchange;
  Registers<int64_t> storeAt = elementsOf(exchange.storeOffset), loadAt = elementsOf(exchange.loadOffset);
  std::vector<Elements> memory(exchange.elements());
  for (unsigned warp = 0; warp < warps; ++warp)
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned reg = 0; reg < plan.groupOf.size(); ++reg) {
        Elements &cell = memory.at(storeAt[warp][lane][reg]), &value = values[warp][lane][plan.groupOf[reg]];
        EXPECT_TRUE(cell.empty() || cell == value) << "two values for one address";
        cell = value;
      }
  auto read = [&](unsigned reg, unsigned lane, unsigned warp) {
    Elements value;
    for (unsigned partial = 0; partial < exchange.partialsPerLane; ++partial)
      value = combine(value, memory.at(loadAt[warp][lane][reg] + partial * exchange.partialStride));
    return value;
  };
  Registers<Elements> results = makeRegisters<Elements>(warps, lanes, numResults, read);
  for (unsigned laneXor = 1; laneXor < exchange.partials / exchange.partialsPerLane; laneXor *= 2)
    results = makeRegisters<Elements>(warps, lanes, numResults, [&](unsigned reg, unsigned lane, unsigned warp) {
      return combine(results[warp][lane][reg], results[warp][lane ^ laneXor][reg]);
    });
  return results;
}

/// Returns the layout of the result without the axis: SliceLayout's definition, for any layout.
LinearLayout dropAxis(const LinearLayout &src, unsigned axis) {
  std::vector<Dim> ins, outs;
  for (DimBits in : src.getInDims())
    ins.push_back(in.dim);
  for (DimBits out : src.getOutDims())
    if (out.dim != tensorDim(axis))
      outs.push_back(out.dim);
  return src.sublayout(ins, outs).removeZeroBases(Dim::Register);
}

ReducePlan check(const LinearLayout &src, unsigned axis) {
  bool isScalar = src.getOutDims().size() == 1;
  LinearLayout result = dropAxis(src, axis);
  ReducePlan plan = planReduce(src, axis, isScalar ? nullptr : &result);
  unsigned numResults = isScalar ? 1 : result.getInDimSize(Dim::Register);
  Registers<Elements> values = execute(plan, elementsOf(src), numResults);
  auto lanes = src.getInDimSize(Dim::Lane), warps = src.getInDimSize(Dim::Warp);
  Registers<Elements> wanted =
      makeRegisters<Elements>(warps, lanes, numResults, [&](int32_t reg, int32_t lane, int32_t warp) {
        Coords position = {{Dim::Lane, lane}, {Dim::Warp, warp}};
        if (!isScalar)
          position.push_back({Dim::Register, reg});
        Coords row = isScalar ? Coords() : result.apply(position);
        Elements elements;
        for (int32_t i = 0; i < src.getOutDimSize(tensorDim(axis)); ++i) {
          Coords element = row;
          element.push_back({tensorDim(axis), i});
          elements.push_back(src.flattenOut(element));
        }
        std::sort(elements.begin(), elements.end());
        return elements;
      });
  EXPECT_EQ(values, wanted) << src.toString();
  return plan;
}

LinearLayout blocked(std::vector<int64_t> shape, std::vector<int64_t> size, std::vector<int64_t> threads,
                     std::vector<int64_t> warps, std::vector<int64_t> order) {
  return blockedLayout(shape, {size, threads, warps, order});
}

} // namespace

TEST(ReducePlan, RowWithinLanes) {
  ReducePlan plan = check(blocked({128, 8}, {1, 8}, {32, 1}, {4, 1}, {1, 0}), 1);
  EXPECT_EQ(plan.groups, (std::vector<std::vector<unsigned>>{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_TRUE(plan.laneSteps.empty());
  EXPECT_FALSE(plan.exchange);
}

TEST(ReducePlan, RowWithinWarps) {
  ReducePlan plan = check(blocked({16, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0}), 1);
  ASSERT_EQ(plan.laneSteps.size(), 4u);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(plan.laneSteps[i].laneXor, 1u << i);
  EXPECT_FALSE(plan.exchange);
}

TEST(ReducePlan, RowOfTheBlock) {
  ReducePlan plan = check(blocked({1024}, {4}, {32}, {8}, {0}), 0);
  EXPECT_EQ(plan.laneSteps.size(), 5u);
  ASSERT_TRUE(plan.exchange);
  EXPECT_EQ(plan.exchange->partials, 8u);
  EXPECT_EQ(plan.exchange->partialStride, 1u);
  EXPECT_EQ(plan.exchange->partialsPerLane, 4u);
  EXPECT_EQ(exchangeBytes(*plan.exchange, 32), 32);
}

TEST(ReducePlan, ColumnsOverWarps) {
  ReducePlan plan = check(blocked({64, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0}), 0);
  ASSERT_TRUE(plan.exchange);
  EXPECT_EQ(plan.exchange->results, 64u);
  EXPECT_EQ(plan.exchange->partials, 4u);
  EXPECT_EQ(plan.exchange->partialStride, 64u);
}

TEST(ReducePlan, CopiesCountOnce) {
  // 16 elements held by 32 lanes of 4 warps: each element has eight copies.
  ReducePlan plan = check(blocked({16}, {1}, {32}, {4}, {0}), 0);
  EXPECT_EQ(plan.laneSteps.size(), 4u);
  EXPECT_FALSE(plan.exchange);
}

TEST(ReducePlan, AxisOfOneElement) {
  ReducePlan plan = check(blocked({32, 1}, {1, 1}, {32, 1}, {1, 1}, {1, 0}), 1);
  EXPECT_TRUE(plan.laneSteps.empty());
  EXPECT_EQ(plan.resultGroup, std::vector<unsigned>{0});
}

TEST(ReducePlan, DrawnLayouts) {
  std::mt19937 random(5);
  const DimBits tile[] = {{Dim::Dim0, 3}, {Dim::Dim1, 4}, {Dim::Dim2, 2}};
  int exchanges = 0;
  for (int i = 0; i < 150; ++i) {
    unsigned laneBits = 5 + random() % 2, warpBits = random() % 3;
    BlockBits bits{9 - std::min(9u, laneBits + warpBits) + unsigned(random() % 3), laneBits, warpBits};
    LinearLayout src = random() % 2 ? drawPlainLayout(random, bits, tile) : drawLayout(random, bits, tile);
    exchanges += check(src, random() % 3).exchange.has_value();
    if (HasFailure())
      FAIL() << "reduction " << i;
  }
  EXPECT_GT(exchanges, 30);
}

TEST(ReducePlan, DrawnRows) {
  std::mt19937 random(6);
  const DimBits tile[] = {{Dim::Dim0, 9}};
  for (int i = 0; i < 50; ++i) {
    BlockBits bits{3 + unsigned(random() % 2), 5, 2};
    check(random() % 2 ? drawPlainLayout(random, bits, tile) : drawLayout(random, bits, tile), 0);
    if (HasFailure())
      FAIL() << "reduction " << i;
  }
}

} // namespace hocket
