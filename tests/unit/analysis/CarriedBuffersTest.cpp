//===- CarriedBuffersTest.cpp - Live intervals of buffers that loops carry -----------------===//
#include "SharedMemoryFixture.h"

#include "analysis/memory/MemoryLiveness.h"

using namespace mlir;
using namespace hocket;

namespace {
struct CarriedBuffers : SharedMemoryFixture {
  MemoryLiveness analyze(const std::string &body) {
    parse(body);
    return MemoryLiveness(function);
  }
  Interval live(const MemoryLiveness &liveness, const std::string &buffer) {
    auto isIt = [&](const LivePiece &piece) { return piece.owner == op(buffer); };
    return llvm::find_if(liveness.pieces, isIt)->live;
  }
};
} // namespace

/// Both buffers are live until the loop ends, although one of them is named only before the loop.
TEST_F(CarriedBuffers, SwappedBuffersLiveWithTheLoop) {
  MemoryLiveness liveness = analyze(R"(
    %a = hk.local_alloc %x {test.name = "a"} : (!rows) -> !tile
    %b = hk.local_alloc {test.name = "b"} : () -> !tile
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x0 = %a, %x1 = %b) -> (!tile, !tile) : i32 {
      %turned = hk.memdesc_permute %x0 [1, 0] : !tile -> !turned
      %v = hk.local_load %turned : !turned -> tensor<32x16xf32, #lanes>
      %d = hk.local_alloc {test.name = "d"} : () -> !tile
      hk.local_store %x, %d : !rows -> !tile
      scf.yield %x1, %x0 : !tile, !tile
    }
    %c = hk.local_alloc %x {test.name = "c"} : (!rows) -> !tile
  )");
  EXPECT_FALSE(liveness.carriesOwnBuffer);
  for (const char *buffer : {"a", "b"}) {
    EXPECT_TRUE(live(liveness, buffer).overlaps(live(liveness, "d"))) << buffer;
    EXPECT_FALSE(live(liveness, buffer).overlaps(live(liveness, "c"))) << buffer;
  }
}

/// The loop carries a view of its own buffer, but the next iteration allocates the same memory again.
TEST_F(CarriedBuffers, ViewOfTheLoopsOwnBufferIsCarried) {
  MemoryLiveness liveness = analyze(R"(
    %first = hk.local_alloc : () -> !ring
    %slot = hk.memdesc_index %first[%c0] : !ring -> !tile
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%cur = %slot) -> !tile : i32 {
      %ring = hk.local_alloc : () -> !ring
      %view = hk.memdesc_index %ring[%c1] : !ring -> !tile
      %either = arith.select %p, %view, %cur : !tile
      scf.yield {test.name = "yield"} %either : !tile
    }
  )");
  EXPECT_EQ(liveness.carriesOwnBuffer, op("yield"));
}

TEST_F(CarriedBuffers, WhileLoopCarriesItsOwnBuffer) {
  MemoryLiveness liveness = analyze(R"(
    %a = hk.local_alloc : () -> !tile
    %r = scf.while (%x0 = %a) : (!tile) -> !tile {
      %own = hk.local_alloc : () -> !tile
      scf.condition(%p) %own : !tile
    } do {
    ^bb0(%y0: !tile):
      scf.yield {test.name = "yield"} %y0 : !tile
    }
  )");
  EXPECT_EQ(liveness.carriesOwnBuffer, op("yield"));
}

/// A buffer passed to the other half of the iteration, or to the code after the loop, is not carried to the next
/// iteration.
TEST_F(CarriedBuffers, BufferOfTheLastIterationOnly) {
  MemoryLiveness liveness = analyze(R"(
    %a = hk.local_alloc : () -> !tile
    %r = scf.while (%x0 = %a) : (!tile) -> !tile {
      %own = hk.local_alloc {test.name = "own"} : () -> !tile
      scf.condition(%p) %own : !tile
    } do {
    ^bb0(%y0: !tile):
      scf.yield %a : !tile
    }
    %c = hk.local_alloc %x {test.name = "c"} : (!rows) -> !tile
    hk.local_store %x, %r : !rows -> !tile
  )");
  EXPECT_FALSE(liveness.carriesOwnBuffer);
  EXPECT_TRUE(live(liveness, "own").overlaps(live(liveness, "c")));
}

/// An inner loop may exchange buffers of the outer loop's iteration.
TEST_F(CarriedBuffers, InnerLoopCarriesBuffersOfTheOuterOne) {
  MemoryLiveness liveness = analyze(R"(
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = hk.local_alloc {test.name = "a"} : () -> !tile
      %b = hk.local_alloc {test.name = "b"} : () -> !tile
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%x0 = %a, %x1 = %b) -> (!tile, !tile) : i32 {
        hk.local_store %x, %x0 : !rows -> !tile
        scf.yield %x1, %x0 : !tile, !tile
      }
    }
  )");
  EXPECT_FALSE(liveness.carriesOwnBuffer);
  EXPECT_TRUE(live(liveness, "a").overlaps(live(liveness, "b")));
}
