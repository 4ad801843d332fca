//===- ProductPrograms.cpp - Random programs with products of warpgroups, and runs of them ----------===//
#include "ProductPrograms.h"

#include "dialect/hk_nv/HkNvDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>
#include <deque>

using namespace mlir;

namespace hocket {

// Programs ------------------------------------------------------------------------------------------------------------

namespace {
constexpr int kSlots = 4;

/// Names of the two accumulators.
using Accs = std::array<std::string, 2>;

class Writer {
public:
  Writer(std::mt19937 &random, AsyncProgramOptions options) : random(random), options(options) {}

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
func.func @program(%p: !ptrs, %x: !half, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : !acc
  %a = hk.local_alloc : () -> !smem
  %b = hk.local_alloc : () -> !smem
  %ring = hk.local_alloc : () -> !ring
)";
    Accs accs = {"%zero", "%zero"};
    writeBlock(0, "", accs, /*isBranch=*/false);
    text += "  return\n}\n}\n";
    return std::move(text);
  }

private:
  int draw(int below) { return random() % below; }
  std::string fresh() { return "%v" + std::to_string(count++); }
  void line(const std::string &what) { text += "  " + what + "\n"; }

  void writeBlock(int depth, const std::string &variable, Accs &accs, bool isBranch) {
    for (int length = 1 + draw(5); length > 0; --length)
      writeStatement(depth, variable, accs, isBranch);
  }

  void writeStatement(int depth, const std::string &variable, Accs &accs, bool isBranch) {
    int kind = draw(options.isExplicit ? 11 : 9);
    bool mayLoop = depth < 2 && (variable.empty() || options.isDeep) && (!hasLoop || options.isDeep) && !isBranch;
    if (kind < 3)
      writeProduct(variable, accs, isBranch);
    else if (kind == 3)
      line("hk.local_store %x, " + tile(variable) + " : !half -> !smem");
    else if (kind < 6 || depth == 2)
      line("hk.store %p, " + accs[draw(2)] + " : !ptrs, !acc");
    else if (kind < 8 && mayLoop)
      writeLoop(depth, accs);
    else if (kind < 9)
      writeIf(depth, variable, accs);
    else
      line("hk_nv.warpgroup_mma_wait {outstanding = " + std::to_string(draw(3)) + " : i32}");
  }

  /// In a branch only in place of the accumulator: whatever the branches leave is in the same registers.
  void writeProduct(const std::string &variable, Accs &accs, bool isBranch) {
    int which = draw(2);
    std::string left = tile(variable), right = tile(variable), result = fresh();
    std::string acc = isBranch || draw(2) ? accs[which] : "%zero";
    line(result + " = hk_nv.warpgroup_mma " + left + ", " + right + ", " + acc + " : !smem, !smem -> !acc");
    accs[which] = result;
  }

  void writeLoop(int depth, Accs &accs) {
    std::string variable = fresh(), results = fresh();
    Accs inside = {fresh(), fresh()};
    line(results + ":2 = scf.for " + variable + " = %c0 to %n step %c1 iter_args(" + inside[0] + " = " + accs[0] +
         ", " + inside[1] + " = " + accs[1] + ") -> (!acc, !acc) : i32 {");
    writeBlock(depth + 1, variable, inside, /*isBranch=*/false);
    line("scf.yield " + inside[0] + ", " + inside[1] + " : !acc, !acc\n}");
    accs = {results + "#0", results + "#1"};
    hasLoop = true;
  }

  void writeIf(int depth, const std::string &variable, Accs &accs) {
    std::string results = fresh();
    line(results + ":2 = scf.if %c -> (!acc, !acc) {");
    for (bool isElse : {false, true}) {
      Accs inside = accs;
      if (!isElse || draw(2))
        writeBlock(depth + 1, variable, inside, /*isBranch=*/true);
      line("scf.yield " + inside[0] + ", " + inside[1] + " : !acc, !acc\n}" + (isElse ? "" : " else {"));
    }
    accs = {results + "#0", results + "#1"};
  }

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

std::string randomProductProgram(std::mt19937 &random, AsyncProgramOptions options) {
  return Writer(random, options).write();
}

// Runs ----------------------------------------------------------------------------------------------------------------

namespace {
class Run {
public:
  Run(Block &function, unsigned seed, bool givenBack, OtherWait other)
      : random(seed), givenBack(givenBack), other(other) {
    runBlock(function);
  }
  bool isUnsafe() const { return unsafe; }

private:
  using Tile = std::pair<Operation *, int64_t>;
  struct Product {
    int number;
    std::array<Tile, 2> tiles;
  };
  /// What a value names: the last product in its registers (0: none), and whether a wait has given it back, finished.
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
      for (unsigned trips = random() % 7, trip = 0; trip < trips; ++trip) {
        numbers[loop.getInductionVar()] = trip;
        bind(loop.getRegionIterArgs(), carried);
        runBlock(*loop.getBody());
        carried = accsOf(loop.getYieldedValues());
      }
      bind(loop.getResults(), carried);
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

  /// Some branches are always taken, some never.
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

  std::mt19937 random;
  bool givenBack;
  OtherWait other;
  llvm::DenseMap<Operation *, unsigned> habits;
  llvm::DenseMap<Value, int64_t> numbers;
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
