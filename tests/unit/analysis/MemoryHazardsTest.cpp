//===- MemoryHazardsTest.cpp - Hazards between accesses of shared memory -------------------===//
#include "SharedMemoryFixture.h"

#include "analysis/memory/MemoryHazards.h"

using namespace mlir;
using namespace hocket;

namespace {
struct Hazards : SharedMemoryFixture {
  void parse(const std::string &body) {
    SharedMemoryFixture::parse(body);
    if (function)
      hazards.emplace(function);
  }

  unsigned access(const std::string &name) {
    const NumberedAccesses *effects = hazards->effectsOf(op(name));
    EXPECT_TRUE(effects && effects->accesses.size() == 1) << name;
    return effects->accesses.front();
  }

  /// True if `later` must be separated from `earlier`, which precedes it in the same iteration of the innermost loop.
  bool inIteration(const std::string &earlier, const std::string &later) { return conflict(earlier, later, false); }
  /// True if `later` must be separated from `earlier` of a previous iteration.
  bool acrossIterations(const std::string &earlier, const std::string &later) { return conflict(earlier, later, true); }

  std::optional<MemoryHazards> hazards;

private:
  bool conflict(const std::string &earlier, const std::string &later, bool startsIteration) {
    PendingAccesses pending(hazards->numAccesses(), {});
    pending.access(access(earlier));
    if (startsIteration)
      pending.startIteration();
    return hazards->conflicts(access(later), pending);
  }
};
} // namespace

TEST_F(Hazards, OneOfTheTwoWrites) {
  parse(R"(
    %a = hk.local_alloc : () -> !tile
    %b = hk.local_alloc : () -> !tile
    hk.local_store %x, %a {test.name = "store a"} : !rows -> !tile
    %v = hk.local_load %a {test.name = "load a"} : !tile -> !columns
    %w = hk.local_load %a {test.name = "load a again"} : !tile -> !rows
    hk.local_store %y, %a {test.name = "store columns"} : !columns -> !tile
    hk.local_store %x, %b {test.name = "store b"} : !rows -> !tile
  )");
  EXPECT_TRUE(inIteration("store a", "load a"));
  EXPECT_TRUE(inIteration("load a", "store a"));
  EXPECT_TRUE(inIteration("store a", "store columns"));
  EXPECT_FALSE(inIteration("load a", "load a again"));
  EXPECT_FALSE(inIteration("store b", "load a"));
}

/// A lane that holds the same elements of the same view overlaps only itself.
TEST_F(Hazards, OneLane) {
  parse(R"(
    %a = hk.local_alloc : () -> !tile
    %ring = hk.local_alloc : () -> !ring
    %slot = hk.memdesc_index %ring[%c1] : !ring -> !tile
    %any = hk.memdesc_index %ring[%k] : !ring -> !tile
    %upper = hk.memdesc_slice %a [0, 0] : !tile -> !hk.memdesc<8x32xf32, #plain, 16x32>
    hk.local_store %x, %a {test.name = "store"} : !rows -> !tile
    %v = hk.local_load %a {test.name = "load"} : !tile -> !rows
    %h = hk.local_load %upper {test.name = "load upper"} : !hk.memdesc<8x32xf32, #plain, 16x32> -> tensor<8x32xf32, #lanes>
    hk.local_store %x, %slot {test.name = "store slot"} : !rows -> !tile
    %w = hk.local_load %slot {test.name = "load slot"} : !tile -> !rows
    hk.local_store %x, %any {test.name = "store any"} : !rows -> !tile
    %u = hk.local_load %any {test.name = "load any"} : !tile -> !rows
  )");
  EXPECT_FALSE(inIteration("store", "load"));
  EXPECT_FALSE(acrossIterations("load", "store"));
  EXPECT_TRUE(inIteration("store", "load upper")) << "another view: its lanes hold other elements";
  EXPECT_FALSE(acrossIterations("store slot", "load slot"));
  EXPECT_TRUE(acrossIterations("store any", "load any")) << "the slot may be another one each time";
}

TEST_F(Hazards, CopiesOfAnElementAreInSeveralLanes) {
  parse(R"(
    %a = hk.local_alloc : () -> !hk.memdesc<8x32xf32, #plain>
    %z = arith.constant dense<0.0> : tensor<8x32xf32, #copies>
    hk.local_store %z, %a {test.name = "store"} : tensor<8x32xf32, #copies> -> !hk.memdesc<8x32xf32, #plain>
    %v = hk.local_load %a {test.name = "load"} : !hk.memdesc<8x32xf32, #plain> -> tensor<8x32xf32, #copies>
  )");
  EXPECT_TRUE(inIteration("store", "load"));
}

