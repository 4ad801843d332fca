//===- CopiesToSharedTest.cpp - Asynchronous copies into shared memory, run by kernels ------------===//
#include "TestKernel.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace hocket {
namespace {

constexpr uint64_t kSeeds = 12;

const std::string kHead = R"(
    %tid = rocdl.workitem.id.x : i32
    %lanes = llvm.mlir.constant(64 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %wave = llvm.udiv %tid, %lanes : i32
    %first = rocdl.readfirstlane %wave : i32
    %lane = llvm.urem %tid, %lanes : i32
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %start = llvm.mul %first, %lanes : i32
    %base = llvm.getelementptr %s[%start] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %source = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %out = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %last = llvm.mlir.constant(127 : i32) : i32
    %mirrored = llvm.sub %last, %tid : i32
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %other = llvm.getelementptr %s[%mirrored] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
)";

const std::string kCopy = "rocdl.global.load.lds %source, %base, 4, 0, 0 loc(\"k.py\":7:5)\n";
const std::string kCommit = "lane.async_commit_group\n", kWait = "lane.async_wait_group {outstanding = 0 : i32}\n";
const std::string kBarrier = "llvm.fence syncscope(\"workgroup\") release\nrocdl.s.barrier\n"
                             "llvm.fence syncscope(\"workgroup\") acquire\n";
const std::string kRead = R"(%v = llvm.load %other : !llvm.ptr<3> -> f32 loc("k.py":9:5)
    lane.store %out, %v : !llvm.ptr<1>, f32
)";

/// Compiles a kernel of two waves of 64 lanes that copy x to shared memory and write its mirror image to y.
std::unique_ptr<EmulatedKernel> mirror(const std::string &body, const std::string &target = "gfx950") {
  return compile({.target = target,
                  .numWarps = 2,
                  .sharedBytes = 1024,
                  .parameters = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>",
                  .body = kHead + body,
                  .buffers = R"([#hk.buffer<name = "`tile`", offset = 0, bytes = 1024>])"});
}

struct Result {
  std::string text;
  std::vector<float> y;
};

Result run(const EmulatedKernel &kernel, LaunchOptions options = {}) {
  std::vector<float> x(128), y(128);
  std::iota(x.begin(), x.end(), 1.0f);
  options.threads = 1;
  std::string text = textOf(kernel.launch({1, 1, 1}, {array("x", x, "float32"), array("y", y, "float32")}, options));
  return {text, y};
}

bool isMirrored(const std::vector<float> &y) {
  for (size_t i = 0; i < y.size(); ++i)
    if (y[i] != float(y.size() - i))
      return false;
  return true;
}

TEST(CopiesToShared, ArrivesWhateverTheCompletion) {
  for (const char *target : {"gfx942", "gfx950"}) {
    auto kernel = mirror(kCopy + kCommit + kWait + kBarrier + kRead, target);
    for (Completion completion : {Completion::Late, Completion::Random, Completion::Now})
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        Result result = run(*kernel, {.seed = seed, .completion = completion});
        EXPECT_EQ(result.text, "ok");
        EXPECT_TRUE(isMirrored(result.y));
      }
  }
}

TEST(CopiesToShared, MissingWaitIsReported) {
  for (const std::string &body :
       {kCopy + kCommit + kBarrier + kRead, kCopy + kWait + kBarrier + kRead,
        kCopy + kCommit + "lane.async_wait_group {outstanding = 1 : i32}\n" + kBarrier + kRead}) {
    auto kernel = mirror(body);
    for (Completion completion : {Completion::Late, Completion::Random, Completion::Now})
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        std::string text = run(*kernel, {.seed = seed, .completion = completion}).text;
        EXPECT_NE(text.find("error: read of `tile` while the asynchronous copy of line 7 into it is still in flight\n"),
                  std::string::npos)
            << text;
      }
  }
}

