//===- PairFloats.cpp - Fused multiplications of neighbouring registers in pairs -----===//
//
// The pair stands where its first half stood: all that either half takes is an element of a vector, or common to both.
//
//===------------------------------------------------------------------------------===//
#include "codegen/PairFloats.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

namespace {
/// An element of a vector of floats, at an index that is known.
struct Element {
  Value *vector = nullptr;
  uint64_t index = 0;
};
} // namespace

static Element elementOf(Value *value) {
  auto *extract = dyn_cast<ExtractElementInst>(value);
  auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
  if (!index || !isa<FixedVectorType>(extract->getVectorOperandType()))
    return {};
  return {extract->getVectorOperand(), index->getZExtValue()};
}

static IntrinsicInst *asFma(Instruction &op) {
  auto *call = dyn_cast<IntrinsicInst>(&op);
  return call && call->getIntrinsicID() == Intrinsic::fma && call->getType()->isFloatTy() ? call : nullptr;
}

/// Whether `second` does to the elements after those of `first` what that does, and to nothing else.
static bool isSecondOf(const IntrinsicInst &first, const IntrinsicInst &second) {
  if (first.getFastMathFlags() != second.getFastMathFlags())
    return false;
  bool hasElements = false;
  for (auto [a, b] : zip_equal(first.args(), second.args())) {
    Element low = elementOf(a), high = elementOf(b);
    if (low.vector && low.vector == high.vector && low.index % 2 == 0 && high.index == low.index + 1)
      hasElements = true;
    else if (a.get() != b.get())
      return false;
  }
  return hasElements;
}

static void pair(IntrinsicInst &first, IntrinsicInst &second) {
  IRBuilder<> builder(&first);
  builder.setFastMathFlags(first.getFastMathFlags());
  SmallVector<Value *, 3> operands;
  for (auto [a, b] : zip_equal(first.args(), second.args())) {
    Element low = elementOf(a);
    operands.push_back(a.get() == b.get()
                           ? builder.CreateVectorSplat(2, a)
                           : builder.CreateShuffleVector(low.vector, {int(low.index), int(low.index) + 1}));
  }
  Value *both = builder.CreateIntrinsic(operands.front()->getType(), Intrinsic::fma, operands);
  first.replaceAllUsesWith(builder.CreateExtractElement(both, uint64_t(0)));
  second.replaceAllUsesWith(builder.CreateExtractElement(both, uint64_t(1)));
  first.eraseFromParent();
  second.eraseFromParent();
}

/// The vector that an operation takes an element of, by which its other half is found; null if there is none.
static Value *vectorOf(const IntrinsicInst &op) {
  for (Value *operand : op.args())
    if (Value *vector = elementOf(operand).vector)
      return vector;
  return nullptr;
}

static void pairIn(BasicBlock &block) {
  /// By vector, those without another half yet.
  DenseMap<Value *, SmallVector<IntrinsicInst *, 4>> waiting;
  for (Instruction &op : make_early_inc_range(block)) {
    IntrinsicInst *fma = asFma(op);
    Value *vector = fma ? vectorOf(*fma) : nullptr;
    if (!vector)
      continue;
    auto &others = waiting[vector];
    auto *other = find_if(others, [&](IntrinsicInst *first) { return isSecondOf(*first, *fma); });
    if (other == others.end()) {
      others.push_back(fma);
      continue;
    }
    IntrinsicInst *first = *other;
    others.erase(other);
    pair(*first, *fma);
  }
}

void pairFloats(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      pairIn(block);
}

} // namespace hocket