/// The lanes are equal, but the buffers may differ: what one iteration stores, the next iteration loads through the
/// other handle.
TEST_F(Hazards, SwappedHandles) {
  parse(R"(
    %a = hk.local_alloc : () -> !tile
    %b = hk.local_alloc : () -> !tile
    %c = hk.local_alloc : () -> !tile
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %a, %x1 = %b, %same = %c) -> (!tile, !tile, !tile) : i32 {
      %turned = hk.memdesc_permute %x0 [1, 0] : !tile -> !turned
      %v = hk.local_load %turned {test.name = "load view"} : !turned -> tensor<32x16xf32, #lanes>
      %w = hk.local_load %x0 {test.name = "load"} : !tile -> !rows
      hk.local_store %x, %x1 {test.name = "store"} : !rows -> !tile
      hk.local_store %x, %same {test.name = "store same"} : !rows -> !tile
      %u = hk.local_load %same {test.name = "load same"} : !tile -> !rows
      scf.yield %x1, %x0, %same : !tile, !tile, !tile
    }
  )");
  EXPECT_TRUE(acrossIterations("store", "load view"));
  EXPECT_TRUE(acrossIterations("store", "load"));
  EXPECT_TRUE(inIteration("load view", "store"));
  EXPECT_FALSE(acrossIterations("store", "load same"));
  EXPECT_FALSE(acrossIterations("store same", "load same")) << "carried, but always the same buffer";
}

/// A carried slot may be any of the slots that the loop carries. The slot of an iteration is unknown.
TEST_F(Hazards, CarriedSlots) {
  parse(R"(
    %ring = hk.local_alloc : () -> !ring
    %first = hk.memdesc_index %ring[%c0] : !ring -> !tile
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %first) -> !tile : i32 {
      %v = hk.local_load %cur {test.name = "load"} : !tile -> !columns
      %s = arith.remsi %i, %c2 : i32
      %even = hk.memdesc_index %ring[%s] : !ring -> !tile
      hk.local_store %x, %even {test.name = "store"} : !rows -> !tile
      %last = hk.memdesc_index %ring[%c2] : !ring -> !tile
      hk.local_store %x, %last {test.name = "store last"} : !rows -> !tile
      %one = hk.memdesc_index %ring[%c1] : !ring -> !tile
      hk.local_store %x, %one {test.name = "store one"} : !rows -> !tile
      scf.yield %last : !tile
    }
  )");
  EXPECT_TRUE(inIteration("load", "store"));
  EXPECT_TRUE(acrossIterations("store last", "load"));
  EXPECT_FALSE(acrossIterations("store one", "load")) << "slot 1 is never carried";
}

/// The indices k and k + 1 modulo 3 select different slots in an iteration. The slot of k + 1 is the slot of k in the
/// next iteration.
constexpr char kAhead[] = R"(
  %ring = hk.local_alloc : () -> !ring
  %whole = hk.memdesc_reinterpret %ring : !ring -> !hk.memdesc<3x1024xi16, #line>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = arith.remsi %i, %c3 : i32
    %j = arith.addi %i, %c1 : i32
    %t = arith.remsi %j, %c3 : i32
    %now = hk.memdesc_index %ring[%s] : !ring -> !tile
    %next = hk.memdesc_index %ring[%t] : !ring -> !tile
    hk.local_store %x, %next {test.name = "store"} : !rows -> !tile
    %v = hk.local_load %now {test.name = "load"} : !tile -> !columns
    %turned = hk.memdesc_permute %now [1, 0] : !tile -> !turned
    %part = hk.memdesc_slice %turned [16, 0] : !turned -> !hk.memdesc<16x16xf32, #turned, 32x16>
    %w = hk.local_load %part {test.name = "load part"} : !hk.memdesc<16x16xf32, #turned, 32x16> -> tensor<16x16xf32, #lanes>
    %line = hk.memdesc_reinterpret %now : !tile -> !hk.memdesc<512xi32, #line>
    %b = hk.local_load %line {test.name = "load bytes"} : !hk.memdesc<512xi32, #line> -> tensor<512xi32, #hk.slice<dim = 1, parent = #lanes>>
    %other = hk.memdesc_index %whole[%s] : !hk.memdesc<3x1024xi16, #line> -> !hk.memdesc<1024xi16, #line>
    %o = hk.local_load %other {test.name = "load of another ring"} : !hk.memdesc<1024xi16, #line> -> tensor<1024xi16, #hk.slice<dim = 1, parent = #lanes>>
    %permuted = hk.memdesc_permute %ring [0, 2, 1] : !ring -> !hk.memdesc<3x32x16xf32, #turned>
    %nowTurned = hk.memdesc_index %permuted[%s] : !hk.memdesc<3x32x16xf32, #turned> -> !turned
    %p0 = hk.local_load %nowTurned {test.name = "load turned ring"} : !turned -> tensor<32x16xf32, #lanes>
    %tail = hk.memdesc_slice %ring [1, 0, 0] : !ring -> !hk.memdesc<2x16x32xf32, #plain, 3x16x32>
    %u = arith.remsi %i, %c2 : i32
    %inTail = hk.memdesc_index %tail[%u] : !hk.memdesc<2x16x32xf32, #plain, 3x16x32> -> !tile
    %q = hk.local_load %inTail {test.name = "load tail"} : !tile -> !columns
  }
)";

