//===- InsertBarriersTest.cpp - The barriers inserted into random kernels suffice ----===//
//
// Each inserted barrier is also necessary. The tests check this by running the kernels.
//
//===------------------------------------------------------------------------------===//
#include "RandomKernel.h"

#include "dialect/hk/facts/Scratch.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace hocket;

namespace {
/// One access: bytes of shared memory, and its kind.
struct Access {
  int64_t begin, end;
  bool writes;
  bool isCopy = false;
  bool isRelaxed = false;
  /// Any two accesses with a write are hazards, except two stores of the same bytes, which the same lanes make.
  bool isHazardWith(const Access &other) const {
    bool sameLanes = writes && other.writes && begin == other.begin && !isCopy && !other.isCopy;
    return begin < other.end && other.begin < end && (writes || other.writes) && !sameLanes;
  }
};

/// A copy without a wait so far.
struct Copy {
  Access access;
  unsigned commitsSince = 0;
};

/// Runs a kernel with random branches and trip counts, and reports accesses without a barrier in between. The writes of
/// a copy count as accesses from the wait on that covers the copy. Earlier conflicts are mistakes of the kernel, not
/// missing barriers.
class Run {
public:
  Run(Block &kernel, unsigned seed, Operation *ignored) : random(seed), ignored(ignored) { runBlock(kernel); }
  bool hasRace() const { return race; }

private:
  bool flip() { return random() & 1; }

  void runBlock(Block &block) {
    for (Operation &op : block)
      runOp(op);
  }

  void runOp(Operation &op) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (flip())
        runBlock(*branch.thenBlock());
      else if (branch.elseBlock())
        runBlock(*branch.elseBlock());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (unsigned trips = random() % 6, trip = 0; trip < trips; ++trip) {
        variables[loop.getInductionVar()] = trip;
        runBlock(*loop.getBody());
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (unsigned trips = random() % 6, trip = 0; trip <= trips; ++trip) {
        variables[loop.getBeforeArguments()[0]] = variables[loop.getAfterArguments()[0]] = trip;
        runBlock(*loop.getBeforeBody());
        if (trip < trips)
          runBlock(*loop.getAfterBody());
      }
    } else if (isa<hk::BarrierOp>(op)) {
      if (&op != ignored)
        pending.clear();
    } else if (auto load = dyn_cast<hk::LocalLoadOp>(op)) {
      access(load.getSrc(), false, load.getRelaxed());
    } else if (isa<hk::AsyncAccess>(op)) {
      auto isTile = [](Value operand) { return isa<hk::MemDescType>(operand.getType()); };
      Access write = placeOf(*llvm::find_if(op.getOperands(), isTile), true);
      write.isCopy = true;
      check(write);
      inFlight.push_back({write});
    } else if (isa<hk::AsyncCommitGroupOp>(op)) {
      for (Copy &copy : inFlight)
        ++copy.commitsSince;
    } else if (auto wait = dyn_cast<hk::AsyncWaitGroupOp>(op)) {
      auto isCovered = [&](const Copy &copy) { return copy.commitsSince > wait.getOutstanding(); };
      for (const Copy &copy : inFlight)
        if (isCovered(copy))
          pending.push_back(copy.access);
      llvm::erase_if(inFlight, isCovered);
    } else if (auto store = dyn_cast<hk::LocalStoreOp>(op)) {
      access(store.getDst(), true);
    } else if (auto alloc = dyn_cast<hk::LocalAllocOp>(op); alloc && alloc.getSrc()) {
      access(alloc.getResult(), true);
    }
  }

  int64_t evaluate(Value value) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      return cast<IntegerAttr>(constant.getValue()).getInt();
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      return evaluate(sum.getLhs()) + evaluate(sum.getRhs());
    if (auto remainder = value.getDefiningOp<arith::RemSIOp>())
      return evaluate(remainder.getLhs()) % evaluate(remainder.getRhs());
    return variables.at(value);
  }

  Access placeOf(Value handle, bool writes) {
    int64_t offset = 0, bytes = cast<hk::MemDescType>(handle.getType()).getAllocBytes();
    if (auto index = handle.getDefiningOp<hk::MemDescIndexOp>()) {
      offset = bytes * evaluate(index.getIndex());
      handle = index.getSrc();
    }
    offset += *hk::offsetOf(handle.getDefiningOp());
    return {offset, offset + bytes, writes};
  }

  void check(const Access &now) {
    for (const Access &before : pending)
      race |= before.isHazardWith(now) && (before.isCopy || !now.isRelaxed);
  }

  void access(Value handle, bool writes, bool isRelaxed = false) {
    Access now = placeOf(handle, writes);
    now.isRelaxed = isRelaxed;
    check(now);
    pending.push_back(now);
  }

  std::mt19937 random;
  Operation *ignored;
  llvm::DenseMap<Value, int64_t> variables;
  std::vector<Access> pending;
  std::vector<Copy> inFlight;
  bool race = false;
};
} // namespace

static bool racesInSomeRun(Block &kernel, Operation *ignored, int runs) {
  for (int seed = 0; seed < runs; ++seed)
    if (Run(kernel, seed, ignored).hasRace())
      return true;
  return false;
}

/// Returns the text of the module with `barrier` marked.
static std::string textWithout(ModuleOp module, hk::BarrierOp barrier) {
  barrier->setAttr("not_needed", UnitAttr::get(module.getContext()));
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

static constexpr char kPasses[] = "hocket-allocate-memory,hocket-insert-barriers";

TEST(InsertBarriers, RandomKernelsHaveNoRaces) {
  auto context = makeTileContext();
  std::mt19937 random(20);
  for (int round = 0, rounds = roundsOf(1200); round < rounds; ++round) {
    std::string text = randomKernel(random, round % 2, round % 4 > 1, round % 3 == 2);
    auto module = compile(*context, text, kPasses);
    ASSERT_TRUE(module) << text;
    Block &kernel = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    ASSERT_FALSE(racesInSomeRun(kernel, nullptr, 40)) << text;
  }
}

TEST(InsertBarriers, EachBarrierIsNeeded) {
  auto context = makeTileContext();
  std::mt19937 random(21);
  int barriers = 0;
  for (int round = 0; round < 800; ++round) {
    std::string text = randomKernel(random, round % 2, round % 4 > 1);
    auto module = compile(*context, text, kPasses);
    ASSERT_TRUE(module) << text;
    Block &kernel = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    kernel.walk([&](hk::BarrierOp barrier) {
      barriers += barrier.getLocal();
      if (barrier.getLocal())
        EXPECT_TRUE(racesInSomeRun(kernel, barrier, 3000)) << textWithout(*module, barrier);
    });
  }
  EXPECT_GT(barriers, 300) << "the random kernels are too tame";
}
