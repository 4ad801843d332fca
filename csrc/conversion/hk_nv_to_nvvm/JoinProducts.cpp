//===- JoinProducts.cpp - One wide product for several of the same a ----------------------===//
//
// Tiles are powers of two wide, instructions any multiple of 8 columns. What is 192 columns wide in a kernel is several
// tiles, side by side in neighbouring slots of a ring, each with a product of its own:
//
//     %b0 = hk.memdesc_index %ring[%k * 3]            64 columns each
//     %b1 = hk.memdesc_index %ring[%k * 3 + 1]
//     %b2 = hk.memdesc_index %ring[%k * 3 + 2]
//     %d0 = hk_nv.warpgroup_mma %a, %b0, %c0
//     %d1 = hk_nv.warpgroup_mma %a, %b1, %c1
//     %d2 = hk_nv.warpgroup_mma %a, %b2, %c2
//     hk_nv.warpgroup_mma_wait {outstanding = 3}
//
// becomes one product, whose instructions have 192 columns and read a once instead of three times:
//
//     %d:3 = hk_nv.joined_warpgroup_mma %a, %b0, %c0, %c1, %c2
//     hk_nv.warpgroup_mma_wait {outstanding = 1}
//
// What is joined is one group. So the waits of the function count other groups than before: where each run of products
// made three groups, a wait that left three now leaves one. That is known only where all groups of the function come
// from runs of equally many; and a wait that left two would have to wait for all three, which may be what other work
// was to hide. Else products are left alone, unless they were one group before (a remark says so).
//
// Input:    hk, waits and barriers in place, workers as functions of their own. Output: the same.
// Joined:   products that follow each other in a block, of one a and one type of b and accumulators, that use what they
//           find in the accumulators alike, whose bs are views of neighbouring slots, alike as well: their indices are
//           a value and constants. A matrix descriptor must be able to say where these are.
// Not done: tiles of different widths (128 and 64).
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/JoinProducts.h"

#include "conversion/hk_nv_to_nvvm/SharedOperand.h"
#include "dialect/hk_nv/WgmmaSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace hocket {
namespace {

/// A slot of a ring, and the views of it that lead to an operand, the last one first.
struct ViewedSlot {
  hk::MemDescIndexOp slot;
  SmallVector<Operation *, 2> views;

  explicit ViewedSlot(Value operand) {
    while (auto view = operand.getDefiningOp<hk::MemDescView>()) {
      if ((slot = dyn_cast<hk::MemDescIndexOp>(*view)))
        return;
      views.push_back(view);
      operand = view->getOperand(0);
    }
  }
  bool isViewedAs(const ViewedSlot &other) const {
    return llvm::equal(views, other.views, [](Operation *one, Operation *two) {
      return one->getName() == two->getName() && one->getAttrDictionary() == two->getAttrDictionary() &&
             one->getResultTypes() == two->getResultTypes() &&
             llvm::equal(one->getOperands().drop_front(), two->getOperands().drop_front());
    });
  }
};

/// A value and a constant, of which an index is the sum; without a value, the constant alone.
struct SplitIndex {
  Value base;
  int64_t constant = 0;

  explicit SplitIndex(Value index) : base(index) {
    APInt number;
    while (auto sum = base.getDefiningOp<arith::AddIOp>()) {
      if (!matchPattern(sum.getRhs(), m_ConstantInt(&number)))
        return;
      constant += number.getSExtValue();
      base = sum.getLhs();
    }
    if (matchPattern(base, m_ConstantInt(&number))) {
      constant += number.getSExtValue();
      base = nullptr;
    }
  }
};

/// Is `second` what lies in the slot after that of `first`?
bool areNeighbours(Value first, Value second) {
  ViewedSlot one(first), two(second);
  if (!one.slot || !two.slot || one.slot.getSrc() != two.slot.getSrc() || !one.isViewedAs(two))
    return false;
  const SplitIndex at(one.slot.getIndex()), next(two.slot.getIndex());
  return at.base == next.base && at.constant + 1 == next.constant;
}

/// Products that are to be joined, in order; one that is alone, too.
class Run {
public:
  explicit Run(hk_nv::WarpgroupMmaOp first) : products{first} {}

