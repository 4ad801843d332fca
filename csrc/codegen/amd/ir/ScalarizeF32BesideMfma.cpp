//===- ScalarizeF32BesideMfma.cpp - Splits packed float32 arithmetic in blocks with MFMA -------===//
#include "codegen/amd/ir/ScalarizeF32BesideMfma.h"
#include "codegen/amd/ir/Mfma.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

/// True if `op` is an fadd, fsub, fmul, fma or fneg of a vector of float32. (An fneg becomes an operand modifier of the
/// instruction that uses its result.)
static bool hasPackedForm(const Instruction &op) {
  auto *vector = dyn_cast<FixedVectorType>(op.getType());
  if (!vector || !vector->getElementType()->isFloatTy())
    return false;
  if (auto *call = dyn_cast<IntrinsicInst>(&op))
    return call->getIntrinsicID() == Intrinsic::fma;
  return is_contained<unsigned>({Instruction::FAdd, Instruction::FSub, Instruction::FMul, Instruction::FNeg},
                                op.getOpcode());
}

/// Returns the scalar operation `op`, applied to element `index` of each vector operand.
static Value *elementOf(Instruction &op, unsigned index, IRBuilder<> &builder) {
  auto operands = map_to_vector<4>(op.operands(), [&](Use &operand) -> Value * {
    return operand->getType()->isVectorTy() ? builder.CreateExtractElement(operand, index) : operand.get();
  });
  if (auto *call = dyn_cast<IntrinsicInst>(&op))
    return builder.CreateIntrinsic(operands[0]->getType(), call->getIntrinsicID(), ArrayRef(operands).take_front(3));
  return isa<UnaryOperator>(op) ? builder.CreateFNeg(operands[0])
                                : builder.CreateBinOp(cast<BinaryOperator>(op).getOpcode(), operands[0], operands[1]);
}

static void scalarize(Instruction &op) {
  IRBuilder<> builder(&op);
  builder.setFastMathFlags(op.getFastMathFlags());
  Value *whole = PoisonValue::get(op.getType());
  for (unsigned i = 0, count = cast<FixedVectorType>(op.getType())->getNumElements(); i < count; ++i)
    whole = builder.CreateInsertElement(whole, elementOf(op, i, builder), i);
  op.replaceAllUsesWith(whole);
  op.eraseFromParent();
}

void scalarizeF32BesideMfma(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      if (any_of(block, isMfma))
        for (Instruction &op : make_early_inc_range(block))
          if (hasPackedForm(op))
            scalarize(op);
}

} // namespace hocket
