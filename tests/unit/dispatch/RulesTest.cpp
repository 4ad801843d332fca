//===- RulesTest.cpp - Grids, GPUs and streams of launches -------------------------===//
#include "dispatch/Rules.h"
#include "runtime/LaunchError.h"

#include <functional>
#include <gtest/gtest.h>

namespace hocket::dispatch {

static std::string errorOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const LaunchError &error) {
    return error.what();
  }
  return "";
}

TEST(Grid, IsNotLargerThanAnyGpuTakes) {
  EXPECT_EQ(errorOf([] { checkGrid({INT32_MAX, 65535, 65535}); }), "");
  EXPECT_EQ(errorOf([] { checkGrid({0, 1, 1}); }), "");
  EXPECT_EQ(errorOf([] { checkGrid({1, 65536, 1}); }),
            "a grid has at most 65535 blocks along axis 1, not 65536\n"
            "  hint: put the longest extent first, or let each program process several tiles");
}

static ArrayMemory onGpu(int device) { return {.isOnGpu = true, .device = device}; }

TEST(Placement, IsOneGpu) {
  Placement place;
  place.add(onGpu(2), "x", "f");
  place.add(onGpu(2), "y", "f");
  place.check("f");
  EXPECT_TRUE(place.isOnGpu());
  EXPECT_FALSE(place.isOnHost());
  EXPECT_EQ(place.device(), 2);
  EXPECT_EQ(errorOf([&] { place.add(onGpu(1), "z", "f"); }),
            "f(): `x` is on GPU 2 and `z` on GPU 1; all arrays of a launch must be on one device");
}

TEST(Placement, IsNotBothGpuAndHost) {
  Placement place;
  place.add({}, "x", "f");
  place.check("f");
  EXPECT_TRUE(place.isOnHost());
  place.add(onGpu(0), "y", "f");
  EXPECT_EQ(errorOf([&] { place.check("f"); }),
            "f(): `y` is on a GPU and `x` in host memory; pass GPU arrays to run on the GPU, or NumPy arrays to run "
            "on the emulator");
}

TEST(GpuType, IsThatOfPyTorchOrOfWhoHasGpus) {
  auto counts = [](int gpus) { return [gpus] { return gpus; }; };
  auto mustNotBeAsked = []() -> int { throw std::logic_error("a driver was started that is not needed"); };
  EXPECT_EQ(chooseGpuType(/*torchUsesHip=*/true, mustNotBeAsked, mustNotBeAsked), dlpack::kRocm);
  EXPECT_EQ(chooseGpuType(false, counts(1), mustNotBeAsked), dlpack::kCuda);
  EXPECT_EQ(chooseGpuType(false, counts(0), counts(1)), dlpack::kRocm);
  EXPECT_EQ(chooseGpuType(false, counts(0), counts(0)), dlpack::kCuda);
}

TEST(Stream, IsThatOfTheFirstArraysLibrary) {
  EXPECT_EQ(chooseStream(/*hasExchange=*/true, /*isCupy=*/false), StreamSource::Exchange);
  EXPECT_EQ(chooseStream(false, true), StreamSource::Cupy);
  EXPECT_EQ(chooseStream(false, false), StreamSource::Torch);
}

} // namespace hocket::dispatch