  bool tryAdd(hk_nv::WarpgroupMmaOp next);
  bool gives(Operation *user) const {
    return llvm::any_of(user->getOperands(),
                        [&](Value operand) { return llvm::is_contained(products, operand.getDefiningOp()); });
  }
  size_t size() const { return products.size(); }
  /// That end in it now.
  unsigned numGroups() const {
    return llvm::count_if(products, [](hk_nv::WarpgroupMmaOp product) { return !product.getGroupGoesOn(); });
  }
  bool endsGroup() const { return !hk_nv::WarpgroupMmaOp(products.back()).getGroupGoesOn(); }
  /// Is none of its groups ended before its last product?
  bool isOfOneGroup() const { return numGroups() == (endsGroup() ? 1 : 0); }
  void join() const;
  Location getLoc() const { return products.front()->getLoc(); }

private:
  SmallVector<hk_nv::WarpgroupMmaOp> products;
};

bool Run::tryAdd(hk_nv::WarpgroupMmaOp next) {
  hk_nv::WarpgroupMmaOp first = products.front(), last = products.back();
  if (next.getA() != first.getA() || next.getUseAcc() != first.getUseAcc() ||
      next.getB().getType() != first.getB().getType() || next.getAcc().getType() != first.getAcc().getType() ||
      next.getUnsignedA() != first.getUnsignedA() || next.getUnsignedB() != first.getUnsignedB())
    return false;
  RankedTensorType acc = first.getAcc().getType();
  auto layout = cast<hk_nv::MmaAttr>(acc.getEncoding());
  WgmmaInstruction instruction = *hk_nv::wgmmaOf(first);
  int64_t slots = int64_t(products.size()) + 1;
  if (layout.getWarpsPerCta()[1] != 1 || instruction.n != acc.getShape()[1] ||
      !hasWgmmaColumns(instruction.sum, int(instruction.n * slots)) || !areNeighbours(last.getB(), next.getB()) ||
      !describeSlots(cast<hk::MemDescType>(first.getB().getType()), 1, instruction.n, slots))
    return false;
  products.push_back(next);
  return true;
}

void Run::join() const {
  hk_nv::WarpgroupMmaOp first = products.front(), last = products.back();
  SmallVector<Value> accs;
  for (hk_nv::WarpgroupMmaOp product : products)
    accs.push_back(product.getAcc());
  OpBuilder builder(last);
  auto joined =
      hk_nv::JoinedWarpgroupMmaOp::create(builder, first.getLoc(), first.getA(), first.getB(), accs, first.getUseAcc(),
                                          first.getUnsignedA(), first.getUnsignedB(), last.getGroupGoesOn());
  for (auto [product, result] : llvm::zip_equal(SmallVector(products), joined.getResults())) {
    product.getResult().replaceAllUsesWith(result);
    product->erase();
  }
}

void findRuns(Region &region, SmallVectorImpl<Run> &runs) {
  for (Block &block : region) {
    bool isOpen = false; // may the last run go on?
    for (Operation &op : block) {
      auto product = dyn_cast<hk_nv::WarpgroupMmaOp>(op);
      isOpen &= product || (isMemoryEffectFree(&op) && op.getNumRegions() == 0);
      isOpen = isOpen && !runs.back().gives(&op);
      if (product && !(isOpen && runs.back().tryAdd(product)))
        runs.emplace_back(product);
      isOpen |= bool(product);
      for (Region &inner : op.getRegions())
        findRuns(inner, runs);
    }
  }
}

/// Groups that each run of `runs` is, if they are all equally many, nothing else is in them, and all of `waits` are for
/// whole runs.
std::optional<unsigned> groupsOfEachRun(ArrayRef<Run> runs, ArrayRef<hk_nv::WarpgroupMmaWaitOp> waits) {
  unsigned groups = runs.front().numGroups();
  bool isUniform = llvm::all_of(runs, [&](const Run &run) { return run.numGroups() == groups && run.endsGroup(); });
  bool isForRuns = isUniform && llvm::all_of(waits, [&](hk_nv::WarpgroupMmaWaitOp wait) {
                     return wait.getOutstanding() % groups == 0;
                   });
  return isForRuns ? std::optional(groups) : std::nullopt;
}

void joinProducts(func::FuncOp function) {
  SmallVector<Run> runs;
  findRuns(function.getBody(), runs);
  if (llvm::all_of(runs, [](const Run &run) { return run.size() == 1; }))
    return;
  SmallVector<hk_nv::WarpgroupMmaWaitOp> waits;
  function.walk([&](hk_nv::WarpgroupMmaWaitOp wait) { waits.push_back(wait); });
  std::optional<unsigned> groups = groupsOfEachRun(runs, waits);
  if (groups)
    for (hk_nv::WarpgroupMmaWaitOp wait : waits)
      wait.setOutstanding(wait.getOutstanding() / *groups);
  for (const Run &run : runs) {
    if (run.size() > 1 && (groups || run.isOfOneGroup()))
      run.join();
    else if (run.size() > 1)
      emitRemark(run.getLoc()) << "these " << run.size()
                               << " products of one `a` stay apart, though instructions could "
                               << "do all at once: waits of the function are for some of them, or for other products";
  }
}

struct JoinProducts : PassWrapper<JoinProducts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JoinProducts)

  StringRef getArgument() const override { return "hocket-join-products"; }
  StringRef getDescription() const override { return "Make one wide product of several of the same a"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<hk_nv::HkNvDialect>(); }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      joinProducts(function);
  }
};

} // namespace

std::unique_ptr<Pass> createJoinProductsPass() { return std::make_unique<JoinProducts>(); }

} // namespace hocket
