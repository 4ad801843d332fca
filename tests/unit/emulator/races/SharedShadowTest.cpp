//===- SharedShadowTest.cpp - Finds unordered accesses of shared memory ------------------------===//
#include "emulator/races/SharedShadow.h"

#include <gtest/gtest.h>
#include <random>

namespace hocket::emulator {
namespace {

using enum SharedAccess;

/// Warps that access 64 bytes; a barrier orders all earlier accesses before all later ones.
struct Block {
  static constexpr unsigned kWarps = 4;
  std::array<std::byte, 64> memory = {};
  HappensBefore order{kWarps};
  SharedShadow shadow;
  std::array<ClockStateRef, kWarps> states;
  uint64_t openings = 0;

  explicit Block(unsigned granule = 4) : shadow(memory.data(), memory.size(), granule) { begin(); }

  void begin() {
    order.beginBlock();
    for (uint32_t warp = 0; warp < kWarps; ++warp)
      states[warp] = order.firstState(warp);
  }
  void barrier(uint32_t warps = 0xf) {
    VectorClock passedOn;
    for (uint32_t warp = 0; warp < kWarps; ++warp)
      if (warps >> warp & 1) {
        states[warp] = order.release(states[warp]);
        passedOn.join(states[warp]->released);
      }
    ++openings;
    for (uint32_t warp = 0; warp < kWarps; ++warp)
      if (warps >> warp & 1)
        states[warp] = order.acquire(order.receive(states[warp], passedOn, openings));
  }
  std::optional<Conflict> access(SharedAccess kind, uint32_t warp, uint64_t offset, uint64_t bytes = 4,
                                 uint32_t site = 0, const std::byte *stored = nullptr) {
    Accessor who = {.warp = warp, .lane = 7, .site = site};
    if (kind == Read && SharedShadow::Usual(shadow, *states[warp]).tryRead(offset, bytes, who))
      return std::nullopt;
    if (kind == Write && SharedShadow::Usual(shadow, *states[warp]).tryWrite(offset, bytes, who))
      return std::nullopt;
    return shadow.access(kind, {offset, bytes, stored}, *states[warp], who);
  }
  bool races(SharedAccess kind, uint32_t warp, uint64_t offset, uint64_t bytes = 4, uint32_t site = 0) {
    return access(kind, warp, offset, bytes, site).has_value();
  }
};

TEST(SharedShadow, WhichPairsConflict) {
  for (auto [first, second, conflict] :
       {std::tuple(Read, Read, false), std::tuple(Read, Write, true), std::tuple(Read, Atomic, true),
        std::tuple(Write, Read, true), std::tuple(Write, Write, true), std::tuple(Write, Atomic, true),
        std::tuple(Atomic, Read, true), std::tuple(Atomic, Write, true), std::tuple(Atomic, Atomic, false)}) {
    for (uint32_t warp = 0; warp < 2; ++warp)
      for (bool barrier : {false, true}) {
        Block block;
        EXPECT_FALSE(block.races(first, 0, 8));
        if (barrier)
          block.barrier();
        bool expected = conflict && warp != 0 && !barrier;
        EXPECT_EQ(block.races(second, warp, 8), expected) << int(first) << int(second) << warp << barrier;
      }
  }
}

TEST(SharedShadow, TellsWhoWasFirst) {
  Block block;
  block.access(Write, 2, 16, 16, 41);
  std::optional<Conflict> conflict = block.access(Read, 1, 24, 16, 42);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->earlier, Write);
  EXPECT_EQ(conflict->warp, 2u);
  EXPECT_EQ(conflict->lane, 7u);
  EXPECT_EQ(conflict->site, 41u);
  EXPECT_EQ(conflict->offset, 24u);
}

TEST(SharedShadow, GranulesAreAsSmallAsTheAccesses) {
  Block block(1);
  block.access(Write, 0, 8, 1);
  EXPECT_FALSE(block.races(Write, 1, 9, 1));
  EXPECT_FALSE(block.races(Write, 2, 7, 1));
  EXPECT_TRUE(block.races(Read, 1, 0, 16));
}

TEST(SharedShadow, EveryReaderCounts) {
  // Warp 0 is ordered after the read of warp 1, but not after the read of warp 2, whatever their sites.
  for (uint32_t site : {0u, 5u}) {
    Block block;
    block.access(Read, 1, 0, 4, 0);
    block.access(Read, 2, 0, 4, site);
    block.barrier(0b0011);
    std::optional<Conflict> conflict = block.access(Write, 0, 0);
    ASSERT_TRUE(conflict);
    EXPECT_EQ(conflict->earlier, Read);
    EXPECT_EQ(conflict->warp, 2u);
    EXPECT_EQ(conflict->site, site);
  }
}

TEST(SharedShadow, ReadsAtDifferentEpochs) {
  Block block;
  block.access(Read, 1, 0);
  block.barrier(0b1100); // warps 2 and 3 are an epoch ahead
  block.access(Read, 2, 0);
  block.barrier(0b0011);
  EXPECT_EQ(block.access(Write, 0, 0)->warp, 2u);
  block.barrier();
  EXPECT_FALSE(block.races(Write, 0, 0));
}

TEST(SharedShadow, ABarrierOfSomeOrdersThoseOnly) {
  Block block;
  block.access(Write, 0, 0);
  block.barrier(0b0011);
  EXPECT_FALSE(block.races(Read, 1, 0));
  EXPECT_TRUE(block.races(Read, 2, 0));
}

TEST(SharedShadow, EqualWritesDoNotRaceButStayKnown) {
  Block block;
  block.access(Write, 0, 0);
  std::array<std::byte, 4> same = {}, other = {std::byte(1)};
  EXPECT_FALSE(block.access(Write, 1, 0, 4, 0, same.data()));
  EXPECT_TRUE(block.access(Write, 2, 0, 4, 0, other.data()));
  block.barrier(0b1001); // warp 3 is ordered after warp 0, but not after warp 1
  EXPECT_EQ(block.access(Read, 3, 0)->warp, 1u);
  block.barrier();
  EXPECT_FALSE(block.races(Read, 3, 0));
}

TEST(SharedShadow, BlocksDoNotRaceWithEachOther) {
  Block block;
  block.access(Write, 0, 0);
  block.access(Read, 1, 4);
  block.begin();
  EXPECT_FALSE(block.races(Read, 1, 0));
  EXPECT_FALSE(block.races(Write, 2, 4));
  EXPECT_TRUE(block.races(Write, 3, 4));
}

TEST(SharedShadow, CopiesInFlight) {
  Block block;
  Accessor copier = {.warp = 1, .lane = 3, .site = 9};
  EXPECT_FALSE(block.shadow.beginCopy({16, 16}, *block.states[1], copier));
  for (uint32_t warp : {0u, 1u}) {
    for (SharedAccess kind : {Read, Write, Atomic}) {
      std::optional<Conflict> conflict = block.access(kind, warp, 28, 4);
      ASSERT_TRUE(conflict) << "even by the warp that copies";
      EXPECT_TRUE(conflict->inFlight);
      EXPECT_EQ(conflict->site, 9u);
    }
  }
  EXPECT_TRUE(block.shadow.beginCopy({16, 16}, *block.states[1], copier)) << "nor may another copy go there";
  block.barrier();
  EXPECT_TRUE(block.races(Read, 0, 16)) << "a barrier is no wait";
  EXPECT_FALSE(block.races(Read, 0, 32)) << "beside it";
  block.shadow.endCopy({16, 16}, block.states[1]->epoch, copier);
  EXPECT_FALSE(block.races(Read, 1, 16));
  EXPECT_EQ(block.access(Read, 0, 16)->site, 9u) << "the wait orders nothing for others";
  block.barrier();
  EXPECT_FALSE(block.races(Read, 0, 16));
}

TEST(SharedShadow, CopiesRaceWithEarlierReads) {
  Block block;
  block.access(Read, 0, 16);
  EXPECT_TRUE(block.shadow.beginCopy({16, 16}, *block.states[1], {.warp = 1}));
}

/// A plain record of all accesses.
class Oracle {
public:
  struct Event {
    SharedAccess kind;
    uint32_t warp;
    uint64_t begin, end;
    Epoch epoch;
  };
  bool races(const Event &event, const ClockState &clocks) {
    bool found = std::ranges::any_of(past, [&](const Event &earlier) {
      bool conflict = earlier.kind == Write || event.kind == Write || earlier.kind != event.kind;
      return conflict && earlier.begin < event.end && event.begin < earlier.end &&
             !clocks.isAfter(earlier.warp, earlier.epoch);
    });
    past.push_back(event);
    return found;
  }
  void forget() { past.clear(); }

private:
  std::vector<Event> past;
};

/// Random accesses, and barriers of random subsets of warps, until the first race. The shadow and the oracle must
/// report this race at the same access.
TEST(SharedShadow, AgreesWithAllOfThePast) {
  int racy = 0, clean = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    unsigned granule = 1u << random() % 3;
    Block block(granule);
    Oracle oracle;
    unsigned barrierEvery = 1 + random() % 6;
    bool raced = false;
    for (int step = 0; step < 120 && !raced; ++step) {
      if (random() % barrierEvery == 0) {
        block.barrier(random() % 3 ? 0xf : random() % 16);
        continue;
      }
      auto kind = random() % 3 ? Read : random() % 3 ? Write : Atomic;
      auto warp = uint32_t(random() % Block::kWarps);
      uint64_t bytes = granule << random() % 3, offset = random() % (64 / bytes) * bytes;
      bool expected =
          oracle.races({kind, warp, offset, offset + bytes, block.states[warp]->epoch}, *block.states[warp]);
      raced = block.races(kind, warp, offset, bytes, uint32_t(random() % 2));
      ASSERT_EQ(raced, expected) << "seed " << seed << " step " << step;
    }
    (raced ? racy : clean) += 1;
  }
  EXPECT_GT(racy, 100);
  EXPECT_GT(clean, 100);
}

} // namespace
} // namespace hocket::emulator
