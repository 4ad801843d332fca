//===- MemoryAliasesTest.cpp - Buffers that a memory descriptor may refer to ---------------===//
#include "SharedMemoryFixture.h"

#include "dialect/hk/layouts/MemDescViews.h"

using namespace mlir;
using namespace hocket;

namespace {
struct Aliases : SharedMemoryFixture {
  void parseBuffers(const std::string &body) {
    parse(R"(
      %a = hk.local_alloc {test.name = "a"} : () -> !tile
      %b = hk.local_alloc {test.name = "b"} : () -> !tile
      %c = hk.local_alloc {test.name = "c"} : () -> !tile
    )" + body);
    if (function)
      aliases.emplace(function);
  }
  ArrayRef<MemoryRegion> regions(const std::string &name) { return aliases->lookup(handle(name)); }
  /// Returns the names of the buffers that the handle called `name` may refer to, in alphabetical order.
  std::string buffers(const std::string &name) {
    std::string found;
    for (const char *buffer : {"a", "b", "c"})
      for (const MemoryRegion &region : regions(name))
        found += region.getOwner() == op(buffer) && found.find(buffer) == std::string::npos ? buffer : "";
    return found;
  }
  std::optional<MemoryAliases> aliases;
};
} // namespace

TEST_F(Aliases, ViewsOfOneBuffer) {
  parseBuffers(R"(
    %turned = hk.memdesc_permute %b [1, 0] : !tile -> !turned
    %part = hk.memdesc_slice %turned [16, 0] : !turned -> !hk.memdesc<16x16xf32, #turned, 32x16>
    "test.name"(%part) {test.name = "part"} : (!hk.memdesc<16x16xf32, #turned, 32x16>) -> ()
  )");
  EXPECT_EQ(buffers("part"), "b");
  EXPECT_EQ(regions("part").size(), 1u);
}

TEST_F(Aliases, Branches) {
  parseBuffers(R"(
    %either = scf.if %p -> !tile {
      scf.yield %a : !tile
    } else {
      scf.yield %b : !tile
    }
    %one = arith.select %p, %either, %c : !tile
    "test.name"(%either) {test.name = "either"} : (!tile) -> ()
    "test.name"(%one) {test.name = "one"} : (!tile) -> ()
  )");
  EXPECT_EQ(buffers("either"), "ab");
  EXPECT_EQ(buffers("one"), "abc");
}

TEST_F(Aliases, SwappedInALoop) {
  parseBuffers(R"(
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %a, %x1 = %b, %x2 = %c) -> (!tile, !tile, !tile) : i32 {
      "test.name"(%x0) {test.name = "swapped"} : (!tile) -> ()
      "test.name"(%x2) {test.name = "kept"} : (!tile) -> ()
      scf.yield %x1, %x0, %x2 : !tile, !tile, !tile
    }
    "test.name"(%r#1) {test.name = "after"} : (!tile) -> ()
  )");
  EXPECT_EQ(buffers("swapped"), "ab");
  EXPECT_EQ(buffers("kept"), "c");
  EXPECT_EQ(buffers("after"), "ab");
}

TEST_F(Aliases, RotatedInALoop) {
  parseBuffers(R"(
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %a, %x1 = %b, %x2 = %c) -> (!tile, !tile, !tile) : i32 {
      "test.name"(%x0) {test.name = "x0"} : (!tile) -> ()
      scf.yield %x1, %x2, %x0 : !tile, !tile, !tile
    }
  )");
  EXPECT_EQ(buffers("x0"), "abc");
}

/// A view of a carried handle is the same view of each buffer that the handle may refer to.
TEST_F(Aliases, ViewsOfCarriedHandles) {
  parseBuffers(R"(
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %a, %x1 = %b) -> (!tile, !tile) : i32 {
      %turned = hk.memdesc_permute %x0 [1, 0] : !tile -> !turned
      "test.name"(%turned) {test.name = "carried"} : (!turned) -> ()
      scf.yield %x1, %x0 : !tile, !tile
    }
    %a1 = hk.memdesc_permute %a [1, 0] : !tile -> !turned
    %b1 = hk.memdesc_permute %b [1, 0] : !tile -> !turned
    "test.name"(%a1) {test.name = "a turned"} : (!turned) -> ()
    "test.name"(%b1) {test.name = "b turned"} : (!turned) -> ()
  )");
  ASSERT_EQ(regions("carried").size(), 2u);
  for (const char *name : {"a turned", "b turned"})
    EXPECT_EQ(llvm::count_if(regions("carried"), [&](auto &region) { return region.isSameView(regions(name)[0]); }), 1);
}

/// The loop carries a view. The view was made before the loop or in the previous iteration.
TEST_F(Aliases, CarriedViews) {
  parseBuffers(R"(
    %ring = hk.local_alloc {test.name = "ring"} : () -> !ring
    %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %first) -> !tile : i32 {
      "test.name"(%cur) {test.name = "cur"} : (!tile) -> ()
      %next = hk.memdesc_index %ring[%c2] : !ring -> !tile
      scf.yield %next : !tile
    }
  )");
  ASSERT_EQ(regions("cur").size(), 2u);
  EXPECT_EQ(regions("cur")[0].getBytes().begin + regions("cur")[1].getBytes().begin, 2 * 2048);
  EXPECT_TRUE(regions("cur")[0].isExact() && regions("cur")[1].isExact());
}

