//===- GlobalRangeTest.cpp - Accesses of global memory that may overlap ------------------===//
#include "WarpPipelineFixture.h"

using namespace mlir;
using namespace hocket;

namespace {
/// A loop of two stages: the first stores %x through %to, the second loads through %from. %k is i + 1.
class GlobalRangeTest : public WarpPipelineFixture {
protected:
  void exchange(const std::string &addresses, const std::string &carried = "", const std::string &next = "") {
    parse(R"(
      %range = hk.arange 0 to 512 : !numbers
      %base = hk.splat %p : !ptr -> !ptrs
      %other = hk.splat %q : !ptr -> !ptrs
      %c512 = arith.constant 512 : i32
      %bytes = arith.constant dense<512> : !numbers
      %r = scf.for %i = %c0 to %n step %c1 )" +
          (carried.empty() ? "iter_args(%v = %c0) -> (i32)" : carried) + R"( : i32 {
        %k = arith.addi %i, %c1 : i32
        hk.stage "store" {
    )" + addresses +
          R"(
          hk.store %to, %x : !ptrs, !row
          %l = hk.load %from : !ptrs -> !row
        }
        hk.stage "pause" {}
    )" + (next.empty() ? "scf.yield %v : i32" : next) +
          "} {hk.pipelined = 1 : i32}");
  }

  /// Returns the number of iterations after which another warp, or another lane in the same stage, loads the stored
  /// data; nullopt if never.
  std::optional<int64_t> meetAfter() {
    const AccessHazard *found = hazard("hk.store", "hk.load");
    return found ? std::optional(found->stagesApart / 2) : std::nullopt;
  }
  /// Returns the number of iterations after which loaded data are overwritten.
  std::optional<int64_t> overwriteAfter() {
    const AccessHazard *found = hazard("hk.load", "hk.store");
    return found ? std::optional(found->stagesApart / 2) : std::nullopt;
  }
};
} // namespace

TEST_F(GlobalRangeTest, ElementsOfTheLaneItself) {
  exchange(R"(%to = hk.addptr %base, %range : !ptrs, !numbers
              %from = hk.addptr %base, %range : !ptrs, !numbers)");
  EXPECT_FALSE(meetAfter());
  EXPECT_FALSE(overwriteAfter());
}

TEST_F(GlobalRangeTest, ElementsOfOthers) {
  exchange(R"(%back = arith.subi %bytes, %range : !numbers
              %to = hk.addptr %base, %range : !ptrs, !numbers
              %from = hk.addptr %base, %back : !ptrs, !numbers)");
  EXPECT_EQ(meetAfter(), 0);
  EXPECT_EQ(overwriteAfter(), 1);
}

TEST_F(GlobalRangeTest, OtherArguments) {
  exchange(R"(%back = arith.subi %bytes, %range : !numbers
              %to = hk.addptr %base, %range : !ptrs, !numbers
              %from = hk.addptr %other, %back : !ptrs, !numbers)");
  EXPECT_FALSE(meetAfter());
  EXPECT_FALSE(overwriteAfter());
}

TEST_F(GlobalRangeTest, ArgumentsThatAreChosen) {
  exchange(R"(%one = arith.select %is, %p, %q : !ptr
              %ones = hk.splat %one : !ptr -> !ptrs
              %to = hk.addptr %base, %range : !ptrs, !numbers
              %from = hk.addptr %ones, %range : !ptrs, !numbers)");
  EXPECT_EQ(meetAfter(), 0);
}

TEST_F(GlobalRangeTest, TileOfEachIteration) {
  exchange(R"(%at = arith.muli %i, %c512 : i32
              %ats = hk.splat %at : i32 -> !numbers
              %place = arith.addi %ats, %range : !numbers
              %to = hk.addptr %base, %place : !ptrs, !numbers
              %from = hk.addptr %to, %bytes : !ptrs, !numbers)");
  // The next tile is loaded while the current tile is stored.
  EXPECT_FALSE(meetAfter());
  EXPECT_FALSE(overwriteAfter()) << "the same lane stores it";
}

TEST_F(GlobalRangeTest, TilesThatOverlap) {
  exchange(R"(%at = arith.muli %i, %c512 : i32
              %ats = hk.splat %at : i32 -> !numbers
              %place = arith.addi %ats, %range : !numbers
              %to = hk.addptr %base, %place : !ptrs, !numbers
              %fromRow = hk.addptr %to, %bytes : !ptrs, !numbers
              %less = hk.splat %c1 : i32 -> !numbers
              %from = hk.addptr %fromRow, %less : !ptrs, !numbers)");
  // The loads begin one element after the start of the next tile, so they also overlap the tile after it.
  EXPECT_EQ(overwriteAfter(), 1);
  EXPECT_FALSE(meetAfter());
}

