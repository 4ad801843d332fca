//===- BankCounterTest.cpp - Wavefronts counted from addresses that come lane by lane ----------===//
#include "emulator/machine/BankCounter.h"

#include <functional>
#include <gtest/gtest.h>

namespace hocket::emulator {
namespace {

using host_abi::SiteKind;

/// Lanes of one block, and sites with their widths.
struct Block {
  Program program;
  std::unique_ptr<BankCounter> counter;
  BankTotals totals;

  Block(std::string_view target, std::initializer_list<std::pair<SiteKind, uint32_t>> sites, unsigned warps = 1) {
    program.target = findTarget(target);
    program.numWarps = warps;
    for (auto [kind, bytes] : sites) {
      Site &site = program.sites.emplace_back();
      site.kind = kind;
      site.bytes = bytes;
    }
    counter = std::make_unique<BankCounter>(program);
  }
  void access(uint32_t site, const std::function<uint64_t(uint32_t)> &offsetOf, uint32_t warp = 0) {
    for (uint32_t lane = 0; lane < program.warpSize(); ++lane)
      counter->access(warp, lane, site, offsetOf(lane));
  }
  /// Returns "accesses: actual / ideal" of each site that was accessed.
  std::string result() {
    counter->endBlock(totals);
    std::string text;
    for (const BankCount &count : totals.read(program))
      text += (text.empty() ? "" : ", ") + std::to_string(count.accesses) + ": " + std::to_string(count.actual) +
              " / " + std::to_string(count.ideal);
    return text;
  }
};

TEST(BankCounter, LanesInOneBankTakeTurns) {
  auto strided = [](uint32_t bytes) { return [=](uint32_t lane) { return uint64_t(lane) * bytes; }; };
  auto count = [&](uint32_t bytes) {
    Block block("sm_90a", {{SiteKind::SharedRead, 4}});
    block.access(0, strided(bytes));
    return block.result();
  };
  EXPECT_EQ(count(4), "1: 1 / 1");
  EXPECT_EQ(count(8), "1: 2 / 1");
  EXPECT_EQ(count(128), "1: 32 / 1");
  EXPECT_EQ(count(132), "1: 1 / 1");
  EXPECT_EQ(count(0), "1: 1 / 1"); // one word for all
  EXPECT_EQ(count(2), "1: 1 / 1"); // two lanes share a word
}

TEST(BankCounter, WidthAndTargetDecideOnThePhases) {
  // Lanes that are a multiple of 8 apart access different words of the same banks. This matters only within a phase.
  auto offsetOf = [](uint32_t lane) { return lane % 8 * 16 + lane / 8 * 1024; };
  auto count = [&](std::string_view target, SiteKind kind) {
    Block block(target, {{kind, 16}});
    block.access(0, offsetOf);
    return block.result();
  };
  EXPECT_EQ(count("sm_90a", SiteKind::SharedRead), "1: 4 / 4");
  // Lanes 0..3 and 20..23 fill the eight 16-byte columns of the banks; so do all other phases.
  EXPECT_EQ(count("gfx942", SiteKind::SharedRead), "1: 8 / 8");
  EXPECT_EQ(count("gfx942", SiteKind::SharedWrite), "1: 8 / 8");
  // 16 lanes on 64 banks: only the lower 32 are used, twice each.
  EXPECT_EQ(count("gfx950", SiteKind::SharedRead), "1: 8 / 4");
  EXPECT_EQ(count("gfx950", SiteKind::SharedWrite), "1: 8 / 8");
}

TEST(BankCounter, TheSameTurnOfEachLaneBelongsTogether) {
  // Each lane makes three accesses before the next lane: access k is a row of words, then a column, ...
  Block block("sm_90a", {{SiteKind::SharedRead, 4}});
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t turn = 0; turn < 3; ++turn)
      block.counter->access(0, lane, 0, turn == 1 ? lane * 128 : lane * 4);
  EXPECT_EQ(block.result(), "3: 34 / 3");
}

TEST(BankCounter, WarpsAndSitesAreApart) {
  Block block("sm_90a", {{SiteKind::SharedRead, 4}, {SiteKind::Read, 4}, {SiteKind::SharedWrite, 8}}, /*warps=*/2);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t warp : {1u, 0u}) {
      block.counter->access(warp, lane, 0, warp == 0 ? lane * 4 : lane * 8);
      block.counter->access(warp, lane, 2, lane * 8);
    }
  EXPECT_EQ(block.result(), "2: 3 / 2, 2: 4 / 4");
}

TEST(BankCounter, LanesThatDoNotComeAreNotWaitedFor) {
  Block block("sm_90a", {{SiteKind::SharedRead, 4}});
  for (uint32_t lane = 0; lane < 8; ++lane)
    block.counter->access(0, lane, 0, lane * 128);
  EXPECT_EQ(block.result(), "1: 8 / 1");
  // No state remains for the next block.
  block.access(0, [](uint32_t lane) { return lane * 4; });
  EXPECT_EQ(block.result(), "2: 9 / 2");
}

} // namespace
} // namespace hocket::emulator
