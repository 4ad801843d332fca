//===- FuseWgmma.cpp - Fuses adjacent wgmmas that share operand A ----------------------===//
//
// The widths of tiles are powers of two, while a wgmma instruction can have any multiple of 8 columns. A kernel
// therefore splits, for example, 192 columns into three tiles, in consecutive slots of a ring buffer, and has one
// wgmma for each tile:
//
//     %b0 = hk.memdesc_index %ring[%k * 3]            64 columns each
//     %b1 = hk.memdesc_index %ring[%k * 3 + 1]
//     %b2 = hk.memdesc_index %ring[%k * 3 + 2]
//     %d0 = hk_nv.warpgroup_mma %a, %b0, %c0
//     %d1 = hk_nv.warpgroup_mma %a, %b1, %c1
//     %d2 = hk_nv.warpgroup_mma %a, %b2, %c2
//     hk_nv.warpgroup_mma_wait {outstanding = 3}
//
// The pass fuses the three wgmmas. The instructions of the fused wgmma have 192 columns, and read A once instead of
// three times:
//
//     %d:3 = hk_nv.fused_warpgroup_mma %a, %b0, %c0, %c1, %c2
//     hk_nv.warpgroup_mma_wait {outstanding = 1}
//
// A *run* is a sequence of wgmmas that can be fused. The fused wgmma is one commit group, so the waits of the function
// must be renumbered. For example, if each run consists of three commit groups, a wait that leaves three groups in
// flight becomes a wait that leaves one group. Renumbering requires that all runs of the function consist of the same
// number of commit groups. No wait may leave only a part of a run in flight: after fusion, the wait would wait for the
// whole run, although the kernel possibly overlaps the run with other work. If renumbering is not possible, the pass
// fuses only runs within one commit group, and emits a remark for the other runs.
//
// Input:    hk, waits and barriers in place, workers as functions of their own. Output: hk.
// Fused:    consecutive wgmmas in a basic block with the same A, use_acc, and types of B and accumulators. The operands
//           B of fused wgmmas must be equal views of consecutive slots, whose indices are one value plus constants. One
//           matrix descriptor must be able to address all of the slots.
// Not done: tiles of different widths (128 and 64).
//
//===----------------------------------------------------------------------------------------===//
#include "dialect/hk_nv/SlotMatrix.h"
#include "dialect/hk_nv/WgmmaSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "transforms/nvidia/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_FUSEWGMMA
#include "transforms/nvidia/Passes.h.inc"

namespace {

/// A slot of a ring buffer, and the views that lead from the slot to an operand, the last view first.
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

/// An index as a value plus a constant. The value is null if the index is constant.
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

/// True if `second` is the same view as `first`, but of the next slot.
bool areNeighbors(Value first, Value second) {
  ViewedSlot one(first), two(second);
  if (!one.slot || !two.slot || one.slot.getSrc() != two.slot.getSrc() || !one.isViewedAs(two))
    return false;
  const SplitIndex at(one.slot.getIndex()), next(two.slot.getIndex());
  return at.base == next.base && at.constant + 1 == next.constant;
}

/// Consecutive wgmmas that can be fused, or a single wgmma.
class Run {
public:
  explicit Run(hk_nv::WarpgroupMmaOp first) : wgmmas{first} {}