TEST_F(GlobalRangeTest, SlotsOfAScratchArray) {
  exchange(R"(%now = arith.remsi %i, %c2 : i32
              %then = arith.remsi %k, %c2 : i32
              %toAt = arith.muli %now, %c512 : i32
              %fromAt = arith.muli %then, %c512 : i32
              %toAts = hk.splat %toAt : i32 -> !numbers
              %fromAts = hk.splat %fromAt : i32 -> !numbers
              %one = hk.splat %c1 : i32 -> !numbers
              %end = arith.subi %bytes, %one : !numbers
              %back = arith.subi %end, %range : !numbers
              %toPlace = arith.addi %toAts, %range : !numbers
              %fromPlace = arith.addi %fromAts, %back : !numbers
              %to = hk.addptr %base, %toPlace : !ptrs, !numbers
              %from = hk.addptr %base, %fromPlace : !ptrs, !numbers)");
  EXPECT_EQ(meetAfter(), 1);
  EXPECT_EQ(overwriteAfter(), 1);
}

TEST_F(GlobalRangeTest, PointersThatAdvance) {
  exchange(R"(%to = hk.addptr %v, %range : !ptrs, !numbers
              %from = hk.addptr %to, %bytes : !ptrs, !numbers)",
           "iter_args(%v = %base) -> (!ptrs)", R"(%next = hk.addptr %v, %bytes : !ptrs, !numbers
              scf.yield %next : !ptrs)");
  EXPECT_FALSE(meetAfter());
  EXPECT_FALSE(overwriteAfter());
}

// Rows of a length known only at launch are assumed to be longer than the accessed part.
TEST_F(GlobalRangeTest, RowsOfUnknownLength) {
  exchange(R"(%stride = hk.splat %m : i32 -> !numbers
              %rows = arith.muli %range, %stride : !numbers
              %ats = hk.splat %i : i32 -> !numbers
              %thens = hk.splat %k : i32 -> !numbers
              %toPlace = arith.addi %rows, %ats : !numbers
              %fromPlace = arith.addi %rows, %thens : !numbers
              %to = hk.addptr %base, %toPlace : !ptrs, !numbers
              %from = hk.addptr %base, %fromPlace : !ptrs, !numbers)");
  EXPECT_FALSE(meetAfter());
  EXPECT_FALSE(overwriteAfter()) << "the same lane stores it";
}

TEST_F(GlobalRangeTest, StepsOfUnknownLength) {
  exchange(R"(%at = arith.muli %i, %m : i32
              %ats = hk.splat %at : i32 -> !numbers
              %place = arith.addi %ats, %range : !numbers
              %to = hk.addptr %base, %place : !ptrs, !numbers
              %one = hk.splat %c1 : i32 -> !numbers
              %from = hk.addptr %to, %one : !ptrs, !numbers)");
  EXPECT_EQ(meetAfter(), 0) << "the element next to it";
  EXPECT_EQ(overwriteAfter(), std::nullopt) << "no element of another row";
}

TEST_F(GlobalRangeTest, AheadOfAllThatIsStored) {
  exchange(R"(%at = arith.muli %k, %c512 : i32
              %ats = hk.splat %at : i32 -> !numbers
              %place = arith.addi %ats, %range : !numbers
              %to = hk.addptr %base, %range : !ptrs, !numbers
              %from = hk.addptr %base, %place : !ptrs, !numbers)");
  EXPECT_FALSE(meetAfter());
  EXPECT_FALSE(overwriteAfter());
}

TEST_F(GlobalRangeTest, AddressesThatWereLoaded) {
  exchange(R"(%way = hk.ptr_cast %other : !ptrs -> tensor<512x!hk.ptr<i32>, #row>
              %place = hk.load %way : tensor<512x!hk.ptr<i32>, #row> -> !numbers
              %to = hk.addptr %base, %range : !ptrs, !numbers
              %from = hk.addptr %base, %place : !ptrs, !numbers)");
  EXPECT_FALSE(hazard("hk.load", "hk.store")) << "the table itself is another array";
  bool hasExchange = false;
  for (const AccessHazard &one : stages->getHazards())
    hasExchange |= one.earlier->op->getName().getStringRef() == "hk.store";
  EXPECT_TRUE(hasExchange);
}

// Without stages, nothing would order the two stores either, so they are not a hazard. With a barrier between the
// stages, they are a hazard.
TEST_F(GlobalRangeTest, TwoStores) {
  std::string stores[] = {R"(%base = hk.splat %p : !ptr -> !ptrs
      %bases = hk.splat %p : !ptr -> !turned
      %range = hk.arange 0 to 512 : !numbers
      %turns = hk.arange 0 to 512 : tensor<512xi32, #turn>
      %to = hk.addptr %base, %range : !ptrs, !numbers
      %too = hk.addptr %bases, %turns : !turned, tensor<512xi32, #turn>
      %y = hk.convert_layout %x : !row -> !turn
      scf.for %i = %c0 to %n step %c1 : i32 {
        hk.stage "one" { hk.store %to, %x : !ptrs, !row }
      )",
                          R"(
        hk.stage "other" { hk.store %too, %y : !turned, !turn }
      } {hk.pipelined = 1 : i32})"};
  parse(stores[0] + stores[1]);
  EXPECT_TRUE(stages->getHazards().empty());
  parse(stores[0] + "hk.barrier" + stores[1]);
  EXPECT_FALSE(stages->getHazards().empty());
}
