//===- InterleaveLdsAccesses.cpp - Interleaves memory accesses with VALU instructions -----------===//
//
// Input:    machine instructions in LLVM's order.
// Output:   in stages with a raised priority, memory accesses are interleaved with VALU instructions
//           (QueueInterleaver.h).
// Method:   a run of instructions begins at the s_setprio that raises the priority, and ends at an instruction that
//           VALU instructions must not cross. Instructions that compute the address or the stored value of an access
//           are in the queue of the accesses: a stored value may depend on an outstanding load, so if such an
//           instruction were issued earlier, the wave might stall earlier. All accesses are assumed to take the same
//           time.
// Not done: a run also ends before the first instruction that uses the result of a load of the run, or that exchanges
//           values between lanes, because this instruction waits and would delay later accesses. Uses of loads of an
//           earlier stage do not end a run. Runs with MFMA keep LLVM's order. If a stage has several basic blocks, only
//           the block with the s_setprio is reordered.
// Cost:     proportional to the number of instructions of a run times its number of accesses, which is about 20.
//
//===--------------------------------------------------------------------------------------------===//
#include "codegen/amd/machine/InterleaveLdsAccesses.h"
#include "codegen/amd/machine/AmdInstructions.h"
#include "codegen/amd/machine/MachineReorderPass.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace hocket {

namespace {

class InterleaveLdsAccesses : public MachineReorderPass {
public:
  /// Pass IDs of the instance that runs before register allocation, and of the instance that runs after it. Two IDs are
  /// needed because LLVM's pass list identifies an insertion point by a pass ID.
  static char ID, allocatedID;
  InterleaveLdsAccesses(int transcendental, bool isAllocated)
      : MachineReorderPass(isAllocated ? allocatedID : ID, transcendental, isAllocated) {}

  StringRef getPassName() const override { return "Interleave LDS accesses"; }

  bool runOnMachineFunction(MachineFunction &function) override {
    AmdInstructions kinds(function, transcendental);
    bool isChanged = false;
    for (MachineBasicBlock &block : function) {
      bool isRaised = false;
      for (auto begin = block.begin(); begin != block.end();) {
        auto end = std::find_if(begin, block.end(), [&](MachineInstr &op) {
          return isRaised ? kinds.isBoundary(op) : kinds.priorityOf(op).has_value();
        });
        if (isRaised)
          isChanged |= interleave(block, begin, end, kinds);
        if (end == block.end())
          break;
        if (std::optional<int64_t> priority = kinds.priorityOf(*end))
          isRaised = *priority > 0;
        begin = std::next(end);
      }
    }
    return isChanged;
  }

private:
  bool interleave(MachineBasicBlock &block, MachineBasicBlock::iterator begin, MachineBasicBlock::iterator end,
                  const AmdInstructions &kinds);
};

char InterleaveLdsAccesses::ID = 0, InterleaveLdsAccesses::allocatedID = 0;

} // namespace

/// Returns the instructions from `begin` up to, but not including, the first instruction that exchanges values between
/// lanes, or that uses the result of a load of the returned instructions.
static InstructionOrder beforeWaits(MachineBasicBlock::iterator begin, MachineBasicBlock::iterator end,
                                    const AmdInstructions &kinds, const TargetRegisterInfo &registers) {
  InstructionOrder run, loads;
  for (MachineInstr &op : make_range(begin, end)) {
    bool isAccess = AmdInstructions::isAccess(op);
    if (kinds.isExchange(op) ||
        (!isAccess && any_of(loads, [&](MachineInstr *load) { return readsResult(op, *load, registers); })))
      break;
    run.push_back(&op);
    if (isAccess && op.mayLoad())
      loads.push_back(&op);
  }
  return run;
}

/// Returns the memory accesses of `run`, the instructions of `run` that compute operands of these accesses, and the
/// scheduling barriers of `run`.
static SmallPtrSet<const MachineInstr *, 32> accessesIn(ArrayRef<MachineInstr *> run, const AmdInstructions &kinds,
                                                        const TargetRegisterInfo &registers) {
  InstructionOrder accesses;
  for (MachineInstr *op : reverse(run))
    if (AmdInstructions::isAccess(*op) || kinds.letsArithmeticCross(*op) ||
        any_of(accesses, [&](MachineInstr *access) { return readsResult(*access, *op, registers); }))
      accesses.push_back(op);
  return {accesses.begin(), accesses.end()};
}

bool InterleaveLdsAccesses::interleave(MachineBasicBlock &block, MachineBasicBlock::iterator begin,
                                       MachineBasicBlock::iterator end, const AmdInstructions &kinds) {
  if (std::any_of(begin, end, [&](MachineInstr &op) { return kinds.isMfma(op); }))
    return false;
  const TargetRegisterInfo &registers = *block.getParent()->getSubtarget().getRegisterInfo();
  InstructionOrder run = beforeWaits(begin, end, kinds, registers);
  auto accesses = accessesIn(run, kinds, registers);
  auto isFirst = [&](const MachineInstr &op) { return accesses.contains(&op); };
  auto timeOf = [&](const MachineInstr &op) {
    return isFirst(op) ? int(AmdInstructions::isAccess(op)) : kinds.valuTimeOf(op);
  };
  InstructionQueues queues = divide(run, isFirst, timeOf, registers);
  if (queues.first.total == 0 || queues.others.total == 0)
    return false;
  merge(block, begin, queues);
  return true;
}

FunctionPass *createInterleaveLdsAccessesPass(int transcendental, bool isAllocated) {
  return new InterleaveLdsAccesses(transcendental, isAllocated);
}

} // namespace hocket