TEST_F(Hazards, SlotsApart) {
  parse(kAhead);
  for (const char *load : {"load", "load part", "load bytes", "load turned ring"}) {
    EXPECT_FALSE(inIteration("store", load)) << load;
    EXPECT_TRUE(acrossIterations("store", load)) << load;
    EXPECT_FALSE(inIteration(load, "store")) << load;
  }
}

/// Slots of a reinterpreted ring, or of a part of a ring, have other numbers.
TEST_F(Hazards, SlotsWithOtherNumbers) {
  parse(kAhead);
  EXPECT_TRUE(inIteration("store", "load of another ring"));
  EXPECT_TRUE(inIteration("store", "load tail"));
}

/// In the inner loop the slots are constant; iterations of the outer loop are not distinguished.
TEST_F(Hazards, SlotsInNestedLoops) {
  parse(R"(
    %ring = hk.local_alloc : () -> !ring
    scf.for %i = %c0 to %n step %c1 : i32 {
      %j = arith.addi %i, %c1 : i32
      %s = arith.remsi %i, %c3 : i32
      %t = arith.remsi %j, %c3 : i32
      %now = hk.memdesc_index %ring[%s] : !ring -> !tile
      %next = hk.memdesc_index %ring[%t] : !ring -> !tile
      hk.local_store %x, %next {test.name = "store outside"} : !rows -> !tile
      scf.for %l = %c0 to %n step %c1 : i32 {
        hk.local_store %x, %next {test.name = "store"} : !rows -> !tile
        %v = hk.local_load %now {test.name = "load"} : !tile -> !columns
      }
    }
  )");
  EXPECT_FALSE(inIteration("store", "load"));
  EXPECT_TRUE(inIteration("store outside", "load")) << "of different loops";
}

/// An access with `hk.ordered` is ordered after earlier accesses, but not before later accesses.
TEST_F(Hazards, Ordered) {
  parse(R"(
    %a = hk.local_alloc : () -> !tile
    hk.local_store %x, %a {test.name = "store"} : !rows -> !tile
    %v = hk.local_load %a {hk.ordered, test.name = "ordered"} : !tile -> !columns
    hk.local_store %x, %a {test.name = "store again"} : !rows -> !tile
  )");
  EXPECT_FALSE(inIteration("store", "ordered"));
  EXPECT_TRUE(inIteration("ordered", "store again"));
}

/// The program itself orders a relaxed load after earlier stores. It does not order the load after copies, nor later
/// stores after the load.
TEST_F(Hazards, Relaxed) {
  parse(R"(
    %a = hk.local_alloc : () -> !tile
    hk.local_store %x, %a {test.name = "store"} : !rows -> !tile
    %ptr = "test.pointer"() : () -> tensor<16x32x!hk.ptr<f32>, #lanes>
    hk.async_copy_to_shared %ptr, %a {test.name = "copy"} : tensor<16x32x!hk.ptr<f32>, #lanes> -> !tile
    %v = hk.local_load %a relaxed {test.name = "relaxed"} : !tile -> !columns
    hk.local_store %x, %a {test.name = "store again"} : !rows -> !tile
  )");
  EXPECT_FALSE(inIteration("store", "relaxed"));
  EXPECT_TRUE(inIteration("copy", "relaxed"));
  EXPECT_TRUE(inIteration("relaxed", "store again"));
}

/// A copy arrives at any time, so it is not ordered even with accesses by the same lanes.
TEST_F(Hazards, CopiesAreInOrderWithNoLane) {
  parse(R"(
    %a = hk.local_alloc : () -> !tile
    %ptr = "test.pointer"() : () -> tensor<16x32x!hk.ptr<f32>, #lanes>
    hk.async_copy_to_shared %ptr, %a {test.name = "copy"} : tensor<16x32x!hk.ptr<f32>, #lanes> -> !tile
    %v = hk.local_load %a {test.name = "load"} : !tile -> !rows
  )");
  EXPECT_TRUE(inIteration("copy", "load"));
  EXPECT_TRUE(acrossIterations("load", "copy"));
}

/// Scratch memory is written, and read after a barrier. Later accesses conflict with these reads.
TEST_F(Hazards, Scratch) {
  parse(R"(
    %a = hk.local_alloc offset = 0 : () -> !tile
    hk.local_store %x, %a {test.name = "store"} : !rows -> !tile
    %v = hk.convert_layout %x offset = 0 {test.name = "convert"} : !rows -> !columns
    %w = hk.convert_layout %x offset = 8192 {test.name = "convert elsewhere"} : !rows -> !columns
  )");
  EXPECT_TRUE(inIteration("store", "convert"));
  EXPECT_FALSE(inIteration("store", "convert elsewhere"));
  const NumberedAccesses *effects = hazards->effectsOf(op("convert"));
  EXPECT_TRUE(effects->hasBarrier);
  EXPECT_EQ(effects->afterBarrier.size(), 1u);
}
