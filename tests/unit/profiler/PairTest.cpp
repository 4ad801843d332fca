//===- PairTest.cpp - Correction and pairing of records: edge cases -------------------===//
#include "profiler/Pair.h"
#include "profiler/Correct.h"
#include "profiler/Parts.h"

#include <gtest/gtest.h>
#include <limits>

using namespace hocket::profiler;

static Record recordOf(uint32_t cta, uint16_t unit, RecordKind kind, uint16_t site, int64_t cycle) {
  Record record = {};
  record.cta = cta;
  record.unit = record.warp = unit;
  record.kind = kind;
  record.site = site;
  record.cycle = cycle;
  record.ns = double(cycle);
  return record;
}

static std::vector<int64_t> correctedCycles(const std::vector<Record> &records, double cost) {
  RawArray<Record> shown = correctRecords(records, cost, {});
  std::vector<int64_t> cycles;
  for (size_t i = 0; i < records.size(); ++i)
    cycles.push_back(shown[i].cycle);
  return cycles;
}

TEST(Correct, NothingComesOfNothing) {
  EXPECT_TRUE(correctedCycles({}, 12).empty());
  EXPECT_EQ(pairRecords({}, {}, {}).count, 0u);
}

TEST(Correct, ARecordOfOneOfTwoWarpsTakesHalfAsMuch) {
  std::vector<Record> records = {recordOf(0, 0, RecordKind::Mark, 0, 100), recordOf(0, 0, RecordKind::Mark, 0, 120),
                                 recordOf(0, 1, RecordKind::Mark, 0, 110), recordOf(0, 1, RecordKind::Mark, 0, 130)};
  EXPECT_EQ(correctedCycles(records, 8), (std::vector<int64_t>{100, 112, 106, 118}));
}

TEST(Correct, TimesRoundToTheNearestAndTheEvenOne) {
  std::vector<Record> records;
  for (int64_t i = 0; i < 4; ++i)
    records.push_back(recordOf(0, 0, RecordKind::Mark, 0, 10 * i));
  EXPECT_EQ(correctedCycles(records, 0.5), (std::vector<int64_t>{0, 10, 19, 28})); // 9.5, 19, 28.5
}

TEST(Correct, ClocksThatGoBackAndFarAreSorted) {
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 2;
  std::vector<Record> records = {recordOf(0, 0, RecordKind::Mark, 0, kFar), recordOf(0, 0, RecordKind::Mark, 0, 5),
                                 recordOf(0, 1, RecordKind::Mark, 0, 7)};
  std::vector<int64_t> shown = correctedCycles(records, 2);
  EXPECT_EQ(shown[1], 5);
  EXPECT_EQ(shown[2], 6);
  EXPECT_GT(shown[0], kFar - 1024); // within the precision of a double
}

TEST(Pair, ABeginThatAnotherFollowsIsLost) {
  std::vector<Record> records = {recordOf(0, 0, RecordKind::Begin, 1, 0), recordOf(0, 0, RecordKind::Begin, 1, 5),
                                 recordOf(0, 0, RecordKind::End, 1, 9), recordOf(0, 0, RecordKind::End, 1, 11)};
  PairedProfile paired = pairRecords(records, records, {false, false});
  ASSERT_EQ(paired.count, 1u);
  EXPECT_EQ(paired.spans[0].begin, 5);
  EXPECT_EQ(paired.spans[0].end, 9);
  EXPECT_EQ(paired.unpaired, 2u);
}

TEST(Pair, ScopesDoNotGoOnInTheNextWarpOrBlock) {
  std::vector<Record> records = {recordOf(0, 0, RecordKind::Begin, 0, 0), recordOf(0, 1, RecordKind::End, 0, 5),
                                 recordOf(0, 1, RecordKind::Begin, 0, 6), recordOf(1, 1, RecordKind::End, 0, 7)};
  PairedProfile paired = pairRecords(records, records, {false});
  EXPECT_EQ(paired.count, 0u);
  EXPECT_EQ(paired.unpaired, 4u);
}

TEST(Pair, SitesThatNobodyKnowsAreScopes) {
  std::vector<Record> records = {recordOf(0, 0, RecordKind::Begin, 1000, 1), recordOf(0, 0, RecordKind::End, 1000, 2)};
  EXPECT_EQ(pairRecords(records, records, {}).count, 1u);
}

TEST(Parts, EndWhereBlocksEnd) {
  std::vector<Record> records;
  for (uint32_t block = 0; block < 3; ++block)
    for (int i = 0; i < 100'000; ++i)
      records.push_back(recordOf(block, 0, RecordKind::Mark, 0, i));
  std::vector<Part> parts = partsOf(records);
  size_t begin = 0;
  for (Part part : parts) {
    EXPECT_EQ(part.first, begin);
    EXPECT_EQ(part.second % 100'000, 0u);
    begin = part.second;
  }
  EXPECT_EQ(begin, records.size());
}

TEST(Parts, WhatAThreadThrowsIsThrown) {
  EXPECT_THROW(runParts(3,
                        [](size_t part) {
                          if (part == 2)
                            throw std::runtime_error("two");
                        }),
               std::runtime_error);
}