TEST(CopiesToShared, LanesMayWaitForDifferentGroupsAtABarrier) {
  auto body = [](int outstanding) {
    std::string other = "lane.async_wait_group {outstanding = " + std::to_string(outstanding) + " : i32}\n";
    return kCopy + kCommit +
           "%half = llvm.mlir.constant(32 : i32) : i32\n%low = llvm.icmp \"slt\" %lane, %half : i32\n" +
           "llvm.cond_br %low, ^low, ^high\n^low:\n" + other + kBarrier + "llvm.br ^read\n^high:\n" +
           "lane.async_wait_group {outstanding = 1 : i32}\n" + kBarrier + "llvm.br ^read\n^read:\n" + kRead;
  };
  auto enough = mirror(body(0)), tooFew = mirror(body(1));
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Result result = run(*enough, {.seed = seed});
    EXPECT_EQ(result.text, "ok");
    EXPECT_TRUE(isMirrored(result.y));
    EXPECT_NE(run(*tooFew, {.seed = seed}).text.find("still in flight"), std::string::npos);
  }
}

const char *const kMissingWait =
    "k.py:9:5: error: read of `tile` while the asynchronous copy of line 7 into it is still in flight\n"
    "  offset:  byte 508 of `tile`\n"
    "  at:      block (0, 0, 0), warp 0, lane 0\n"
    "  other:   asynchronous copy in line 7, warp 1, lane 63\n"
    "  hint:    commit the copy to a group, and wait for it: wait_group(n) leaves the n newest groups in flight";

TEST(CopiesToShared, TextOfAMissingWait) {
  EXPECT_EQ(run(*mirror(kCopy + kCommit + kBarrier + kRead)).text, kMissingWait);
}

/// The possible first lines of a report: the schedule determines which of the two accesses is the later one.
const std::string kReadInFlight =
    "k.py:9:5: error: read of `tile` while the asynchronous copy of line 7 into it is still in flight";
const std::string kReadRaces = "k.py:9:5: error: read of `tile` races with an asynchronous copy by another warp";
const std::string kCopyRaces = "k.py:7:5: error: asynchronous copy to `tile` races with a read by another warp";

/// Returns the first lines of the reports for all seeds, each once.
std::set<std::string> problemsOf(const EmulatedKernel &kernel) {
  std::set<std::string> problems;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::string text = run(kernel, {.seed = seed}).text;
    problems.insert(text.substr(0, text.find('\n')));
  }
  return problems;
}

TEST(CopiesToShared, MissingWaitReadsPoisonWithoutRaceDetection) {
  auto kernel = mirror(kCopy + kCommit + kBarrier + kRead);
  EXPECT_TRUE(std::isnan(run(*kernel, {.races = false}).y[0]));
  EXPECT_TRUE(isMirrored(run(*kernel, {.races = false, .completion = Completion::Now}).y));
  int arrived = 0;
  for (uint64_t seed = 0; seed < 50; ++seed)
    arrived += !std::isnan(run(*kernel, {.seed = seed, .races = false, .completion = Completion::Random}).y[0]);
  EXPECT_GT(arrived, 0);
  EXPECT_LT(arrived, 50);
}

TEST(CopiesToShared, WaitWithoutBarrierIsARace) {
  EXPECT_EQ(problemsOf(*mirror(kCopy + kCommit + kWait + kRead)), (std::set{kReadInFlight, kReadRaces, kCopyRaces}));
}

TEST(CopiesToShared, BarrierBeforeTheWaitDoesNotHelp) {
  EXPECT_EQ(problemsOf(*mirror(kCopy + kCommit + kBarrier + kWait + kRead)), (std::set{kReadInFlight, kReadRaces}));
}

