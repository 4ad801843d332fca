//===- AsyncPrograms.cpp - Random programs with asynchronous copies, and runs of them ---------------===//
#include "AsyncPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <deque>

using namespace mlir;

namespace hocket {

// Programs ------------------------------------------------------------------------------------------------------------

namespace {
constexpr int kSlots = 4;

class Writer {
public:
  Writer(std::mt19937 &random, AsyncProgramOptions options) : random(random), options(options) {}

  std::string write() {
    text = R"(
#blocked = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = tensor<512xf32, #blocked>
!ptrs = tensor<512x!hk.ptr<f32>, #blocked>
!smem = !hk.memdesc<512xf32, #shared>
!ring = !hk.memdesc<4x512xf32, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @program(%p: !ptrs, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  %ring = hk.local_alloc : () -> !ring
)";
    writeBlock(0, "");
    text += "  return\n}\n}\n";
    return std::move(text);
  }

private:
  int draw(int below) { return random() % below; }
  std::string fresh() { return "%v" + std::to_string(count++); }
  void line(const std::string &what) { text += "  " + what + "\n"; }

  /// `variable`: of the innermost loop; empty outside.
  void writeBlock(int depth, const std::string &variable) {
    for (int length = 1 + draw(4); length > 0; --length)
      writeStatement(depth, variable);
  }

  void writeStatement(int depth, const std::string &variable) {
    int kind = draw(options.isExplicit ? 10 : 7);
    bool mayLoop = depth < 2 && (variable.empty() || options.isDeep) && (!hasLoop || options.isDeep);
    if (kind < 3)
      line("hk.async_copy_to_shared %p, " + tile(variable) + " : !ptrs -> !smem");
    else if (kind < 5 || (kind < 7 && depth == 2))
      line(fresh() + " = hk.local_load " + tile(variable) + " : !smem -> !tile");
    else if (kind == 5 && mayLoop)
      writeLoop(depth);
    else if (kind < 7)
      writeIf(depth, variable);
    else if (kind < 9)
      line("hk.async_commit_group");
    else
      line("hk.async_wait_group {outstanding = " + std::to_string(draw(3)) + " : i32}");
  }

  void writeLoop(int depth) {
    std::string variable = fresh();
    line("scf.for " + variable + " = %c0 to %n step %c1 : i32 {");
    writeBlock(depth + 1, variable);
    line("}");
    hasLoop = true;
  }

  void writeIf(int depth, const std::string &variable) {
    line("scf.if %c {");
    writeBlock(depth + 1, variable);
    if (draw(2)) {
      line("} else {");
      writeBlock(depth + 1, variable);
    }
    line("}");
  }

  /// A handle. After a loop only tiles, unless programs are deep.
  std::string tile(const std::string &variable) {
    int which = draw(5);
    if (which < 2 || (hasLoop && variable.empty() && !options.isDeep))
      return which % 2 ? "%a" : "%b";
    std::string index = "%c" + std::to_string(draw(kSlots)), sum = fresh(), slot = fresh();
    if (!variable.empty()) {
      line(sum + " = arith.addi " + variable + ", " + index + " : i32");
      index = fresh();
      line(index + " = arith.remsi " + sum + ", %c4 : i32");
    }
    line(slot + " = hk.memdesc_index %ring[" + index + "] : !ring -> !smem");
    return slot;
  }

  std::mt19937 &random;
  AsyncProgramOptions options;
  std::string text;
  int count = 0;
  bool hasLoop = false;
};
} // namespace

std::string randomAsyncProgram(std::mt19937 &random, AsyncProgramOptions options) {
  return Writer(random, options).write();
}

// Runs ----------------------------------------------------------------------------------------------------------------

namespace {
class Run {
public:
  Run(Block &function, unsigned seed, OtherWait other) : random(seed), other(other) { runBlock(function); }
  bool isUnsafe() const { return unsafe; }

private:
  /// A tile: the buffer and the slot.
  using Tile = std::pair<Operation *, int64_t>;

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
      for (unsigned trips = random() % 7, trip = 0; trip < trips; ++trip) {
        numbers[loop.getInductionVar()] = trip;
        runBlock(*loop.getBody());
      }
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

  /// Some branches are always taken, some never: otherwise long runs of one choice would be rare.
  bool choose(scf::IfOp branch) {
    unsigned habit = habits.try_emplace(branch, random() % 4).first->second;
    return habit == 0 || (habit > 1 && random() & 1);
  }

  int64_t numberOf(Value value) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      return cast<IntegerAttr>(constant.getValue()).getInt();
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      return numberOf(sum.getLhs()) + numberOf(sum.getRhs());
    if (auto remainder = value.getDefiningOp<arith::RemSIOp>())
      return numberOf(remainder.getLhs()) % numberOf(remainder.getRhs());
    return numbers.at(value);
  }

  Tile tileOf(Value handle) {
    if (auto slot = handle.getDefiningOp<hk::MemDescIndexOp>())
      return {slot.getSrc().getDefiningOp(), numberOf(slot.getIndex())};
    return {handle.getDefiningOp(), 0};
  }

  void touch(Value handle) {
    Tile tile = tileOf(handle);
    unsafe |= llvm::is_contained(uncommitted, tile);
    for (const std::vector<Tile> &group : groups)
      unsafe |= llvm::is_contained(group, tile);
  }

  std::mt19937 random;
  OtherWait other;
  llvm::DenseMap<Operation *, unsigned> habits;
  llvm::DenseMap<Value, int64_t> numbers;
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
