//===- AllocateMemoryTest.cpp - Random kernels get offsets that never overlap while both buffers are in use -===//
#include "RandomKernel.h"

#include "analysis/memory/MemoryLiveness.h"
#include "dialect/hk/facts/Scratch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

TEST(AllocateMemory, LivePiecesDoNotOverlap) {
  auto context = makeTileContext();
  std::mt19937 random(22);
  for (int round = 0; round < 200; ++round) {
    std::string text = randomKernel(random, true);
    auto module = compile(*context, text, "hocket-allocate-memory");
    ASSERT_TRUE(module) << text;
    int64_t total = (*module)->getAttrOfType<IntegerAttr>("hk.shared_bytes").getInt();
    MemoryLiveness liveness(*module->getOps<func::FuncOp>().begin());
    auto placeOf = [](const LivePiece &piece) {
      int64_t offset = *hk::offsetOf(piece.owner);
      return Interval{offset, offset + piece.bytes};
    };
    for (const LivePiece &a : liveness.pieces) {
      EXPECT_EQ(placeOf(a).begin % 16, 0);
      EXPECT_LE(placeOf(a).end, total);
      for (const LivePiece &b : liveness.pieces)
        if (&a != &b && a.live.overlaps(b.live))
          EXPECT_FALSE(placeOf(a).overlaps(placeOf(b))) << text;
    }
    // Buffers that are only used locally share memory: four tiles of 2 KiB are enough for the ring, %b2 and one of
    // these.
    EXPECT_LE(total, 4 * 2048);
  }
}
