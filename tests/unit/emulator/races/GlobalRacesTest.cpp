//===- GlobalRacesTest.cpp - Accesses of global memory that are ordered -------------------------------===//
//
// Block 0 executes `first`, then block 1 executes `second`, because the blocks run one after the other on one thread.
// Accesses that no synchronization orders must be reported nevertheless.
//
//===------------------------------------------------------------------------------===//
#include "TestKernel.h"

#include <gtest/gtest.h>

using namespace hocket;

namespace {

/// An access in lane form. Its values are named %$...: `blocks` numbers the accesses, so that one may occur twice.
using Access = std::string;

Access at(const std::string &array, int64_t offset, const std::string &access) {
  return "%$o = llvm.mlir.constant(" + std::to_string(offset) + " : i64) : i64\n%$p = llvm.getelementptr %" + array +
         "[%$o] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8\n" + access + "\n;";
}
Access load(const std::string &type, int64_t offset, const std::string &array = "x") {
  return at(array, offset, "%$v = lane.load %$p : !llvm.ptr<1> -> " + type + " loc(\"k.py\":3:9)");
}
Access store(const std::string &type, int64_t offset, const std::string &array = "x") {
  return at(array, offset,
            "%$v = llvm.mlir.undef : " + type + "\nlane.store %$p, %$v : !llvm.ptr<1>, " + type + " loc(\"k.py\":4:5)");
}
Access atomic(const std::string &order, int64_t offset = 0, const std::string &array = "x") {
  return at(array, offset,
            "%$v = llvm.mlir.constant(1 : i32) : i32\n%$r = lane.atomic_rmw add " + order +
                ", %$p, %$v : !llvm.ptr<1>, i32 loc(\"k.py\":5:5)");
}
Access signal(const std::string &order = "release gpu", int64_t offset = 0) { return atomic(order, offset, "flag"); }
Access wait(const std::string &order = "acquire gpu", int64_t offset = 0) { return atomic(order, offset, "flag"); }
/// Compares %flag[0] with `expected` and swaps it.
Access swap(const std::string &order, int expected) {
  return at("flag", 0,
            "%$c = llvm.mlir.constant(" + std::to_string(expected) + " : i32) : i32\n%$r = lane.atomic_cas " + order +
                ", %$p, %$c, %$c : !llvm.ptr<1>, i32");
}

std::string numbered(const std::string &accesses, int &count) {
  std::string text;
  for (char c : accesses)
    if (c == ';')
      ++count;
    else
      text += c == '$' ? "a" + std::to_string(count) : std::string(1, c);
  return text;
}

/// The first lane of block i executes bodies[i].
TestKernel blocks(const std::vector<std::string> &bodies) {
  int count = 0;
  std::string body = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %first = llvm.icmp "eq" %tid, %zero : i32
    llvm.cond_br %first, ^work, ^end
  ^work:
    llvm.switch %block : i32, ^end [)";
  std::string parts;
  for (size_t i = 0; i < bodies.size(); ++i) {
    std::string n = std::to_string(i);
    body += (i ? ", " : "") + n + ": ^block" + n;
    parts += "  ^block" + n + ":\n" + numbered(bodies[i], count) + "    llvm.br ^end\n";
  }
  return {.parameters = "%x: !llvm.ptr<1>, %flag: !llvm.ptr<1>, %other: !llvm.ptr<1>",
          .body = body + "]\n" + parts + "  ^end:"};
}

struct Memory {
  alignas(16) std::array<float, 128> x = {};
  std::vector<int32_t> flag = std::vector<int32_t>(64);
  std::vector<float> other = std::vector<float>(64);