TEST(CopiesToShared, CopyOverWhatIsStillReadIsARace) {
  auto right = mirror("llvm.store %zero, %mine : i32, !llvm.ptr<3>\n" + kBarrier + kRead + kBarrier + kCopy);
  auto wrong = mirror("llvm.store %zero, %mine : i32, !llvm.ptr<3>\n" + kBarrier + kRead + kCopy);
  EXPECT_EQ(problemsOf(*right), std::set<std::string>{"ok"}) << "a copy without a wait is not a mistake";
  EXPECT_EQ(problemsOf(*wrong), (std::set{kReadInFlight, kCopyRaces}));
}

TEST(CopiesToShared, VectorWaitcntIsNoWait) {
  EXPECT_EQ(run(*mirror(kCopy + kCommit + "rocdl.s.waitcnt 0\n" + kBarrier + kRead)).text, kMissingWait);
}

TEST(CopiesToShared, SourceIsReadLate) {
  // Each thread copies its element and overwrites it before it waits.
  auto kernel = mirror(kCopy + kCommit + "%f = llvm.mlir.constant(-5.0 : f32) : f32\n" +
                       "lane.store %source, %f : !llvm.ptr<1>, f32\n" + kWait + kBarrier + kRead);
  EXPECT_EQ(run(*kernel, {.races = false}).y[0], -5.0f);
  EXPECT_EQ(run(*kernel, {.races = false, .completion = Completion::Now}).y[0], 128.0f);
}

const std::string kBuffer = R"(
    %records = llvm.mlir.constant(400 : i64) : i64
    %stride = llvm.mlir.constant(0 : i16) : i16
    %flags = llvm.mlir.constant(159744 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %bytes = llvm.mul %tid, %four : i32
    %rsrc = rocdl.make.buffer.rsrc %x, %stride, %records, %flags : !llvm.ptr<1> to !llvm.ptr<8>
    rocdl.raw.ptr.buffer.load.lds %rsrc, %base, %four, %bytes, %zero, %zero, %zero
)";

TEST(CopiesToShared, BufferLanesOutOfBoundsWriteZeros) {
  Result result = run(*mirror(kBuffer + kCommit + kWait + kBarrier + kRead));
  ASSERT_EQ(result.text, "ok");
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(result.y[127 - i], i < 100 ? float(i + 1) : 0.0f);
}

TEST(CopiesToShared, LanesThatGoAroundWriteNothing) {
  auto kernel = mirror(R"(
    %f = llvm.mlir.constant(-5.0 : f32) : f32
    llvm.store %f, %mine : f32, !llvm.ptr<3>
    %ten = llvm.mlir.constant(10 : i32) : i32
    %some = llvm.icmp "ult" %lane, %ten : i32
    llvm.cond_br %some, ^copy, ^join
  ^copy:
    )" + kCopy + "llvm.br ^join\n^join:\n" +
                       kCommit + kWait + kBarrier + kRead);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Result result = run(*kernel, {.seed = seed});
    ASSERT_EQ(result.text, "ok");
    for (size_t i = 0; i < 128; ++i)
      EXPECT_EQ(result.y[127 - i], i % 64 < 10 ? float(i + 1) : -5.0f);
  }
}

TEST(CopiesToShared, LanesThatGoAroundDoNotRunAhead) {
  // In iteration i, lanes from 10 * i on copy to slot i. The destination differs between iterations.
  auto kernel = mirror(R"(
    %ten = llvm.mlir.constant(10 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %turns = llvm.mlir.constant(2 : i32) : i32
    %slotBytes = llvm.mlir.constant(128 : i32) : i32
    llvm.br ^loop(%zero : i32)
  ^loop(%i: i32):
    %least = llvm.mul %i, %ten : i32
    %some = llvm.icmp "uge" %lane, %least : i32
    %offset = llvm.mul %i, %slotBytes : i32
    %slot = llvm.getelementptr %base[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.cond_br %some, ^copy, ^join
  ^copy:
    rocdl.global.load.lds %source, %slot, 4, 0, 0
    llvm.br ^join
  ^join:
    %next = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %next, %turns : i32
    llvm.cond_br %more, ^loop(%next : i32), ^done
  ^done:
)" + kCommit + kWait + kBarrier +
                       kRead);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Result result = run(*kernel, {.seed = seed});
    ASSERT_EQ(result.text, "ok");
    EXPECT_TRUE(isMirrored(result.y));
  }
}

