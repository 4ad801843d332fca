//===- ProductPrograms.cpp - Random programs with wgmma, and runs of them ---------------------------===//
#include "ProductPrograms.h"
#include "LoopPrograms.h"

#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>
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
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
!acc = tensor<64x64xf32, #wgmma>
!half = tensor<64x64xf16, #wgmma>
!ptrs = tensor<64x64x!hk.ptr<f32>, #wgmma>
!smem = !hk.memdesc<64x64xf16, #shared>
!ring = !hk.memdesc<4x64x64xf16, #shared>
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {
func.func @program(%p: !ptrs, %x: !half, %n: i32, %c: i1, %d: i1, %e: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : !acc
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  %ring = hk.local_alloc : () -> !ring
)";
    Names accs = {"%zero", "%zero"};
    writeBlock(0, {}, accs, /*isBranch=*/false);
    text += "  return\n}\n}\n";
    return std::move(text);
  }

private:
  /// `counters`: of the innermost loop. `accs`: the two accumulators.
  void writeBlock(int depth, const Names &counters, Names &accs, bool isBranch) {
    for (int length = 1 + draw(5); length > 0; --length)
      writeStatement(depth, counters, accs, isBranch);
  }

  void writeStatement(int depth, const Names &counters, Names &accs, bool isBranch) {
    int kind = draw(options.isExplicit ? 11 : 9);
    bool mayLoop = depth < 2 && (counters.empty() || options.isDeep) && (!hasLoop || options.isDeep) && !isBranch;
    if (kind < 3)
      writeProduct(counters, accs, isBranch);
    else if (kind == 3)
      line("hk.local_store %x, " + tile(counters) + " : !half -> !smem");
    else if (kind < 6 || depth == 2)
      line("hk.store %p, " + accs[draw(2)] + " : !ptrs, !acc");
    else if (kind < 8 && mayLoop)
      writeLoop(depth, accs);
    else if (kind < 9)
      writeIf(depth, counters, accs);
    else
      line("hk_nv.warpgroup_mma_wait {outstanding = " + std::to_string(draw(3)) + " : i32}");
  }

  /// In a branch, the wgmma always adds to an accumulator, because the results of both branches are in the same
  /// registers.
  void writeProduct(const Names &counters, Names &accs, bool isBranch) {
    int which = draw(2);
    std::string left = tile(counters), right = tile(counters), result = fresh();
    std::string acc = isBranch || draw(2) ? accs[which] : "%zero";
    line(result + " = hk_nv.warpgroup_mma " + left + ", " + right + ", " + acc + " : !smem, !smem -> !acc");
    accs[which] = result;
  }

  void writeLoop(int depth, Names &accs) {
    LoopWriter::writeLoop(accs, "!acc", [&](const Names &counters, Names &inside) {
      writeBlock(depth + 1, counters, inside, /*isBranch=*/false);
    });
  }

  void writeIf(int depth, const Names &counters, Names &accs) {
    std::string results = fresh();
    line(results + ":2 = scf.if " + condition() + " -> (!acc, !acc) {");
    for (bool isElse : {false, true}) {
      Names inside = accs;
      if (!isElse || draw(2))
        writeBlock(depth + 1, counters, inside, /*isBranch=*/true);
      line("scf.yield " + inside[0] + ", " + inside[1] + " : !acc, !acc\n}" + (isElse ? "" : " else {"));
    }
    accs = {results + "#0", results + "#1"};
  }

  AsyncProgramOptions options;
};
} // namespace

std::string randomProductProgram(std::mt19937 &random, AsyncProgramOptions options) {
  return Writer(random, options).write();
}

// Runs ----------------------------------------------------------------------------------------------------------------

namespace {
class Run : LoopRun {
public:
  Run(Block &function, unsigned seed, bool givenBack, OtherWait other)
      : LoopRun(seed), givenBack(givenBack), other(other) {
    runBlock(function);
  }
  bool isUnsafe() const { return unsafe; }

private:
  struct Product {
    int number;
    std::array<Tile, 2> tiles;
  };
  /// The state of an accumulator: the last wgmma in its registers (0: none), and whether a wait has returned it
  /// complete.
  struct Acc {
    int product = 0;
    bool isGivenBack = false;
  };

