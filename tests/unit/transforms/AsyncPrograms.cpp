//===- AsyncPrograms.cpp - Random programs with asynchronous copies, and runs of them ---------------===//
#include "AsyncPrograms.h"
#include "LoopPrograms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <deque>

using namespace mlir;

namespace hocket {

// Programs ------------------------------------------------------------------------------------------------------------

namespace {
class Writer : LoopWriter {
public:
  Writer(std::mt19937 &random, AsyncProgramOptions options)
      : LoopWriter(random, options.isDeep, options.isRelated), options(options) {}

  std::string write() {
    text = R"(
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
!ring = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @program(%p: !ptrs, %n: i32, %c: i1, %d: i1, %e: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  %ring = hk.local_alloc : () -> !ring
)";
    writeBlock(0, {});
    text += "  return\n}\n}\n";
    return std::move(text);
  }

private:
  /// `counters`: of the innermost loop; empty outside of loops.
  void writeBlock(int depth, const Names &counters) {
    for (int length = 1 + draw(4); length > 0; --length)
      writeStatement(depth, counters);
  }

  void writeStatement(int depth, const Names &counters) {
    int kind = draw(options.isExplicit ? 10 : 7);
    bool mayLoop = depth < 2 && (counters.empty() || options.isDeep) && (!hasLoop || options.isDeep);
    if (kind < 3)
      line("hk.async_copy_to_shared %p, " + tile(counters) + " : !ptrs -> !smem");
    else if (kind < 5 || (kind < 7 && depth == 2))
      line(fresh() + " = hk.local_load " + tile(counters) + " : !smem -> !tile");
    else if (kind == 5 && mayLoop)
      writeLoop(depth);
    else if (kind < 7)
      writeIf(depth, counters);
    else if (kind < 9)
      line("hk.async_commit_group");
    else
      line("hk.async_wait_group {outstanding = " + std::to_string(draw(3)) + " : i32}");
  }

  void writeLoop(int depth) {
    Names none;
    LoopWriter::writeLoop(none, "", [&](const Names &counters, Names &) { writeBlock(depth + 1, counters); });
  }

  void writeIf(int depth, const Names &counters) {
    line("scf.if " + condition() + " {");
    writeBlock(depth + 1, counters);
    if (draw(2)) {
      line("} else {");
      writeBlock(depth + 1, counters);
    }
    line("}");
  }

  AsyncProgramOptions options;
};
} // namespace

std::string randomAsyncProgram(std::mt19937 &random, AsyncProgramOptions options) {
  return Writer(random, options).write();
}

// Runs ----------------------------------------------------------------------------------------------------------------

namespace {
class Run : LoopRun {
public:
  Run(Block &function, unsigned seed, OtherWait other) : LoopRun(seed), other(other) { runBlock(function); }
  bool isUnsafe() const { return unsafe; }

private:
  void runBlock(Block &block) {
    for (Operation &op : block)
      runOp(op);
  }

  void runOp(Operation &op) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (choose(branch))
        runBlock(*branch.thenBlock());
      else if (branch.elseBlock())
        runBlock(*branch.elseBlock());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (unsigned trips = chooseTrips(), trip = 0; trip < trips; ++trip) {
        setNumber(loop.getInductionVar(), trip);
        runBlock(*loop.getBody());
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      runWhile(loop);
    } else if (auto copy = dyn_cast<hk::AsyncCopyToSharedOp>(op)) {
      touch(copy.getDst());
      uncommitted.push_back(tileOf(copy.getDst()));
    } else if (isa<hk::AsyncCommitGroupOp>(op)) {
      groups.push_back(std::move(uncommitted));
      uncommitted.clear();
    } else if (auto wait = dyn_cast<hk::AsyncWaitGroupOp>(op)) {
      std::optional<unsigned> left = &op == other.op ? other.outstanding : wait.getOutstanding();
      while (left && groups.size() > *left)
        groups.pop_front();
    } else if (auto load = dyn_cast<hk::LocalLoadOp>(op)) {
      touch(load.getSrc());
    } else if (isa<func::ReturnOp>(op)) {
      unsafe |= !uncommitted.empty() || llvm::any_of(groups, [](const auto &group) { return !group.empty(); });
    }
  }

  void runWhile(scf::WhileOp loop) {
    bindNumbers(loop.getBeforeArguments(), loop.getInits());
    for (unsigned trips = chooseTrips();; --trips) {
      runBlock(*loop.getBeforeBody());
      ValueRange passed = loop.getConditionOp().getArgs();
      if (!trips)
        return bindNumbers(loop.getResults(), passed);
      bindNumbers(loop.getAfterArguments(), passed);
      runBlock(*loop.getAfterBody());
      bindNumbers(loop.getBeforeArguments(), loop.getYieldedValues());
    }
  }

  void touch(Value handle) {
    Tile tile = tileOf(handle);
    unsafe |= llvm::is_contained(uncommitted, tile);
    for (const std::vector<Tile> &group : groups)
      unsafe |= llvm::is_contained(group, tile);
  }

  OtherWait other;
  std::vector<Tile> uncommitted;
  std::deque<std::vector<Tile>> groups;
  bool unsafe = false;
};
} // namespace

bool isUnsafeInSomeRun(Block &function, int count, OtherWait other) {
  for (int seed = 0; seed < count; ++seed)
    if (Run(function, seed, other).isUnsafe())
      return true;
  return false;
}

} // namespace hocket
