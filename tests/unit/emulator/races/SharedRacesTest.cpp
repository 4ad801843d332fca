//===- SharedRacesTest.cpp - Kernels whose warps race for shared memory ------------------------===//
//
// Each kernel is correct. Then each of its synchronizing lines is left out, and a race must be reported for every seed.
//
//===------------------------------------------------------------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>

namespace hocket {
namespace {

/// A line of a body. Marked lines prevent the kernel from racing.
struct Line {
  std::string text;
  bool isNeeded = false;
};

std::string join(const std::vector<Line> &lines, size_t without = ~size_t(0)) {
  std::string body;
  for (size_t i = 0; i < lines.size(); ++i)
    if (i != without)
      body += "    " + lines[i].text + "\n";
  return body;
}

constexpr uint64_t kSeeds = 25;

void expectEachNeeded(TestKernel kernel, const std::vector<Line> &lines) {
  auto textFor = [](const EmulatedKernel &compiled, uint64_t seed) {
    std::vector<float> x(1024);
    return textOf(compiled.launch({2, 1, 1}, {array("x", x, "float32")}, {.seed = seed, .threads = 1}));
  };
  kernel.parameters = "%x: !llvm.ptr<1>";
  kernel.body = join(lines);
  auto whole = compile(kernel);
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    ASSERT_EQ(textFor(*whole, seed), "ok") << "seed " << seed;
  for (size_t without = 0; without < lines.size(); ++without) {
    if (!lines[without].isNeeded)
      continue;
    kernel.body = join(lines, without);
    auto broken = compile(kernel);
    for (uint64_t seed = 0; seed < kSeeds; ++seed)
      EXPECT_NE(textFor(*broken, seed).find(" races with "), std::string::npos)
          << "without " << lines[without].text << ", seed " << seed;
  }
}

const std::string kLocal = " {llvm.mmra = #llvm.mmra_tag<\"amdgpu-synchronize-as\":\"local\">}";
const std::string kRelease = "llvm.fence syncscope(\"workgroup\") release",
                  kAcquire = "llvm.fence syncscope(\"workgroup\") acquire";

/// A barrier of the block in the spelling of each target.
std::vector<Line> barrier(const std::string &target, bool localOnly = true) {
  if (!target.starts_with("gfx"))
    return {{"nvvm.barrier0", true}};
  std::string tag = localOnly ? kLocal : "";
  return {{kRelease + tag, true}, {"rocdl.s.barrier", true}, {kAcquire + tag, true}};
}

std::vector<Line> operator+(std::vector<Line> a, const std::vector<Line> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// %mine and %other: this thread's element of shared memory, and that of its counterpart in another warp.
std::vector<Line> places(const std::string &target) {
  bool isAmd = target.starts_with("gfx");
  int last = 4 * (isAmd ? 64 : 32) - 1;
  return {{"%tid = " + std::string(isAmd ? "rocdl.workitem.id.x" : "nvvm.read.ptx.sreg.tid.x") + " : i32"},
          {"%last = llvm.mlir.constant(" + std::to_string(last) + " : i32) : i32"},
          {"%mirrored = llvm.sub %last, %tid : i32"},
          {"%v = llvm.sitofp %tid : i32 to f32"},
          {"%s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>"},
          {"%mine = llvm.getelementptr %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32"},
          {"%other = llvm.getelementptr %s[%mirrored] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32"}};
}

TestKernel fourWarps(const std::string &target) { return {.target = target, .numWarps = 4, .sharedBytes = 1024}; }

class SharedRace : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Targets, SharedRace, testing::Values("sm_80", "sm_90a", "gfx942", "gfx950"));

TEST_P(SharedRace, ReadAfterWrite) {
  expectEachNeeded(fourWarps(GetParam()),
                   places(GetParam()) + std::vector<Line>{{"llvm.store %v, %mine : f32, !llvm.ptr<3>"}} +
                       barrier(GetParam()) +
                       std::vector<Line>{{"%w = llvm.load volatile %other : !llvm.ptr<3> -> f32"}});
}

TEST_P(SharedRace, WriteAfterRead) {
  expectEachNeeded(fourWarps(GetParam()),
                   places(GetParam()) + std::vector<Line>{{"%w = llvm.load volatile %other : !llvm.ptr<3> -> f32"}} +
                       barrier(GetParam()) + std::vector<Line>{{"llvm.store %v, %mine : f32, !llvm.ptr<3>"}});
}

TEST_P(SharedRace, WriteAfterWrite) {
  expectEachNeeded(fourWarps(GetParam()), places(GetParam()) +
                                              std::vector<Line>{{"llvm.store %v, %mine : f32, !llvm.ptr<3>"}} +
                                              barrier(GetParam(), /*localOnly=*/false) +
                                              std::vector<Line>{{"llvm.store %v, %other : f32, !llvm.ptr<3>"}});
}

TEST_P(SharedRace, AtomicsAndAReadOfTheSum) {
  expectEachNeeded(fourWarps(GetParam()),
                   places(GetParam()) +
                       std::vector<Line>{{"%old = llvm.atomicrmw fadd %s, %v monotonic : !llvm.ptr<3>, f32"}} +
                       barrier(GetParam()) + std::vector<Line>{{"%sum = llvm.load volatile %s : !llvm.ptr<3> -> f32"}});
}

/// A ring buffer of 2 slots: in iteration i slot i % 2 is written, and read after the barrier. One barrier per
/// iteration suffices: the write of iteration i + 2 follows the barrier of iteration i + 1, which the reader of
/// iteration i passes after reading.
TEST_P(SharedRace, Ring) {
  std::string target = GetParam();
  TestKernel kernel = fourWarps(target);
  kernel.sharedBytes = 2048;
  std::vector<Line> head = places(target) + std::vector<Line>{{"%zero = llvm.mlir.constant(0 : i32) : i32"},
                                                              {"%one = llvm.mlir.constant(1 : i32) : i32"},
                                                              {"%turns = llvm.mlir.constant(7 : i32) : i32"},
                                                              {"llvm.br ^loop(%zero : i32)"}};
  auto loop = [&](const std::string &slots) {
    return std::vector<Line>{{"^loop(%i: i32):"},
                             {"%slots = llvm.mlir.constant(" + slots + " : i32) : i32"},
                             {"%slot = llvm.urem %i, %slots : i32"},
                             {"%elements = llvm.mlir.constant(256 : i32) : i32"},
                             {"%offset = llvm.mul %slot, %elements : i32"},
                             {"%a = llvm.getelementptr %mine[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32"},
                             {"%b = llvm.getelementptr %other[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32"},
                             {"%sum = llvm.add %i, %tid : i32"},
                             {"%new = llvm.sitofp %sum : i32 to f32"},
                             {"llvm.store %new, %a : f32, !llvm.ptr<3>"}} +
           barrier(target) +
           std::vector<Line>{{"%w = llvm.load volatile %b : !llvm.ptr<3> -> f32"},
                             {"%next = llvm.add %i, %one : i32"},
                             {"%more = llvm.icmp \"slt\" %next, %turns : i32"},
                             {"llvm.cond_br %more, ^loop(%next : i32), ^done"},
                             {"^done:"}};
  };
  expectEachNeeded(kernel, head + loop("2"));

  kernel.parameters = "%x: !llvm.ptr<1>";
  kernel.body = join(head + loop("1"));
  auto tooShort = compile(kernel);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::vector<float> x(1);
    std::string text = textOf(tooShort->launch({1, 1, 1}, {array("x", x, "float32")}, {.seed = seed}));
    EXPECT_NE(text.find(" races with "), std::string::npos) << "seed " << seed;
  }
}

/// Warps 0 and 1 pass values to warps 2 and 3 through barriers of their own.
TEST(SharedRaceOfSome, BarriersForSomeOfTheWarps) {
  TestKernel kernel = fourWarps("sm_90a");
  expectEachNeeded(kernel,
                   places("sm_90a") +
                       std::vector<Line>{{"%half = llvm.mlir.constant(64 : i32) : i32"},
                                         {"%one = llvm.mlir.constant(1 : i32) : i32"},
                                         {"%two = llvm.mlir.constant(2 : i32) : i32"},
                                         {"%warp = nvvm.read.ptx.sreg.warpid : i32"},
                                         {"%pair = llvm.and %warp, %one : i32"},
                                         {"%id = llvm.add %pair, %one : i32"},
                                         {"%lane = nvvm.read.ptx.sreg.laneid : i32"},
                                         {"%width = llvm.mlir.constant(32 : i32) : i32"},
                                         {"%base = llvm.mul %pair, %width : i32"},
                                         {"%e = llvm.add %base, %lane : i32"},
                                         {"%p = llvm.getelementptr %s[%e] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32"},
                                         {"%first = llvm.icmp \"ult\" %warp, %two : i32"},
                                         {"llvm.cond_br %first, ^producer, ^consumer"},
                                         {"^producer:"},
                                         {"llvm.store %v, %p : f32, !llvm.ptr<3>"},
                                         {"nvvm.barrier.arrive id = %id number_of_threads = %half"},
                                         {"llvm.br ^end"},
                                         {"^consumer:"},
                                         {"nvvm.barrier id = %id number_of_threads = %half", true},
                                         {"%w = llvm.load volatile %p : !llvm.ptr<3> -> f32"},
                                         {"llvm.br ^end"},
                                         {"^end:"}});
}

/// The upper waves pass one more barrier before, the lower ones one more after: waves at different lines open barriers
/// for each other, and their releases there order accesses.
TEST(SharedRaceOfSome, StaggeredWaves) {
  std::string target = "gfx950";
  TestKernel kernel = fourWarps(target);
  expectEachNeeded(kernel, places(target) +
                               std::vector<Line>{{"%half = llvm.mlir.constant(128 : i32) : i32"},
                                                 {"%upper = llvm.icmp \"uge\" %tid, %half : i32"},
                                                 {"llvm.cond_br %upper, ^early, ^work"},
                                                 {"^early:"}} +
                               std::vector<Line>{{"rocdl.s.barrier"}, {kAcquire + kLocal, true}} +
                               std::vector<Line>{{"%w = llvm.load volatile %other : !llvm.ptr<3> -> f32"},
                                                 {"llvm.br ^work2"},
                                                 {"^work:"},
                                                 {"llvm.store %v, %mine : f32, !llvm.ptr<3>"},
                                                 {kRelease + kLocal, true},
                                                 {"rocdl.s.barrier"},
                                                 {"llvm.br ^work2"},
                                                 {"^work2:"}});
}

std::string raceOf(const std::string &target, const std::vector<Line> &lines, const std::string &buffers = "") {
  TestKernel kernel = fourWarps(target);
  kernel.parameters = "%x: !llvm.ptr<1>";
  kernel.body = join(lines);
  kernel.buffers = buffers;
  std::vector<float> x(1024);
  return textOf(compile(kernel)->launch({1, 1, 1}, {array("x", x, "float32")}));
}

TEST(SharedRaceText, NamesLinesWarpsAndBuffer) {
  std::vector<Line> lines =
      places("gfx950") + std::vector<Line>{{"llvm.store %v, %mine : f32, !llvm.ptr<3> loc(\"k.py\":12:5)"},
                                           {"rocdl.s.barrier"},
                                           {"%w = llvm.load volatile %other : !llvm.ptr<3> -> f32 loc(\"k.py\":14:9)"}};
  EXPECT_EQ(raceOf("gfx950", lines, R"([#hk.buffer<name = "`a_smem`", offset = 512, bytes = 512>,
                                        #hk.buffer<name = "scratch of reduce in line 9", offset = 768, bytes = 256>])"),
            "k.py:14:9: error: read of `a_smem` or scratch of reduce in line 9 races with a write by another warp\n"
            "  offset:  byte 508 of `a_smem`, byte 252 of scratch of reduce in line 9\n"
            "  at:      block (0, 0, 0), warp 0, lane 0\n"
            "  other:   write in line 12, warp 3, lane 63\n"
            "  hint:    put gl.barrier() between the two accesses");
  EXPECT_EQ(raceOf("gfx950", lines).substr(0, 80),
            "k.py:14:9: error: read of shared memory races with a write by another warp\n  off");
}

TEST(SharedRaceText, OtherFile) {
  std::string text =
      raceOf("sm_90a", places("sm_90a") +
                           std::vector<Line>{{"%w = llvm.load volatile %other : !llvm.ptr<3> -> f32 loc(\"a.py\":3:5)"},
                                             {"llvm.store %v, %mine : f32, !llvm.ptr<3> loc(\"b.py\":4:5)"}});
  EXPECT_NE(text.find("  other:   write in b.py:4, warp"), std::string::npos) << text;
}

TEST(SharedRaceText, OffMeansOff) {
  TestKernel kernel = fourWarps("sm_90a");
  kernel.parameters = "%x: !llvm.ptr<1>";
  kernel.body = join(places("sm_90a") + std::vector<Line>{{"llvm.store %v, %mine : f32, !llvm.ptr<3>"},
                                                          {"llvm.store %v, %other : f32, !llvm.ptr<3>"}});
  auto compiled = compile(kernel);
  std::vector<float> x(1);
  LaunchResult with = compiled->launch({1, 1, 1}, {array("x", x, "float32")});
  ASSERT_TRUE(with.failure);
  EXPECT_EQ(with.failure->kind, FailureKind::Race);
  EXPECT_EQ(textOf(compiled->launch({1, 1, 1}, {array("x", x, "float32")}, {.races = false})), "ok");
}

TEST(SharedRaceOfSome, WarpsMayWriteTheSameValue) {
  std::vector<Line> lines = places("sm_90a");
  std::vector<Line> same = {{"%seven = llvm.mlir.constant(7.0 : f32) : f32"},
                            {"llvm.store %seven, %s : f32, !llvm.ptr<3>"}};
  EXPECT_EQ(raceOf("sm_90a", lines + same), "ok");
  EXPECT_EQ(raceOf("sm_90a", lines + std::vector<Line>{{"llvm.store %v, %s : f32, !llvm.ptr<3> loc(\"k.py\":5:5)"}}),
            "k.py:5:5: error: write to shared memory races with a write by another warp\n"
            "  offset:  byte 0 of shared memory\n"
            "  at:      block (0, 0, 0), warp 1, lane 0\n"
            "  other:   write in line 5, warp 0, lane 31\n"
            "  hint:    put gl.barrier() between the two accesses");
}

TEST(SharedRaceOfSome, LanesOfAWarpNeverRace) {
  TestKernel kernel = {.target = "sm_90a", .numWarps = 1, .sharedBytes = 1024, .parameters = "%x: !llvm.ptr<1>"};
  std::vector<Line> lines = places("sm_90a");
  kernel.body = join(lines + std::vector<Line>{{"llvm.store %v, %s : f32, !llvm.ptr<3>"}});
  std::vector<float> x(1);
  EXPECT_EQ(textOf(compile(kernel)->launch({1, 1, 1}, {array("x", x, "float32")})), "ok");
}

} // namespace
} // namespace hocket