TEST_F(Aliases, WhileLoops) {
  parseBuffers(R"(
    %r:2 = scf.while (%x0 = %a, %x1 = %b) : (!tile, !tile) -> (!tile, !tile) {
      "test.name"(%x0) {test.name = "before"} : (!tile) -> ()
      scf.condition(%p) %x1, %c : !tile, !tile
    } do {
    ^bb0(%y0: !tile, %y1: !tile):
      "test.name"(%y0) {test.name = "after"} : (!tile) -> ()
      "test.name"(%y1) {test.name = "always c"} : (!tile) -> ()
      scf.yield %y0, %y0 : !tile, !tile
    }
    "test.name"(%r#0) {test.name = "result"} : (!tile) -> ()
  )");
  EXPECT_EQ(buffers("before"), "ab");
  EXPECT_EQ(buffers("after"), "b");
  EXPECT_EQ(buffers("always c"), "c");
  EXPECT_EQ(buffers("result"), "b");
}

TEST_F(Aliases, NestedLoops) {
  parseBuffers(R"(
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %a, %x1 = %b) -> (!tile, !tile) : i32 {
      %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%y0 = %x0, %y1 = %c) -> (!tile, !tile) : i32 {
        "test.name"(%y1) {test.name = "inner"} : (!tile) -> ()
        scf.yield %y1, %y0 : !tile, !tile
      }
      "test.name"(%x1) {test.name = "outer"} : (!tile) -> ()
      scf.yield %x1, %s#0 : !tile, !tile
    }
  )");
  EXPECT_EQ(buffers("inner"), "abc");
  EXPECT_EQ(buffers("outer"), "abc");
}

/// The loop carries a value of another type between the handles.
TEST_F(Aliases, HandlesAmongOtherValues) {
  parseBuffers(R"(
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %a, %t = %x, %x1 = %b) -> (!tile, !rows, !tile) : i32 {
      "test.name"(%x0) {test.name = "x0"} : (!tile) -> ()
      "test.name"(%x1) {test.name = "x1"} : (!tile) -> ()
      scf.yield %x0, %t, %c : !tile, !rows, !tile
    }
  )");
  EXPECT_EQ(buffers("x0"), "a");
  EXPECT_EQ(buffers("x1"), "bc");
}

TEST_F(Aliases, RegionsOfOtherDialects) {
  parseBuffers(R"(
    %s = hk.stage "s" -> !tile {
      %t = scf.execute_region -> !tile {
        scf.yield %b : !tile
      }
      hk.stage_yield %t : !tile
    }
    "test.name"(%s) {test.name = "s"} : (!tile) -> ()
  )");
  EXPECT_EQ(buffers("s"), "b");
  EXPECT_EQ(hk::bufferOf(handle("s")).getOperation(), op("b"));
}

/// More than 32 regions are merged. All further regions may be anywhere in their buffer.
TEST_F(Aliases, ManyRegionsAreSummedUp) {
  std::string body =
      "%ring = hk.local_alloc : () -> !hk.memdesc<40x16x32xf32, #plain>\n%s0 = arith.select %p, %a, %a : !tile\n";
  for (int slot = 0; slot < 40; ++slot) {
    std::string number = std::to_string(slot), next = std::to_string(slot + 1);
    body += "%i" + number + " = arith.constant " + number + " : i32\n";
    body +=
        "%v" + number + " = hk.memdesc_index %ring[%i" + number + "] : !hk.memdesc<40x16x32xf32, #plain> -> !tile\n";
    body += "%s" + next + " = arith.select %p, %s" + number + ", %v" + number + " : !tile\n";
    body += "\"test.name\"(%v" + number + ") {test.name = \"v" + number + "\"} : (!tile) -> ()\n";
  }
  parseBuffers(body + "\"test.name\"(%s40) {test.name = \"any\"} : (!tile) -> ()\n");
  EXPECT_LE(regions("any").size(), 34u);
  for (int slot = 0; slot < 40; ++slot)
    EXPECT_TRUE(llvm::any_of(regions("any"), [&](const MemoryRegion &region) {
      return region.mayOverlap(regions("v" + std::to_string(slot))[0]);
    })) << slot;
  EXPECT_EQ(buffers("any"), "a");
}

TEST_F(Aliases, Uses) {
  parseBuffers(R"(
    %v = hk.local_load %a {test.name = "load"} : !tile -> !rows
    hk.local_store %v, %b {test.name = "store"} : !rows -> !tile
    %d = hk.local_alloc %v {test.name = "filled"} : (!rows) -> !tile
  )");
  auto use = [&](const char *name) { return aliases->usesOf(op(name))[0]; };
  EXPECT_FALSE(use("load").writes);
  EXPECT_TRUE(use("store").writes);
  EXPECT_TRUE(use("filled").writes);
  EXPECT_EQ(use("store").regions[0].getOwner(), op("b"));
  EXPECT_TRUE(aliases->usesOf(op("a")).empty()) << "allocating accesses nothing";
}

/// The analysis fails, because it would miss accesses through a handle of unknown origin.
TEST_F(Aliases, UnknownOrigin) {
  EXPECT_DEATH(parseBuffers("%x0 = \"test.make\"() : () -> !tile\n"), "accesses through such a handle go unseen");
}
