//===- MemoryRegionTest.cpp - The part of a buffer that a memory descriptor refers to ------===//
#include "SharedMemoryFixture.h"

using namespace mlir;
using namespace hocket;

namespace {
struct MemoryRegions : SharedMemoryFixture {
  /// Returns the region of the handle called `name`, which must have a single region.
  MemoryRegion region(const std::string &name) {
    MemoryAliases aliases(function);
    ArrayRef<MemoryRegion> found = aliases.lookup(handle(name));
    EXPECT_EQ(found.size(), 1u) << name;
    return found.front();
  }
  bool overlap(const std::string &a, const std::string &b) {
    bool may = region(a).mayOverlap(region(b));
    EXPECT_EQ(may, region(b).mayOverlap(region(a)));
    return may;
  }
};

/// Views of a ring of three slots of 2048 bytes.
constexpr char kRing[] = R"(
  %ring = hk.local_alloc : () -> !ring
  %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
  %slot = hk.memdesc_index %ring[%c1] : !ring -> !tile
  %any = hk.memdesc_index %ring[%k] : !ring -> !tile
  %left = hk.memdesc_slice %slot [0, 0] : !tile -> !hk.memdesc<16x16xf32, #plain, 16x32>
  %right = hk.memdesc_slice %slot [0, 16] : !tile -> !hk.memdesc<16x16xf32, #plain, 16x32>
  %anyLeft = hk.memdesc_slice %any [0, 0] : !tile -> !hk.memdesc<16x16xf32, #plain, 16x32>
  %anyRight = hk.memdesc_slice %any [0, 16] : !tile -> !hk.memdesc<16x16xf32, #plain, 16x32>
  %last = hk.memdesc_slice %ring [1, 0, 0] : !ring -> !hk.memdesc<2x16x32xf32, #plain, 3x16x32>
  %lastFirst = hk.memdesc_index %last[%c0] : !hk.memdesc<2x16x32xf32, #plain, 3x16x32> -> !tile
  %turned = hk.memdesc_permute %slot [1, 0] : !tile -> !turned
  %lower = hk.memdesc_slice %turned [16, 0] : !turned -> !hk.memdesc<16x16xf32, #turned, 32x16>
  %bytes = hk.memdesc_reinterpret %slot : !tile -> !hk.memdesc<256xi32, #line>
  %anyBytes = hk.memdesc_reinterpret %any : !tile -> !hk.memdesc<256xi32, #line>
  %reshaped = hk.memdesc_reshape %ring : !ring -> !hk.memdesc<3x32x16xf32, #plain>
  %reshapedSlot = hk.memdesc_index %reshaped[%c1] : !hk.memdesc<3x32x16xf32, #plain> -> !hk.memdesc<32x16xf32, #plain>
  "test.name"(%ring) {test.name = "ring"} : (!ring) -> ()
  "test.name"(%first) {test.name = "first"} : (!tile) -> ()
  "test.name"(%slot) {test.name = "slot"} : (!tile) -> ()
  "test.name"(%any) {test.name = "any"} : (!tile) -> ()
  "test.name"(%left) {test.name = "left"} : (!hk.memdesc<16x16xf32, #plain, 16x32>) -> ()
  "test.name"(%right) {test.name = "right"} : (!hk.memdesc<16x16xf32, #plain, 16x32>) -> ()
  "test.name"(%anyLeft) {test.name = "anyLeft"} : (!hk.memdesc<16x16xf32, #plain, 16x32>) -> ()
  "test.name"(%anyRight) {test.name = "anyRight"} : (!hk.memdesc<16x16xf32, #plain, 16x32>) -> ()
  "test.name"(%last) {test.name = "last"} : (!hk.memdesc<2x16x32xf32, #plain, 3x16x32>) -> ()
  "test.name"(%lastFirst) {test.name = "lastFirst"} : (!tile) -> ()
  "test.name"(%turned) {test.name = "turned"} : (!turned) -> ()
  "test.name"(%lower) {test.name = "lower"} : (!hk.memdesc<16x16xf32, #turned, 32x16>) -> ()
  "test.name"(%bytes) {test.name = "bytes"} : (!hk.memdesc<256xi32, #line>) -> ()
  "test.name"(%anyBytes) {test.name = "anyBytes"} : (!hk.memdesc<256xi32, #line>) -> ()
  "test.name"(%reshapedSlot) {test.name = "reshapedSlot"} : (!hk.memdesc<32x16xf32, #plain>) -> ()
)";
} // namespace

/// The example of MemoryRegion.h.
TEST_F(MemoryRegions, BytesOfViews) {
  parse(kRing);
  EXPECT_EQ(region("ring").getBytes(), (Interval{0, 3 * 2048}));
  EXPECT_EQ(region("slot").getBytes(), (Interval{2048, 2 * 2048}));
  EXPECT_EQ(region("left").getBytes(), (Interval{2048, 2 * 2048}));
  EXPECT_EQ(region("any").getBytes(), (Interval{0, 3 * 2048}));
  EXPECT_EQ(region("last").getBytes(), (Interval{2048, 3 * 2048}));
  EXPECT_EQ(region("bytes").getBytes(), (Interval{2048, 2048 + 1024}));
  EXPECT_EQ(region("reshapedSlot").getBytes(), (Interval{2048, 2 * 2048}));
}

TEST_F(MemoryRegions, IndicesOfRunTimeAreNotExact) {
  parse(kRing);
  for (const char *name : {"ring", "slot", "right", "turned", "bytes", "lastFirst"})
    EXPECT_TRUE(region(name).isExact()) << name;
  for (const char *name : {"any", "anyLeft", "anyBytes"})
    EXPECT_FALSE(region(name).isExact()) << name;
}

TEST_F(MemoryRegions, SlotsAreApart) {
  parse(kRing);
  EXPECT_FALSE(overlap("first", "slot"));
  EXPECT_FALSE(overlap("first", "last"));
  EXPECT_TRUE(overlap("slot", "last"));
  EXPECT_TRUE(overlap("any", "first"));
  EXPECT_TRUE(overlap("any", "slot"));
  EXPECT_FALSE(overlap("first", "bytes"));
  EXPECT_TRUE(overlap("anyBytes", "slot"));
}

TEST_F(MemoryRegions, SlotsOfAPartAreCountedFromItsFirst) {
  parse(kRing);
  EXPECT_TRUE(region("lastFirst").isSameView(region("slot")));
}

TEST_F(MemoryRegions, PartsOfATileAreApart) {
  parse(kRing);
  EXPECT_FALSE(overlap("left", "right"));
  EXPECT_FALSE(overlap("anyLeft", "anyRight"));
  EXPECT_FALSE(overlap("anyLeft", "right"));
  EXPECT_TRUE(overlap("anyLeft", "left"));
}

/// Rows 16 to 31 of the permuted tile are columns 16 to 31 of the tile.
TEST_F(MemoryRegions, PermutedPartsLieInTheirDimensions) {
  parse(kRing);
  EXPECT_TRUE(overlap("lower", "right"));
  EXPECT_FALSE(overlap("lower", "left"));
  EXPECT_FALSE(overlap("lower", "anyLeft"));
  EXPECT_FALSE(region("turned").isSameView(region("slot")));
}

TEST_F(MemoryRegions, ReinterpretationsAreComparedByBytes) {
  parse(kRing);
  EXPECT_TRUE(overlap("bytes", "right"));
  EXPECT_TRUE(overlap("reshapedSlot", "left"));
  EXPECT_FALSE(overlap("reshapedSlot", "first"));
  EXPECT_FALSE(region("bytes").isSameView(region("slot")));
}

TEST_F(MemoryRegions, SameViewOfSomeSlot) {
  parse(kRing);
  EXPECT_TRUE(region("any").isSameViewOfSlot(region("slot")));
  EXPECT_TRUE(region("anyRight").isSameViewOfSlot(region("right")));
  EXPECT_FALSE(region("anyRight").isSameViewOfSlot(region("left")));
  EXPECT_FALSE(region("turned").isSameViewOfSlot(region("any")));
  EXPECT_FALSE(region("anyBytes").isSameViewOfSlot(region("bytes")));
  EXPECT_FALSE(region("any").isSameView(region("any")));
  EXPECT_TRUE(region("slot").isSameView(region("slot")));
}

/// A reinterpretation has its own parts.
TEST_F(MemoryRegions, PartsOfAReinterpretation) {
  parse(R"(
    %tile = hk.local_alloc : () -> !tile
    %ring = hk.memdesc_reinterpret %tile : !tile -> !hk.memdesc<2x256xi32, #line>
    %a = hk.memdesc_index %ring[%c0] : !hk.memdesc<2x256xi32, #line> -> !hk.memdesc<256xi32, #line>
    %b = hk.memdesc_index %ring[%c1] : !hk.memdesc<2x256xi32, #line> -> !hk.memdesc<256xi32, #line>
    "test.name"(%a) {test.name = "a"} : (!hk.memdesc<256xi32, #line>) -> ()
    "test.name"(%b) {test.name = "b"} : (!hk.memdesc<256xi32, #line>) -> ()
    "test.name"(%tile) {test.name = "tile"} : (!tile) -> ()
  )");
  EXPECT_EQ(region("b").getBytes(), (Interval{1024, 2048}));
  EXPECT_FALSE(overlap("a", "b"));
  EXPECT_TRUE(overlap("b", "tile"));
}

/// Swizzling mixes the columns of a row in memory: byte ranges overlap, boxes of coordinates do not.
TEST_F(MemoryRegions, SwizzledPartsAreApart) {
  parse(R"(
    %tile = hk.local_alloc : () -> !hk.memdesc<16x32xf32, #swizzled>
    %left = hk.memdesc_slice %tile [0, 0] : !hk.memdesc<16x32xf32, #swizzled> -> !hk.memdesc<16x16xf32, #swizzled, 16x32>
    %right = hk.memdesc_slice %tile [0, 16] : !hk.memdesc<16x32xf32, #swizzled> -> !hk.memdesc<16x16xf32, #swizzled, 16x32>
    "test.name"(%left) {test.name = "left"} : (!hk.memdesc<16x16xf32, #swizzled, 16x32>) -> ()
    "test.name"(%right) {test.name = "right"} : (!hk.memdesc<16x16xf32, #swizzled, 16x32>) -> ()
  )");
  EXPECT_EQ(region("left").getBytes(), (Interval{0, 2048}));
  EXPECT_EQ(region("right").getBytes(), (Interval{0, 2048}));
  EXPECT_FALSE(overlap("left", "right"));
}

/// The layout has 4 elements of padding after every 32 elements, so a slot takes more bytes than its elements.
TEST_F(MemoryRegions, PaddedSlots) {
  parse(R"(
    %ring = hk.local_alloc : () -> !hk.memdesc<2x16x32xf32, #padded>
    %slot = hk.memdesc_index %ring[%c1] : !hk.memdesc<2x16x32xf32, #padded> -> !hk.memdesc<16x32xf32, #padded>
    "test.name"(%ring) {test.name = "ring"} : (!hk.memdesc<2x16x32xf32, #padded>) -> ()
    "test.name"(%slot) {test.name = "slot"} : (!hk.memdesc<16x32xf32, #padded>) -> ()
  )");
  int64_t bytes = cast<hk::MemDescType>(handle("ring").getType()).getAllocBytes();
  EXPECT_GT(bytes, 2 * 2048);
  EXPECT_EQ(region("slot").getBytes(), (Interval{bytes / 2, bytes}));
}

/// In a ring buffer with two slot dimensions, both indices select the slot.
TEST_F(MemoryRegions, RingsOfRings) {
  parse(R"(
    %rings = hk.local_alloc : () -> !hk.memdesc<2x3x16x32xf32, #plain>
    %second = hk.memdesc_index %rings[%c1] : !hk.memdesc<2x3x16x32xf32, #plain> -> !ring
    %slot = hk.memdesc_index %second[%c2] : !ring -> !tile
    %any = hk.memdesc_index %rings[%k] : !hk.memdesc<2x3x16x32xf32, #plain> -> !ring
    %anyFirst = hk.memdesc_index %any[%c0] : !ring -> !tile
    "test.name"(%slot) {test.name = "slot"} : (!tile) -> ()
    "test.name"(%anyFirst) {test.name = "anyFirst"} : (!tile) -> ()
  )");
  EXPECT_EQ(region("slot").getBytes(), (Interval{5 * 2048, 6 * 2048}));
  EXPECT_FALSE(overlap("slot", "anyFirst"));
}

/// Different buffers overlap if one reuses the memory of the other.
TEST_F(MemoryRegions, MemoryTakenOver) {
  parse(R"(
    %ring = hk.local_alloc offset = 0 : () -> !ring
    %over = hk.local_alloc offset = 2048 : () -> !tile
    %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
    %slot = hk.memdesc_index %ring[%c1] : !ring -> !tile
    "test.name"(%over) {test.name = "over"} : (!tile) -> ()
    "test.name"(%first) {test.name = "first"} : (!tile) -> ()
    "test.name"(%slot) {test.name = "slot"} : (!tile) -> ()
  )");
  EXPECT_FALSE(overlap("over", "first"));
  EXPECT_TRUE(overlap("over", "slot"));
}