  bool tryAdd(hk_nv::WarpgroupMmaOp next);
  bool gives(Operation *user) const {
    return llvm::any_of(user->getOperands(),
                        [&](Value operand) { return llvm::is_contained(wgmmas, operand.getDefiningOp()); });
  }
  size_t size() const { return wgmmas.size(); }
  /// Returns the number of commit groups that end with a wgmma of this run.
  unsigned numGroups() const {
    return llvm::count_if(wgmmas, [](hk_nv::WarpgroupMmaOp wgmma) { return !wgmma.getGroupGoesOn(); });
  }
  bool endsGroup() const { return !hk_nv::WarpgroupMmaOp(wgmmas.back()).getGroupGoesOn(); }
  /// True if all wgmmas of the run are in one commit group.
  bool isOfOneGroup() const { return numGroups() == (endsGroup() ? 1 : 0); }
  void fuse() const;
  Location getLoc() const { return wgmmas.front()->getLoc(); }

private:
  SmallVector<hk_nv::WarpgroupMmaOp> wgmmas;
};

bool Run::tryAdd(hk_nv::WarpgroupMmaOp next) {
  hk_nv::WarpgroupMmaOp first = wgmmas.front(), last = wgmmas.back();
  if (next.getA() != first.getA() || next.getUseAcc() != first.getUseAcc() ||
      next.getB().getType() != first.getB().getType() || next.getAcc().getType() != first.getAcc().getType() ||
      next.getUnsignedA() != first.getUnsignedA() || next.getUnsignedB() != first.getUnsignedB())
    return false;
  RankedTensorType acc = first.getAcc().getType();
  auto layout = cast<hk_nv::MmaAttr>(acc.getEncoding());
  WgmmaInstruction instruction = *hk_nv::wgmmaOf(first);
  int64_t slots = int64_t(wgmmas.size()) + 1;
  if (layout.getWarpsPerCta()[1] != 1 || instruction.n != acc.getShape()[1] ||
      !hasWgmmaColumns(instruction.sum, int(instruction.n * slots)) || !areNeighbors(last.getB(), next.getB()) ||
      !describeSlots(cast<hk::MemDescType>(first.getB().getType()), 1, instruction.n, slots))
    return false;
  wgmmas.push_back(next);
  return true;
}

void Run::fuse() const {
  hk_nv::WarpgroupMmaOp first = wgmmas.front(), last = wgmmas.back();
  SmallVector<Value> accs;
  for (hk_nv::WarpgroupMmaOp wgmma : wgmmas)
    accs.push_back(wgmma.getAcc());
  OpBuilder builder(last);
  auto fused =
      hk_nv::FusedWarpgroupMmaOp::create(builder, first.getLoc(), first.getA(), first.getB(), accs, first.getUseAcc(),
                                         first.getUnsignedA(), first.getUnsignedB(), last.getGroupGoesOn());
  for (auto [wgmma, result] : llvm::zip_equal(SmallVector(wgmmas), fused.getResults())) {
    wgmma.getResult().replaceAllUsesWith(result);
    wgmma->erase();
  }
}

void findRuns(Region &region, SmallVectorImpl<Run> &runs) {
  for (Block &block : region) {
    bool isOpen = false; // true if the next wgmma can possibly be added to the last run
    for (Operation &op : block) {
      auto wgmma = dyn_cast<hk_nv::WarpgroupMmaOp>(op);
      isOpen &= wgmma || (isMemoryEffectFree(&op) && op.getNumRegions() == 0);
      isOpen = isOpen && !runs.back().gives(&op);
      if (wgmma && !(isOpen && runs.back().tryAdd(wgmma)))
        runs.emplace_back(wgmma);
      isOpen |= bool(wgmma);
      for (Region &inner : op.getRegions())
        findRuns(inner, runs);
    }
  }
}

/// Returns the number of commit groups of each run. Returns nullopt if the number differs between runs, if a run does
/// not end with a group, or if one of `waits` waits for a part of a run.
std::optional<unsigned> groupsOfEachRun(ArrayRef<Run> runs, ArrayRef<hk_nv::WarpgroupMmaWaitOp> waits) {
  unsigned groups = runs.front().numGroups();
  bool isUniform = llvm::all_of(runs, [&](const Run &run) { return run.numGroups() == groups && run.endsGroup(); });
  bool isForRuns = isUniform && llvm::all_of(waits, [&](hk_nv::WarpgroupMmaWaitOp wait) {
                     return wait.getOutstanding() % groups == 0;
                   });
  return isForRuns ? std::optional(groups) : std::nullopt;
}

void fuseWgmma(func::FuncOp function) {
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
      run.fuse();
    else if (run.size() > 1)
      emitRemark(run.getLoc()) << "these " << run.size()
                               << " wgmmas that share `a` are not fused into wider instructions: waits of the "
                               << "function cover only some of them, or other wgmmas";
  }
}

struct FuseWgmmaPass : impl::FuseWgmmaBase<FuseWgmmaPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      fuseWgmma(function);
  }
};

} // namespace

} // namespace hocket
