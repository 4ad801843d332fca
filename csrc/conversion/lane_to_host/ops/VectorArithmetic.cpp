//===- VectorArithmetic.cpp - Estimates the VALU time of arithmetic ---------------------===//
#include "conversion/lane_to_host/ops/VectorArithmetic.h"

#include "conversion/lane_to_host/Conversions.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace hocket {

bool movesOnly(Operation *op) {
  return isa<LLVM::BitcastOp, LLVM::ExtractElementOp, LLVM::InsertElementOp, LLVM::ExtractValueOp, LLVM::InsertValueOp,
             LLVM::ShuffleVectorOp, LLVM::FreezeOp>(op);
}

/// True if the results of `op` can differ between lanes although its operands are the same in all lanes. Also true for
/// operations that exchange values between lanes, except broadcasts of one lane's value.
static bool makesLaneValues(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.contains("workitem.id") || name.contains("sreg.tid") || name.contains("laneid") || name.contains("mbcnt"))
    return true;
  if (name.contains("readlane") || name.contains("readfirstlane") || name.contains("ballot") || name.contains("vote"))
    return false;
  if (name.contains("workgroup") || name.contains("grid.dim") || name.contains("sreg"))
    return false;
  // Loads of the default address space load the kernel's arguments.
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace() != 0;
  return isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op) ||
         (op->getNumResults() && !isa<LLVM::LLVMDialect>(op->getDialect()) && !isMemoryEffectFree(op)) ||
         name.starts_with("lane.") || name.contains("mfma") || name.contains("ds.read") || name.contains("shfl");
}

VectorArithmetic::VectorArithmetic(LLVM::LLVMFuncOp kernel, const TargetInfo &target)
    : kernel(kernel), target(target), dominance(kernel) {
  findLaneValues();
  Region &body = kernel.getBody();
  if (body.hasOneBlock())
    return;
  loops = std::make_unique<CFGLoopInfo>(dominance.getDomTree(&body));
  findInvariants();
}

void VectorArithmetic::findLaneValues() {
  SmallVector<Value> worklist;
  auto add = [&](Value value) {
    if (laneValues.insert(value).second)
      worklist.push_back(value);
  };
  kernel.walk([&](Operation *op) {
    if (makesLaneValues(op))
      for (Value result : op->getResults())
        add(result);
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      StringRef name = user->getName().getStringRef();
      if (name.contains("readlane") || name.contains("readfirstlane") || name.contains("ballot"))
        continue;
      for (Value result : user->getResults())
        add(result);
      if (auto branch = dyn_cast<BranchOpInterface>(user))
        if (auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
          add(*argument);
    }
  }
}

bool VectorArithmetic::isInvariant(Operation *op, const CFGLoop *loop) const {
  return isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *producer = operand.getDefiningOp();
           if (!loop->contains(operand.getParentBlock()))
             return true;
           return producer && hoisted.contains(producer);
         });
}

/// Finds loop-invariant operations. Basic blocks are in program order, so values are visited before their users, except
/// for loop-carried values.
void VectorArithmetic::findInvariants() {
  for (Block &block : kernel.getBody())
    if (const CFGLoop *loop = loops->getLoopFor(&block))
      for (Operation &op : block)
        if (isInvariant(&op, loop))
          hoisted.insert(&op);
}

static bool isTranscendental(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    name = call.getIntrin();
  for (StringRef part : {".ex2", ".lg2", ".exp", ".log", ".sin", ".cos", ".sqrt", ".rsq", ".rcp", ".tanh"})
    if (name.contains(part))
      return true;
  return false;
}

static bool isDivision(Operation *op) {
  return isa<LLVM::FDivOp, LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp, LLVM::FRemOp>(op);
}

/// True if `op` needs no instruction: another instruction includes `op`, or a preloaded register contains the result.
static bool isFolded(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.contains("workitem.id") || name.contains("sreg"))
    return true;
  if (isa<LLVM::GEPOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::AddrSpaceCastOp, LLVM::ZExtOp, LLVM::SExtOp,
          LLVM::TruncOp>(op))
    return true;
  return isa<LLVM::AddOp, LLVM::SubOp>(op) && matchPattern(op->getOperand(1), m_Constant());
}

int VectorArithmetic::clocksOf(Operation *op) const {
  if (op->getNumResults() != 1 || !laneValues.contains(op->getResult(0)) || movesOnly(op) || isFolded(op) ||
      hoisted.contains(op) || !isMemoryEffectFree(op) || op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  const CostTable &costs = *target.costs;
  int64_t bits = bitWidthOf(op->getResult(0).getType());
  int registers = int(std::max<int64_t>(1, (bits + 31) / 32));
  return registers * (isDivision(op) ? costs.division : isTranscendental(op) ? costs.transcendental : costs.vector);
}

} // namespace hocket
