//===- SpreadProducts.cpp - Matrix products take turns with arithmetic ---------------===//
//
// Input:   instructions in LLVM's order.
// Output:  the same instructions in each run; products in their order, all others in theirs.
// Method:  two queues are merged. A product is due once as large a share of the others' time has been issued as of the
//          products'. What is not due, or needs what the other queue has not issued, waits. The earliest of all that
//          wait is never held up, so one of the two can always go.
// Cost:    a product is compared with at most kReach instructions in front of it, and others with as many products;
//          nothing is moved further. For attention's stages, of 16 or 32 products and 100 others, that is all.
//
//===------------------------------------------------------------------------------===//
#include "codegen/SpreadProducts.h"

#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

/// Over so many instructions of the other queue one may be moved.
static constexpr unsigned kReach = 256;

namespace {

/// One of the two queues of a run.
struct Queue {
  SmallVector<MachineInstr *> instructions;
  /// For each of these, how many of the other queue must have been issued.
  SmallVector<unsigned> needed;
  unsigned issued = 0;

  bool isEmpty() const { return issued == instructions.size(); }
  bool canIssue(const Queue &other) const { return !isEmpty() && other.issued >= needed[issued]; }
  MachineInstr &issue() { return *instructions[issued++]; }
};

class SpreadProducts : public MachineFunctionPass {
public:
  static char ID;
  SpreadProducts(int transcendental, bool isAllocated)
      : MachineFunctionPass(ID), transcendental(transcendental), isAllocated(isAllocated) {}

  StringRef getPassName() const override { return "Spread matrix products"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    if (!isAllocated) {
      usage.addRequired<LiveIntervalsWrapperPass>();
      usage.addPreserved<LiveIntervalsWrapperPass>();
      usage.addPreserved<SlotIndexesWrapperPass>();
    }
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    intervals = isAllocated ? nullptr : &getAnalysis<LiveIntervalsWrapperPass>().getLIS();
    names = function.getSubtarget().getInstrInfo();
    registers = function.getSubtarget().getRegisterInfo();
    model.init(&function.getSubtarget());
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      for (auto begin = block.begin(); begin != block.end();) {
        auto end = std::find_if(begin, block.end(), [&](MachineInstr &op) { return endsRun(op); });
        isChanged |= spread(block, begin, end);
        begin = end == block.end() ? end : std::next(end);
      }
    return isChanged;
  }

private:
  int transcendental;
  bool isAllocated;
  LiveIntervals *intervals = nullptr;
  const TargetInstrInfo *names = nullptr;
  const TargetRegisterInfo *registers = nullptr;
  TargetSchedModel model;

  StringRef nameOf(const MachineInstr &op) const { return names->getName(op.getOpcode()); }
  bool isProduct(const MachineInstr &op) const {
    return nameOf(op).starts_with("V_MFMA") || nameOf(op).starts_with("V_SMFMAC");
  }

  /// A barrier of LLVM's that arithmetic may be moved over, in either direction: so may products.
  bool letsProductsPass(const MachineInstr &op) const {
    constexpr int64_t kArithmetic = 1, kProducts = 8;
    return nameOf(op) == "SCHED_BARRIER" && op.getOperand(0).getImm() & (kArithmetic | kProducts);
  }

  /// Nothing is moved over it. Inline assembly is something else, which registers alone order with products.
  bool endsRun(const MachineInstr &op) const {
    if (letsProductsPass(op))
      return false;
    return op.mayLoadOrStore() || (op.hasUnmodeledSideEffects() && !op.isInlineAsm()) || op.isPosition() ||
           op.isCall() || op.isTerminator() || op.isBundle() || op.isDebugInstr();
  }

  int timeOf(const MachineInstr &op) const {
    StringRef name = nameOf(op);
    bool isSlow = any_of(ArrayRef<StringRef>{"V_EXP_", "V_LOG_", "V_RCP_", "V_RSQ_", "V_SQRT_", "V_SIN_", "V_COS_"},
                         [&](StringRef prefix) { return name.starts_with(prefix); });
    // Of a product, its passes.
    return isProduct(op) ? model.computeInstrLatency(&op) : isSlow ? transcendental : name.starts_with("V_") ? 1 : 0;
  }

  /// Whether the two must stay in their order: one writes what the other reads or writes.
  bool areOrdered(const MachineInstr &a, const MachineInstr &b) const {
    for (const MachineOperand &one : a.operands())
      for (const MachineOperand &other : b.operands())
        if (one.isReg() && other.isReg() && one.getReg() && other.getReg() && (one.isDef() || other.isDef()) &&
            registers->regsOverlap(one.getReg(), other.getReg()))
          return true;
    return false;
  }

  bool spread(MachineBasicBlock &block, MachineBasicBlock::iterator begin, MachineBasicBlock::iterator end) const {
    Queue products, others;
    int64_t total = 0, totalOfProducts = 0;
    for (MachineInstr &op : make_range(begin, end)) {
      Queue &own = isProduct(op) ? products : others;
      const Queue &other = isProduct(op) ? others : products;
      unsigned count = other.instructions.size(), needed = count;
      while (needed > 0 && count - needed < kReach && !areOrdered(*other.instructions[needed - 1], op))
        --needed;
      own.instructions.push_back(&op);
      own.needed.push_back(needed);
      (isProduct(op) ? totalOfProducts : total) += timeOf(op);
    }
    if (products.isEmpty() || total == 0)
      return false;

    int64_t time = 0, timeOfProducts = 0;
    while (!products.isEmpty() || !others.isEmpty()) {
      bool isDue = time * totalOfProducts >= total * timeOfProducts;
      bool takesProduct = products.canIssue(others) && (isDue || !others.canIssue(products));
      MachineInstr &op = takesProduct ? products.issue() : others.issue();
      (takesProduct ? timeOfProducts : time) += timeOf(op);
      // Where a register is read last may have changed.
      for (MachineOperand &operand : op.operands())
        if (operand.isReg() && operand.isUse())
          operand.setIsKill(false);
      if (begin == op.getIterator()) {
        ++begin;
        continue;
      }
      // Up, over what it does not depend on: all others are where they were.
      block.splice(begin, &block, op.getIterator());
      if (intervals)
        intervals->handleMove(op);
    }
    return true;
  }
};

char SpreadProducts::ID = 0;

} // namespace

FunctionPass *createSpreadProductsPass(int transcendental, bool isAllocated) {
  return new SpreadProducts(transcendental, isAllocated);
}

} // namespace hocket