  void runBlock(Block &block) {
    for (Operation &op : block)
      runOp(op);
  }

  void bind(ValueRange values, const SmallVector<Acc> &accs) {
    for (auto [value, acc] : llvm::zip(values, accs))
      names[value] = acc;
  }
  SmallVector<Acc> accsOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return names.lookup(value); });
  }

  void runOp(Operation &op) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Block &taken = choose(branch) ? *branch.thenBlock() : *branch.elseBlock();
      runBlock(taken);
      bind(branch.getResults(), accsOf(taken.getTerminator()->getOperands()));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      SmallVector<Acc> carried = accsOf(loop.getInits());
      for (unsigned trips = chooseTrips(), trip = 0; trip < trips; ++trip) {
        setNumber(loop.getInductionVar(), trip);
        bind(loop.getRegionIterArgs(), carried);
        runBlock(*loop.getBody());
        carried = accsOf(loop.getYieldedValues());
      }
      bind(loop.getResults(), carried);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      runWhile(loop);
    } else if (auto product = dyn_cast<hk_nv::WarpgroupMmaOp>(op)) {
      open.push_back({++lastProduct, {tileOf(product.getA()), tileOf(product.getB())}});
      names[product.getResult()] = {lastProduct, false};
      if (!product.getGroupGoesOn())
        groups.push_back(std::exchange(open, {}));
    } else if (auto wait = dyn_cast<hk_nv::WarpgroupMmaWaitOp>(op)) {
      std::optional<unsigned> left = &op == other.op ? other.outstanding : wait.getOutstanding();
      while (left && groups.size() > *left)
        groups.pop_front();
      giveBack(op);
    } else if (isa<hk_nv::WarpgroupMmaFinishedOp>(op)) {
      giveBack(op);
    } else if (auto store = dyn_cast<hk::LocalStoreOp>(op)) {
      forEachInFlight(
          [&](const Product &product) { unsafe |= llvm::is_contained(product.tiles, tileOf(store.getDst())); });
    } else if (isa<hk::StoreOp>(op)) {
      for (Value operand : op.getOperands())
        if (Acc acc = names.lookup(operand); acc.product)
          unsafe |= isInFlight(acc.product) || (givenBack && !acc.isGivenBack);
    } else if (isa<func::ReturnOp>(op)) {
      unsafe |= !open.empty();
      forEachInFlight([&](const Product &) { unsafe = true; });
    }
  }

  void giveBack(Operation &op) {
    for (auto [result, operand] : llvm::zip(op.getResults(), op.getOperands())) {
      Acc acc = names.lookup(operand);
      names[result] = {acc.product, !isInFlight(acc.product)};
    }
  }

  template <typename Function>
  void forEachInFlight(Function function) {
    for (const Product &product : open)
      function(product);
    for (const std::vector<Product> &group : groups)
      for (const Product &product : group)
        function(product);
  }

  bool isInFlight(int number) {
    bool isThere = false;
    forEachInFlight([&](const Product &product) { isThere |= product.number == number; });
    return isThere;
  }

  void runWhile(scf::WhileOp loop) {
    pass(loop.getBeforeArguments(), loop.getInits());
    for (unsigned trips = chooseTrips();; --trips) {
      runBlock(*loop.getBeforeBody());
      ValueRange passed = loop.getConditionOp().getArgs();
      if (!trips)
        return pass(loop.getResults(), passed);
      pass(loop.getAfterArguments(), passed);
      runBlock(*loop.getAfterBody());
      pass(loop.getBeforeArguments(), loop.getYieldedValues());
    }
  }

  void pass(ValueRange values, ValueRange sources) {
    bindNumbers(values, sources);
    bind(values, accsOf(sources));
  }

  bool givenBack;
  OtherWait other;
  llvm::DenseMap<Value, Acc> names;
  std::vector<Product> open;
  std::deque<std::vector<Product>> groups;
  int lastProduct = 0;
  bool unsafe = false;
};
} // namespace

bool isProductUnsafeInSomeRun(Block &function, int count, bool givenBack, OtherWait other) {
  for (int seed = 0; seed < count; ++seed)
    if (Run(function, seed, givenBack, other).isUnsafe())
      return true;
  return false;
}

} // namespace hocket
