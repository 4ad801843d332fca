//===- TransposedReadTest.cpp - LDS reads that transpose -------------------------------------------------===//
//
// In shared memory, each group of 16 lanes has a matrix of K rows and 16 columns, where K is the number of elements in
// 64 bits. The lane with column c of its group must receive the elements (0, c), (1, c), ... of this matrix.
//
//===------------------------------------------------------------------------------===//
#include "TestKernel.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace hocket;

namespace {

/// Lanes copy `x` (8 bytes each) to shared memory and read at 8 * `place` with the transposing operation.
TestKernel transposedRead(const std::string &operation, const std::string &type, const std::string &target = "gfx950") {
  return {.target = target,
          .sharedBytes = 512,
          .parameters = "%x: !llvm.ptr<1>, %place: !llvm.ptr<1>, %out: !llvm.ptr<1>",
          .body = R"(
    %tid = rocdl.workitem.id.x : i32
    %shared = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %px = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
    %v = lane.load %px : !llvm.ptr<1> -> i64
    %ps = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    llvm.store %v, %ps : i64, !llvm.ptr<3>
    rocdl.s.barrier
    %pp = llvm.getelementptr %place[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %at = lane.load %pp : !llvm.ptr<1> -> i32
    %source = llvm.getelementptr %shared[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %t = rocdl.)" +
                  operation + " %source : !llvm.ptr<3> -> " + type + R"( loc("k.py":3:9)
    %po = llvm.getelementptr %out[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
    lane.store %po, %t : !llvm.ptr<1>, )" +
                  type};
}

struct Case {
  const char *operation, *type;
  unsigned bits;
};

uint64_t element(uint64_t word, unsigned number, unsigned bits) {
  return word >> number * bits & ((uint64_t(1) << bits) - 1);
}

TEST(TransposedRead, EachLaneReceivesAColumn) {
  for (const Case &test : {Case{"ds.read.tr16.b64", "vector<4xf16>", 16}, Case{"ds.read.tr8.b64", "vector<2xi32>", 8},
                           Case{"ds.read.tr4.b64", "vector<2xi32>", 4}}) {
    SCOPED_TRACE(test.operation);
    unsigned rows = 64 / test.bits, lanesPerRow = 16 / rows;
    // The matrix of group g has the value 16 * k + column + 37 * g at (k, column), truncated to its bits. Its words are
    // in reverse order in shared memory, to check that every lane reads at its own address.
    std::vector<uint64_t> x(64), out(64);
    std::vector<int32_t> place(64);
    auto valueAt = [&](unsigned group, unsigned k, unsigned column) {
      return element(16 * k + column + 37 * group, 0, test.bits);
    };
    for (unsigned lane = 0; lane < 64; ++lane) {
      place[lane] = int32_t(8 * (63 - lane));
      for (unsigned i = 0; i < rows; ++i)
        x[63 - lane] |= valueAt(lane / 16, lane % 16 / lanesPerRow, lane % lanesPerRow * rows + i) << i * test.bits;
    }
    auto kernel = compile(transposedRead(test.operation, test.type));
    ASSERT_EQ(textOf(kernel->launch(
                  {1, 1, 1}, {array("x", x, "int64"), array("place", place, "int32"), array("out", out, "int64")})),
              "ok");
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned k = 0; k < rows; ++k)
        ASSERT_EQ(element(out[lane], k, test.bits), valueAt(lane / 16, k, lane % 16)) << "lane " << lane << ", k " << k;
  }
}

TEST(TransposedRead, AddressesAreChecked) {
  std::vector<uint64_t> x(64), out(64);
  std::vector<int32_t> place(64);
  auto kernel = compile(transposedRead("ds.read.tr16.b64", "vector<4xi16>"));
  auto run = [&](int32_t at) {
    place[5] = at;
    return textOf(kernel->launch({1, 1, 1},
                                 {array("x", x, "int64"), array("place", place, "int32"), array("out", out, "int64")}));
  };
  EXPECT_EQ(run(504), "ok");
  EXPECT_EQ(run(512), "k.py:3:9: error: out-of-bounds read of shared memory\n"
                      "  offset:  512, 8 bytes; the block has 512 bytes of shared memory\n"
                      "  at:      block (0, 0, 0), warp 0, lane 5");
  EXPECT_EQ(run(4), "k.py:3:9: error: misaligned read of shared memory\n"
                    "  offset:  4, 8 bytes; it must be a multiple of 8\n"
                    "  at:      block (0, 0, 0), warp 0, lane 5");
}

TEST(TransposedRead, Cdna3HasNone) {
  EXPECT_EQ(compileError(transposedRead("ds.read.tr16.b64", "vector<4xi16>", "gfx942")),
            "loc(\"k.py\":3:9): gfx942 has no rocdl.ds.read.tr16.b64");
}

} // namespace
