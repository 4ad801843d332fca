//===- SharedPhasesTest.cpp - Tables of shared memory phases --------------------------===//
#include "target/TargetInfo.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace hocket;

/// Prints the lanes of each phase of the first `lanes` lanes: "0-3 20-23 | 4-7 16-19 | ...".
static std::string drawPhases(const LanePhases &phases, int lanes) {
  std::string text;
  std::set<int> drawn;
  for (int first = 0; first < lanes; ++first) {
    if (drawn.contains(first))
      continue;
    std::set<int> phase = {first};
    for (uint8_t direction : phases.together)
      for (int lane : std::set<int>(phase))
        phase.insert(lane ^ direction);
    text += text.empty() ? "" : " | ";
    for (auto lane = phase.begin(); lane != phase.end();) {
      int begin = *lane, end = begin;
      while (++lane != phase.end() && *lane == end + 1)
        ++end;
      text += (begin == *phase.begin() ? "" : " ") + std::to_string(begin) + "-" + std::to_string(end);
    }
    drawn.insert(phase.begin(), phase.end());
  }
  return text;
}

static const LanePhases &phasesOf(std::string_view target, SharedAccess access, int bytes) {
  return findTarget(target)->sharedPhases->phasesOf(access, bytes);
}

TEST(SharedPhases, LoadsOf16Bytes) {
  EXPECT_EQ(drawPhases(phasesOf("sm_90a", SharedAccess::Load, 16), 32), "0-7 | 8-15 | 16-23 | 24-31");
  EXPECT_EQ(drawPhases(phasesOf("gfx942", SharedAccess::Load, 16), 64),
            "0-3 20-23 | 4-7 16-19 | 8-11 28-31 | 12-15 24-27 | "
            "32-35 52-55 | 36-39 48-51 | 40-43 60-63 | 44-47 56-59");
  EXPECT_EQ(drawPhases(phasesOf("gfx950", SharedAccess::Load, 16), 64),
            "0-3 12-15 20-27 | 4-11 16-19 28-31 | 32-35 44-47 52-59 | 36-43 48-51 60-63");
}

TEST(SharedPhases, StoresOfGfx950SeeHalfOfTheBanks) {
  EXPECT_EQ(phasesOf("gfx950", SharedAccess::Load, 8).banks, 64);
  EXPECT_EQ(drawPhases(phasesOf("gfx950", SharedAccess::Load, 8), 64), "0-31 | 32-63");
  EXPECT_EQ(phasesOf("gfx950", SharedAccess::Store, 8).banks, 32);
  EXPECT_EQ(drawPhases(phasesOf("gfx950", SharedAccess::Store, 8), 64), "0-15 | 16-31 | 32-47 | 48-63");
}

TEST(SharedPhases, APhaseFillsTheBanks) {
  for (const TargetInfo &target : allTargets())
    for (const PhasesByWidth &byWidth : target.sharedPhases->phases)
      for (int width = 0; width < 5; ++width) {
        const LanePhases &phases = byWidth[width];
        EXPECT_LE(phases.banks, target.sharedBanks);
        EXPECT_EQ((1 << phases.lanesLog2()) * std::max(1 << width, 4), phases.banks * 4) << target.name << " " << width;
      }
}