TEST(CopiesToShared, SixteenBytesPerLane) {
  auto kernel = compile({.target = "gfx950",
                         .numWarps = 1,
                         .sharedBytes = 1024,
                         .parameters = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>",
                         .body = R"(
    %tid = rocdl.workitem.id.x : i32
    %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
    %source = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %out = llvm.getelementptr %y[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
    rocdl.load.to.lds %source, %s, 16, 0, 0 : !llvm.ptr<1>
    lane.async_commit_group
    lane.async_wait_group {outstanding = 0 : i32}
    %v = llvm.load %mine {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    lane.store %out, %v : !llvm.ptr<1>, vector<4xf32>)"});
  std::vector<float> x(256), y(256);
  std::iota(x.begin(), x.end(), 1.0f);
  EXPECT_EQ(textOf(kernel->launch({1, 1, 1}, {array("x", x, "float32"), array("y", y, "float32")})), "ok");
  EXPECT_EQ(x, y);
}

TEST(CopiesToShared, DestinationMustBeUniform) {
  EXPECT_EQ(run(*mirror("rocdl.global.load.lds %source, %mine, 4, 0, 0 loc(\"k.py\":7:5)\n")).text,
            "k.py:7:5: error: the lanes of a warp name different destinations for one copy to shared memory\n"
            "  offset:  4\n"
            "  at:      block (0, 0, 0), warp 0, lane 1\n"
            "  hint:    the destination must be the same in all lanes: lane i writes i copy widths after it");
}

TEST(CopiesToShared, DestinationOutOfBounds) {
  EXPECT_EQ(run(*mirror("%far = llvm.getelementptr %s[800] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
                        "rocdl.global.load.lds %source, %far, 4, 0, 0 loc(\"k.py\":7:5)\n"))
                .text,
            "k.py:7:5: error: out-of-bounds write to shared memory\n"
            "  offset:  1024, 4 bytes; the block has 1024 bytes of shared memory\n"
            "  at:      block (0, 0, 0), warp 0, lane 56");
}

TEST(CopiesToShared, DestinationMisaligned) {
  EXPECT_EQ(run(*mirror("%odd = llvm.getelementptr %s[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
                        "rocdl.global.load.lds %source, %odd, 4, 0, 0 loc(\"k.py\":7:5)\n"))
                .text,
            "k.py:7:5: error: misaligned write to shared memory\n"
            "  offset:  2, 4 bytes; it must be a multiple of 4\n"
            "  at:      block (0, 0, 0), warp 0, lane 0");
}

TEST(CopiesToShared, SourceIsChecked) {
  EXPECT_EQ(run(*mirror("%far = llvm.getelementptr %source[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\n"
                        "rocdl.global.load.lds %far, %base, 4, 0, 0 loc(\"k.py\":7:5)\n"))
                .text,
            "k.py:7:5: error: out-of-bounds read of `x`\n"
            "  index:    128, but `x` has 128 elements of float32\n"
            "  address:  ADDRESS, 4 bytes\n"
            "  at:       block (0, 0, 0), warp 1, lane 0\n"
            "  hint:     mask the access, or pass an array that is large enough");
}

TEST(CopiesToShared, NextBlockDoesNotSeeUnfinishedCopies) {
  auto kernel = mirror("llvm.store %zero, %mine : i32, !llvm.ptr<3>\n" + kBarrier +
                       "%v = llvm.load %other : !llvm.ptr<3> -> f32\n" + kBarrier + kCopy);
  std::vector<float> x(128), y(128);
  EXPECT_EQ(textOf(kernel->launch({5, 1, 1}, {array("x", x, "float32"), array("y", y, "float32")}, {.threads = 1})),
            "ok");
}

} // namespace
} // namespace hocket
