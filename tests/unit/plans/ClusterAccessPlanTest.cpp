//===- ClusterAccessPlanTest.cpp - Every element reaches each block that owns it once -------------===//
#include "plans/ClusterAccessPlan.h"

#include "gtest/gtest.h"
#include <map>
#include <vector>

using namespace hocket;

namespace {

/// Basis rows of the blocks: bit i of a block's number moves an element by row i, in a tile of 8 x 8.
using Rows = std::vector<std::pair<int32_t, int32_t>>;
constexpr DimBits kTile[] = {{Dim::Dim0, 3}, {Dim::Dim1, 3}};

/// Builds a layout. The bases of `in` are all bits of the tile that blocks do not have, column bits first. The bases of
/// blocks are `rows`.
LinearLayout dealt(Dim in, const Rows &rows) {
  std::vector<std::pair<int32_t, int32_t>> bases;
  for (int32_t bit = 1; bit < 8; bit *= 2)
    bases.push_back({0, bit});
  for (int32_t bit = 1; bit < 8; bit *= 2)
    bases.push_back({bit, 0});
  std::erase_if(bases, [&](auto basis) { return std::ranges::find(rows, basis) != rows.end(); });
  const DimBits ins[] = {{in, uint8_t(bases.size())}, {Dim::Block, uint8_t(rows.size())}};
  LinearLayout layout = LinearLayout::zeros(ins, kTile);
  auto set = [&](Dim dim, unsigned bit, std::pair<int32_t, int32_t> basis) {
    layout.setBasis(dim, bit, Coords{{Dim::Dim0, basis.first}, {Dim::Dim1, basis.second}});
  };
  for (unsigned bit = 0; bit < bases.size(); ++bit)
    set(in, bit, bases[bit]);
  for (unsigned bit = 0; bit < rows.size(); ++bit)
    set(Dim::Block, bit, rows[bit]);
  return layout;
}

/// Returns the elements stored to each (block, offset).
std::map<std::pair<int32_t, int32_t>, std::vector<uint64_t>> stored(const LinearLayout &registers,
                                                                    const ClusterAccess &plan, unsigned blockBits) {
  std::map<std::pair<int32_t, int32_t>, std::vector<uint64_t>> positions;
  for (int32_t block = 0; block < 1 << blockBits; ++block)
    for (int32_t reg = 0; reg < registers.getInDimSize(Dim::Register); ++reg)
      for (int32_t copy = 0; copy < 1 << blockBits; ++copy) {
        if (copy & ~plan.copies)
          continue;
        int32_t inLayout = block & (registers.getInDimSize(Dim::Block) - 1);
        Coords element = registers.apply({{Dim::Register, reg}, {Dim::Block, inLayout}});
        int32_t position = plan.toOffset.apply({{Dim::Register, reg}, {Dim::Block, block}})[Dim::Offset];
        int32_t rank = position >> plan.partBits ^ copy;
        positions[{rank, position & ((1 << plan.partBits) - 1)}].push_back(registers.flattenOut(element));
      }
  return positions;
}

void expectEachOnce(const Rows &inRegisters, const Rows &inShared, size_t times = 1) {
  LinearLayout registers = dealt(Dim::Register, inRegisters), shared = dealt(Dim::Offset, inShared);
  ClusterAccess plan = planClusterStore(registers, offsetsInCluster(shared, 2));
  EXPECT_EQ(plan.partBits, shared.getInDimSizeLog2(Dim::Offset));
  auto positions = stored(registers, plan, 2);
  EXPECT_EQ(positions.size(), size_t(4) << plan.partBits);
  for (const auto &[position, elements] : positions) {
    EXPECT_EQ(elements.size(), times);
    int32_t inLayout = position.first & (shared.getInDimSize(Dim::Block) - 1);
    Coords wanted = shared.apply({{Dim::Offset, position.second}, {Dim::Block, inLayout}});
    for (uint64_t element : elements)
      EXPECT_EQ(element, shared.flattenOut(wanted));
  }
}

TEST(ClusterAccessPlan, rowsToColumns) { expectEachOnce({{1, 0}, {2, 0}}, {{0, 1}, {0, 2}}); }
TEST(ClusterAccessPlan, quadrantsToOtherQuadrants) { expectEachOnce({{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}); }
TEST(ClusterAccessPlan, eachKeepsItsOwn) { expectEachOnce({{1, 0}, {2, 0}}, {{1, 0}, {2, 0}}); }
TEST(ClusterAccessPlan, copiesStayWithEach) { expectEachOnce({{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}); }
TEST(ClusterAccessPlan, layoutsWithoutBlocksAreCopies) { expectEachOnce({}, {}); }
TEST(ClusterAccessPlan, partsGoToAllThatHaveCopies) { expectEachOnce({{1, 0}, {2, 0}}, {{0, 0}, {0, 0}}); }
TEST(ClusterAccessPlan, toCopiesInOneBitOnly) { expectEachOnce({{1, 0}, {0, 4}}, {{0, 0}, {0, 1}}); }
/// Each block that runs the store stores all of its elements. Therefore a kernel lets only one of the blocks run it.
TEST(ClusterAccessPlan, ofCopiesEachStoresToAll) { expectEachOnce({{0, 0}, {0, 0}}, {{1, 0}, {0, 1}}, 4); }

/// Checks that each block loads from its own memory if `isOwn`, otherwise from any memory that has the element.
void expectLoads(const Rows &inRegisters, const Rows &inShared, bool isOwn) {
  LinearLayout registers = dealt(Dim::Register, inRegisters), shared = dealt(Dim::Offset, inShared);
  ClusterAccess plan = planClusterLoad(registers, offsetsInCluster(shared, 2));
  EXPECT_EQ(plan.isOwn, isOwn);
  for (int32_t block = 0; block < 4; ++block)
    for (int32_t reg = 0; reg < registers.getInDimSize(Dim::Register); ++reg) {
      int32_t position = plan.toOffset.apply({{Dim::Register, reg}, {Dim::Block, block}})[Dim::Offset];
      int32_t rank = position >> plan.partBits, offset = position & ((1 << plan.partBits) - 1);
      if (isOwn) {
        EXPECT_EQ(rank, block);
        EXPECT_EQ((plan.offsetInPart().apply({{Dim::Register, reg}, {Dim::Block, block}})[Dim::Offset]), offset);
      }
      Coords has = shared.apply({{Dim::Offset, offset}, {Dim::Block, rank & (shared.getInDimSize(Dim::Block) - 1)}});
      Coords wanted =
          registers.apply({{Dim::Register, reg}, {Dim::Block, block & (registers.getInDimSize(Dim::Block) - 1)}});
      EXPECT_EQ(has, wanted);
    }
}

TEST(ClusterAccessPlan, loadsOfTheOwnPart) { expectLoads({{1, 0}, {2, 0}}, {{1, 0}, {2, 0}}, true); }
TEST(ClusterAccessPlan, loadsOfPartsOfTheOwnCopy) { expectLoads({{1, 0}, {0, 4}}, {{0, 0}, {0, 4}}, true); }
TEST(ClusterAccessPlan, loadsOfOtherParts) { expectLoads({{0, 1}, {0, 2}}, {{1, 0}, {2, 0}}, false); }
TEST(ClusterAccessPlan, loadsOfAllParts) { expectLoads({}, {{1, 0}, {0, 1}}, false); }

TEST(ClusterAccessPlan, blocksWithOtherIndicesStoreToAllCopies) {
  LinearLayout registers = dealt(Dim::Register, {{1, 0}, {2, 0}}), shared = dealt(Dim::Offset, {{0, 0}, {0, 0}});
  ClusterOffsets offsets = offsetsInCluster(shared, 2);
  LinearLayout known = registers.sublayout({Dim::Register, Dim::Block}, {Dim::Dim1}) *
                       LinearLayout::zeros1D(1, Dim::Register, Dim::Dim0);
  EXPECT_EQ(planClusterStore(known, offsets, registers).copies, 3);
  EXPECT_EQ(planClusterStore(known, offsets, known).copies, 0);
}

} // namespace
