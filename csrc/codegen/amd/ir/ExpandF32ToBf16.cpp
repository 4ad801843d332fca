//===- ExpandF32ToBf16.cpp - Rounds float32 to bfloat16 by integer instructions ----------------===//
#include "codegen/amd/ir/ExpandF32ToBf16.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

static void expand(FPTruncInst &op) {
  IRBuilder<> builder(&op);
  Value *number = op.getOperand(0);
  Type *whole = op.getSrcTy()->getWithNewType(builder.getInt32Ty());
  Type *half = op.getDestTy()->getWithNewType(builder.getInt16Ty());
  Value *bits = builder.CreateBitCast(number, whole);
  Value *isOdd = builder.CreateAnd(builder.CreateLShr(bits, 16), 1);
  Value *rounded = builder.CreateAdd(bits, builder.CreateAdd(isOdd, ConstantInt::get(whole, 0x7fff)));
  Value *isNumber = builder.CreateFCmpORD(number, Constant::getNullValue(op.getSrcTy()));
  Value *result = builder.CreateSelect(isNumber, rounded, Constant::getAllOnesValue(whole));
  Value *upper = builder.CreateTrunc(builder.CreateLShr(result, 16), half);
  op.replaceAllUsesWith(builder.CreateBitCast(upper, op.getDestTy()));
  op.eraseFromParent();
}

void expandF32ToBf16(Module &module) {
  for (Function &function : module)
    for (Instruction &op : make_early_inc_range(instructions(function)))
      if (auto *rounding = dyn_cast<FPTruncInst>(&op); rounding && rounding->getSrcTy()->getScalarType()->isFloatTy() &&
                                                       rounding->getDestTy()->getScalarType()->isBFloatTy())
        expand(*rounding);
}

} // namespace hocket
