//===- ArrayMemoryTest.cpp - Memory covered by the description of an array ---------===//
#include "dispatch/ArrayMemory.h"
#include "runtime/LaunchError.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hocket::dispatch {

static ArrayMemory extentOf(std::vector<int64_t> shape, std::vector<int64_t> strides) {
  ArrayMemory memory{.element = Element::Float32};
  setExtent(memory, int(shape.size()), shape.data(), strides.empty() ? nullptr : strides.data(), 4);
  return memory;
}

TEST(Extent, ReachesToTheEndOfTheHighestElement) {
  EXPECT_EQ(extentOf({}, {}).bytes, 4u);
  EXPECT_EQ(extentOf({2, 3}, {}).bytes, 24u);
  EXPECT_EQ(extentOf({2, 3}, {10, 1}).bytes, 4u * (10 + 2 + 1));
  EXPECT_EQ(extentOf({5}, {0}).bytes, 4u);
  EXPECT_EQ(extentOf({0, 3}, {}).bytes, 0u);
}

TEST(Extent, OfAViewThatRunsBackwardsBeginsInTheMiddle) {
  ArrayMemory memory = extentOf({3, 4}, {-4, 1});
  EXPECT_EQ(memory.bytesBefore, 4u * 8);
  EXPECT_EQ(memory.bytes, 4u * 4);
}

static dlpack::Tensor tensorOn(int32_t deviceType, int64_t *shape) {
  dlpack::Tensor tensor{};
  tensor.data = reinterpret_cast<void *>(0x1000);
  tensor.device = {deviceType, 3};
  tensor.ndim = 1;
  tensor.dtype = {dlpack::kFloat, 32, 1};
  tensor.shape = shape;
  tensor.byteOffset = 8;
  return tensor;
}

TEST(FromDlpack, OnAGpu) {
  int64_t shape[] = {16};
  for (int32_t type : {int32_t(dlpack::kCuda), int32_t(dlpack::kCudaManaged), int32_t(dlpack::kRocm)}) {
    ArrayMemory memory = fromDlpack(tensorOn(type, shape), false, "x");
    EXPECT_TRUE(memory.isOnGpu);
    EXPECT_FALSE(memory.writable);
    EXPECT_EQ(memory.device, 3);
    EXPECT_EQ(memory.address, reinterpret_cast<void *>(0x1008));
  }
  EXPECT_EQ(gpuTypeOf(dlpack::kCudaManaged), dlpack::kCuda);
  EXPECT_EQ(gpuTypeOf(dlpack::kRocm), dlpack::kRocm);
}

TEST(FromDlpack, InHostMemory) {
  int64_t shape[] = {16};
  for (int32_t type : {int32_t(dlpack::kCpu), int32_t(dlpack::kCudaHost), int32_t(dlpack::kRocmHost)}) {
    ArrayMemory memory = fromDlpack(tensorOn(type, shape), true, "x");
    EXPECT_FALSE(memory.isOnGpu);
    EXPECT_EQ(memory.bytes, 64u);
    EXPECT_EQ(gpuTypeOf(type), dlpack::kCpu);
  }
}

TEST(FromDlpack, ElsewhereIsAnError) {
  int64_t shape[] = {16};
  try {
    fromDlpack(tensorOn(7, shape), true, "x");
    FAIL() << "no error";
  } catch (const LaunchError &error) {
    EXPECT_EQ(std::string(error.what()),
              "argument `x` is on a device that hocket cannot launch on (DLPack device type 7)");
  }
}

} // namespace hocket::dispatch