  std::vector<Argument> arguments() {
    return {ArrayArgument{"x", x.data(), sizeof(x), true, "float32"}, array("flag", flag, "int32"),
            array("other", other, "float32")};
  }
};

std::string run(const TestKernel &kernel, uint32_t count, const LaunchOptions &options = {.threads = 1}) {
  Memory memory;
  auto compiled = compile(kernel);
  LaunchResult result = compiled->launch({count, 1, 1}, memory.arguments(), options);
  if (result.failure)
    EXPECT_EQ(result.failure->kind, FailureKind::Race) << textOf(result);
  return textOf(result);
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// Returns the message when `bodies` run, without the location.
std::string messageOf(const std::vector<std::string> &bodies) {
  std::string line = firstLine(run(blocks(bodies), uint32_t(bodies.size())));
  return line == "ok" ? line : line.substr(line.find("error: ") + 7);
}

struct Pair {
  std::string name, first, second, expected;
};

void check(const std::vector<Pair> &pairs) {
  for (const Pair &pair : pairs)
    EXPECT_EQ(messageOf({pair.first, pair.second}), pair.expected) << pair.name;
}

TEST(GlobalRaces, KindsOfAccesses) {
  const std::string write = store("f32", 0), read = load("f32", 0), add = atomic("relaxed gpu");
  check({
      {"write, write", write, store("f32", 0), "write to `x` races with a write by another block"},
      {"write, read", write, read, "read of `x` races with a write by another block"},
      {"read, write", read, write, "write to `x` races with a read by another block"},
      {"read, read", read, load("f32", 0), "ok"},
      {"atomic, atomic", add, atomic("relaxed sys"), "ok"},
      {"atomic, write", add, write, "write to `x` races with an atomic access by another block"},
      {"write, atomic", write, add, "atomic access to `x` races with a write by another block"},
      {"atomic, read", add, read, "read of `x` races with an atomic access by another block"},
      {"read, atomic", read, add, "atomic access to `x` races with a read by another block"},
      {"atomics of block scope", atomic("relaxed cta"), atomic("relaxed cta"),
       "atomic access to `x` races with an atomic access by another block"},
      {"one of block scope", atomic("acq_rel cta"), add,
       "atomic access to `x` races with an atomic access by another block"},
      {"other places", write, store("f32", 4) + load("f32", 8) + atomic("relaxed gpu", 12), "ok"},
      {"several of one block", write + read + add + write, load("f32", 60), "ok"},
  });
}

TEST(GlobalRaces, EveryByteCounts) {
  const std::string race = "write to `x` races with a write by another block";
  check({
      {"neighbors", store("i8", 16), store("i8", 17), "ok"},
      {"the same byte", store("i8", 17), store("i8", 17), race},
      {"the last byte of a word", store("i32", 16), store("i8", 19), race},
      {"the byte after a word", store("i32", 16), store("i8", 20), "ok"},
      {"the byte before a vector", store("vector<4xf32>", 16), store("i8", 15), "ok"},
      {"the last half of a vector", store("vector<4xf32>", 16), store("i16", 30), race},
      {"the half after a vector", store("vector<4xf32>", 16), store("i16", 32), "ok"},
      {"vectors", store("vector<4xf32>", 16), store("vector<4xf32>", 32), "ok"},
      {"the second half of a vector", store("vector<2xf32>", 24), store("vector<4xf32>", 16), race},
      {"the first byte of the array", store("i8", 0), store("i8", 0), race},
      {"the last byte of the array", store("i8", 511), store("vector<4xf32>", 496), race},
  });
}

TEST(GlobalRaces, ReleaseAndAcquire) {
  const std::string write = store("f32", 0), read = load("f32", 0);
  const std::string race = "read of `x` races with a write by another block";
  check({
      {"release, acquire", write + signal(), wait() + read, "ok"},
      {"both at once", write + signal("acq_rel gpu"), wait("acq_rel sys") + read, "ok"},
      {"a read before a write", load("f32", 0) + signal(), wait() + store("f32", 0), "ok"},
      {"an atomic before a read", atomic("relaxed gpu") + signal(), wait() + read, "ok"},
      {"does not release", write + signal("relaxed gpu"), wait() + read, race},
      {"only acquires", write + signal("acquire gpu"), wait() + read, race},
      {"does not acquire", write + signal(), wait("relaxed gpu") + read, race},
      {"only releases", write + signal(), wait("release gpu") + read, race},
      {"of block scope", write + signal("release cta"), wait() + read,
       // The second block reaches the variable, which is in conflict too, before it reaches x.
       "atomic access to `flag` races with an atomic access by another block"},
      {"of another variable", write + signal("release gpu", 4), wait() + read, race},
      {"before the write", signal() + write, wait() + read, race},
      {"after the read", write + signal(), read + wait(), race},
      {"a swap that swaps", write + swap("release gpu", 0), wait() + read, "ok"},
      {"a swap that does not", write + swap("release gpu", 1), wait() + read, race},
      {"acquired by a swap that does not swap", write + signal(), swap("acquire gpu", 77) + read, "ok"},
      {"the first of two writes", store("f32", 4) + signal() + write, wait() + load("f32", 4), "ok"},
      {"the second of two writes", store("f32", 4) + signal() + write, wait() + load("f32", 4) + read, race},
  });
}

TEST(GlobalRaces, OrderIsPassedOn) {
  const std::string write = store("f32", 0), read = load("f32", 0);
  const std::string race = "read of `x` races with a write by another block";
  // Synchronized through a third block, with one variable and with two.
  EXPECT_EQ(messageOf({write + signal(), wait("acq_rel gpu"), wait() + read}), "ok");
  EXPECT_EQ(messageOf({write + signal(), wait() + signal("release gpu", 4), wait("acquire gpu", 4) + read}), "ok");
  EXPECT_EQ(messageOf({write + signal(), signal("release gpu", 4), wait("acquire gpu", 4) + read}), race);
  // A value that a relaxed access has changed still carries released clocks.
  EXPECT_EQ(messageOf({write + signal(), signal("relaxed gpu"), wait() + read}), "ok");
  // The release of the second block after its own write covers both writes.
  EXPECT_EQ(messageOf({write + signal(), wait() + write + signal(), wait() + read + store("f32", 0)}), "ok");
  EXPECT_EQ(messageOf({write + signal(), wait() + write, wait() + read}), race);
}

TEST(GlobalRaces, FencesOrderRelaxedAtomics) {
  auto fence = [](const std::string &operands) { return "llvm.fence " + operands + "\n"; };
  const std::string write = store("f32", 0), read = load("f32", 0), relaxed = signal("relaxed gpu");
  const std::string release = fence("syncscope(\"agent\") release"), acquire = fence("syncscope(\"agent\") acquire");
  const std::string race = "read of `x` races with a write by another block";
  check({
      {"both fences", write + release + relaxed, relaxed + acquire + read, "ok"},
      {"of the whole system", write + fence("release") + relaxed, relaxed + fence("acq_rel") + read, "ok"},
      {"a fence and an acquire", write + release + relaxed, wait() + read, "ok"},
      {"a release and a fence", write + signal(), relaxed + acquire + read, "ok"},
      {"no release", write + relaxed, relaxed + acquire + read, race},
      {"no acquire", write + release + relaxed, relaxed + read, race},
      {"release after the atomic", write + relaxed + release, relaxed + acquire + read, race},
      {"acquire before the atomic", write + release + relaxed, acquire + relaxed + read, race},
      {"a write after the fence", release + write + relaxed, relaxed + acquire + read, race},
      {"of the block only", write + fence("syncscope(\"workgroup\") release") + relaxed, relaxed + acquire + read,
       race},
      {"of local memory only",
       write + fence("syncscope(\"agent\") release {llvm.mmra = #llvm.mmra_tag<\"amdgpu-synchronize-as\":\"local\">}") +
           relaxed,
       relaxed + acquire + read, race},
      {"an atomic of the block only", write + release + signal("relaxed cta"), wait("relaxed cta") + acquire + read,
       "atomic access to `flag` races with an atomic access by another block"},
  });
}

TEST(GlobalRaces, ManyReaders) {
  const std::string read = load("f32", 0), quiet = load("f32", 32, "other");
  std::vector<std::string> ordered, unordered;
  for (int i = 0; i < 20; ++i) {
    ordered.push_back(load("f32", 0) + signal());
    unordered.push_back(load("f32", 0) + (i == 7 ? quiet : signal()));
  }
  ordered.push_back(wait() + store("f32", 0));
  unordered.push_back(wait() + store("f32", 0));
  EXPECT_EQ(messageOf(ordered), "ok");
  // The only unordered reader is found among all; its lane is not stored.
  EXPECT_EQ(run(blocks(unordered), 21), "k.py:4:5: error: write to `x` races with a read by another block\n"
                                        "  index:    0\n"
                                        "  address:  ADDRESS, 4 bytes\n"
                                        "  at:       block (20, 0, 0), warp 0, lane 0\n"
                                        "  other:    read in line 3, block (7, 0, 0)\n"
                                        "  hint:     read data of an earlier launch, or order the blocks by a release "
                                        "and an acquire atomic between them");
}

/// Every thread of every block stores at its index in the block (k.py:4): all blocks write the same addresses.
TestKernel everyBlockWrites(const std::string &target) {
  bool isAmd = target.starts_with("gfx");
  return {.target = target,
          .numWarps = 2,
          .parameters = "%x: !llvm.ptr<1>, %flag: !llvm.ptr<1>, %other: !llvm.ptr<1>",
          .body = "%tid = " + std::string(isAmd ? "rocdl.workitem.id.x" : "nvvm.read.ptx.sreg.tid.x") + R"( : i32
    %last = llvm.mlir.constant(127 : i32) : i32
    %t = llvm.and %tid, %last : i32
    %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.mlir.undef : f32
    lane.store %p, %v : !llvm.ptr<1>, f32 loc("k.py":4:5))"};
}

TEST(GlobalRaces, IsReportedWhateverTheThreadsDo) {
  for (std::string target : {"sm_90a", "gfx950"})
    for (unsigned threads : {1u, 2u, 5u})
      for (uint64_t seed = 0; seed < 10; ++seed) {
        std::string text = run(everyBlockWrites(target), 40, {.seed = seed, .threads = threads});
        EXPECT_EQ(firstLine(text), "k.py:4:5: error: write to `x` races with a write by another block");
      }
  for (uint64_t repetition = 0; repetition < 20; ++repetition)
    EXPECT_EQ(run(everyBlockWrites("sm_90a"), 2, {.threads = 2}),
              "k.py:4:5: error: write to `x` races with a write by another block\n"
              "  index:    0\n"
              "  address:  ADDRESS, 4 bytes\n"
              "  at:       block (1, 0, 0), warp 0, lane 0\n"
              "  other:    write in line 4, block (0, 0, 0), warp 0, lane 0\n"
              "  hint:     give each block elements of its own, or combine their values by atomics");
}

TEST(GlobalRaces, IsNotLookedForWithoutNeed) {
  EXPECT_EQ(run(everyBlockWrites("sm_90a"), 1), "ok");
  EXPECT_EQ(run(everyBlockWrites("sm_90a"), 40, {.races = false}), "ok");
}

TEST(GlobalRaces, ViewsOfOneBuffer) {
  auto kernel = compile(blocks({store("f32", 0), load("f32", 8, "other")}));
  std::vector<float> buffer(64);
  std::vector<int32_t> flag(64);
  auto launch = [&](float *x, float *other) {
    return textOf(kernel->launch({2, 1, 1},
                                 {ArrayArgument{"x", x, 64, true, "float32"}, array("flag", flag, "int32"),
                                  ArrayArgument{"other", other, 64, false, "float32"}},
                                 {.threads = 1}));
  };
  EXPECT_EQ(launch(buffer.data(), buffer.data() + 2), "ok");
  EXPECT_EQ(launch(buffer.data() + 32, buffer.data()), "ok");
  EXPECT_EQ(launch(buffer.data() + 6, buffer.data() + 4),
            "k.py:3:9: error: read of `other` races with a write by another block\n"
            "  index:    2\n"
            "  address:  ADDRESS, 4 bytes\n"
            "  at:       block (1, 0, 0), warp 0, lane 0\n"
            "  other:    write to `x` in line 4, block (0, 0, 0), warp 0, lane 0\n"
            "  hint:     read data of an earlier launch, or order the blocks by a release and an acquire atomic "
            "between them");
}

TEST(GlobalRaces, PointersOfUnknownOrigin) {
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>, %address: i64", .body = R"(
    %p = llvm.inttoptr %address : i64 to !llvm.ptr<1>
    %v = llvm.mlir.undef : f32
    lane.store %p, %v : !llvm.ptr<1>, f32 loc("k.py":4:5))"});
  std::vector<float> x(64);
  std::string text = textOf(
      kernel->launch({2, 1, 1}, {array("x", x, "float32"), scalar(reinterpret_cast<uint64_t>(x.data() + 5))}, {}));
  EXPECT_EQ(firstLine(text), "k.py:4:5: error: write to `x` races with a write by another block");
}

TEST(GlobalRaces, ABlockThatWaitsForOneThatFailedIsGivenUp) {
  // Block 1 leaves the array before it sets the flag that block 0 waits for.
  auto kernel = compile({.parameters = "%x: !llvm.ptr<1>", .body = R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %far = llvm.mlir.constant(100 : i32) : i32
    %p = llvm.getelementptr %x[%far] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %waits = llvm.icmp "eq" %block, %zero : i32
    llvm.cond_br %waits, ^wait, ^signal
  ^wait:
    %v = lane.atomic_rmw add acquire gpu, %x, %zero : !llvm.ptr<1>, i32
    %come = llvm.icmp "eq" %v, %one : i32
    llvm.cond_br %come, ^end, ^wait
  ^signal:
    lane.store %p, %one : !llvm.ptr<1>, i32 loc("k.py":4:5)
    %old = lane.atomic_rmw xchg release gpu, %x, %one : !llvm.ptr<1>, i32
    llvm.br ^end
  ^end:)"});
  std::vector<int32_t> x(8);
  EXPECT_EQ(firstLine(textOf(kernel->launch({2, 1, 1}, {array("x", x, "int32")}, {.threads = 2}))),
            "k.py:4:5: error: out-of-bounds write to `x`");
}

} // namespace
