//===- SpreadProducts.cpp - Matrix products take turns with arithmetic ---------------===//
//
// Input:   instructions in LLVM's order.
// Output:  the same instructions in each run; products in their order, all others in theirs.
// Method:  products take turns with the others (TakeTurns.h). First, where two exponentials take as long as a product,
//          these take turns with the rest of the arithmetic: two between products would keep the next one waiting, one
//          leaves room that only shorter instructions fit in. But not where products need any of it, or the other way
//          round: the order in which LLVM begins chains would be lost. And once, before registers are allocated.
// Cost:    linear in a run's length.
//
//===------------------------------------------------------------------------------===//
#include "codegen/SpreadProducts.h"
#include "codegen/AmdInstructions.h"
#include "codegen/ReorderPass.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSchedule.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

namespace {

class SpreadProducts : public ReorderPass {
public:
  static char ID;
  SpreadProducts(int transcendental, bool isAllocated) : ReorderPass(ID, transcendental, isAllocated) {}

  StringRef getPassName() const override { return "Spread matrix products"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    AmdInstructions kinds(function, transcendental);
    model.init(&function.getSubtarget());
    bool isChanged = false;
    for (MachineBasicBlock &block : function)
      for (auto begin = block.begin(); begin != block.end();) {
        auto endsRun = [&](MachineInstr &op) { return kinds.isWall(op) || AmdInstructions::isAccess(op); };
        auto end = std::find_if(begin, block.end(), endsRun);
        isChanged |= spread(block, begin, end, kinds);
        begin = end == block.end() ? end : std::next(end);
      }
    return isChanged;
  }

private:
  TargetSchedModel model;

  bool spread(MachineBasicBlock &block, MachineBasicBlock::iterator begin, MachineBasicBlock::iterator end,
              const AmdInstructions &kinds) {
    InstructionOrder run;
    for (MachineInstr &op : make_range(begin, end))
      run.push_back(&op);
    auto isProduct = [&](const MachineInstr &op) { return kinds.isProduct(op); };
    if (none_of(run, [&](MachineInstr *op) { return isProduct(*op); }))
      return false;
    // Of a product, its passes.
    auto timeOf = [&](const MachineInstr &op) {
      return isProduct(op) ? int(model.computeInstrLatency(&op)) : kinds.vectorTimeOf(op);
    };
    const TargetRegisterInfo &registers = *block.getParent()->getSubtarget().getRegisterInfo();
    InstructionQueues queues = divide(run, isProduct, timeOf, registers);
    if (queues.others.total == 0)
      return false;
    if (!isAllocated && queues.areIndependent() && fillProducts(queues.first))
      spreadSlow(queues.others, kinds, registers);
    merge(block, begin, queues);
    return true;
  }

  /// Whether two exponentials take as long as one of `products`.
  bool fillProducts(const InstructionQueue &products) const {
    return int64_t(2 * transcendental * products.times.size()) >= products.total;
  }

  /// Deals exponentials among the rest of `arithmetic`, which needs no products.
  static void spreadSlow(InstructionQueue &arithmetic, const AmdInstructions &kinds,
                         const TargetRegisterInfo &registers) {
    auto isSlow = [&](const MachineInstr &op) { return kinds.isSlow(op); };
    auto timeOf = [&](const MachineInstr &op) { return kinds.vectorTimeOf(op); };
    InstructionQueue mixed;
    for (MachineInstr *op : divide(arithmetic.instructions, isSlow, timeOf, registers).merge())
      mixed.append(*op, 0, timeOf(*op));
    arithmetic = std::move(mixed);
  }
};

char SpreadProducts::ID = 0;

} // namespace

FunctionPass *createSpreadProductsPass(int transcendental, bool isAllocated) {
  return new SpreadProducts(transcendental, isAllocated);
}

} // namespace hocket
