//===- RejoinVectors.cpp - Restores vectors that were split into scalars -----------------------===//
//
// Input:   chains of insertelement that write every element of a vector.
// Method:  the elements of the vector may be
//            extracts from one or two vectors          -> the vector itself, or a shuffle
//            phis of one block, for an MFMA operand    -> a phi of vectors, which are built on each incoming edge
//            multiplications by the same factor        -> a multiplication of vectors
//          A vector that is built on an incoming edge is itself rejoined later, so that MFMA operands stay vectors
//          through branches and around loops.
//
//===------------------------------------------------------------------------------------------===//
#include "codegen/amd/ir/RejoinVectors.h"
#include "codegen/amd/ir/Mfma.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace hocket {

namespace {

using Elements = SmallVector<Value *, 16>;

class Joiner {
public:
  explicit Joiner(Function &function) : function(function) {}

  void run();

private:
  Value *joinExtracts(ArrayRef<Value *> elements, IRBuilder<> &builder);
  Value *joinScaled(ArrayRef<Value *> elements, IRBuilder<> &builder);
  /// Returns a vector of `elements`, which are the elements of an MFMA operand. If the vector cannot be made of
  /// existing vectors, creates a chain of insertelement and appends it to `operands`.
  Value *joinOperand(ArrayRef<Value *> elements, IRBuilder<> &builder);
  void joinPhis(ArrayRef<Value *> elements);

  Function &function;
  /// MFMA operands that run() has yet to visit, each given by the last insertelement of its chain.
  SmallVector<InsertElementInst *> operands;
};

} // namespace

/// Returns the elements that a chain of insertelement writes, given its `last` instruction; empty unless the chain
/// writes every element of the vector.
static Elements elementsOf(InsertElementInst &last) {
  Elements elements(cast<FixedVectorType>(last.getType())->getNumElements());
  size_t missing = elements.size();
  for (auto *insert = &last; insert; insert = dyn_cast<InsertElementInst>(insert->getOperand(0))) {
    auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
    if (!index || index->getZExtValue() >= elements.size())
      return {};
    Value *&element = elements[index->getZExtValue()];
    if (!element && missing--)
      element = insert->getOperand(1);
  }
  return missing ? Elements() : elements;
}

static bool isLast(const InsertElementInst &insert) {
  return none_of(insert.users(), [&](const User *user) {
    auto *next = dyn_cast<InsertElementInst>(user);
    return next && next->getOperand(0) == &insert;
  });
}

/// True if `vector` is operand a, b or the accumulator of an MFMA, directly or through a bitcast. The scales of a
/// scaled MFMA do not count as operands: a vector of scales from several loads would be available only after all of
/// these loads.
static bool isOperand(const Instruction &vector) {
  return any_of(vector.uses(), [](const Use &use) {
    auto *cast = dyn_cast<BitCastInst>(use.getUser());
    return cast ? isOperand(*cast) : isMfma(*use.getUser()) && use.getOperandNo() < 3;
  });
}

static bool arePhisOfOneBlock(ArrayRef<Value *> elements) {
  SmallPtrSet<Value *, 16> different;
  return all_of(elements, [&](Value *element) {
    auto *phi = dyn_cast<PHINode>(element);
    return phi && phi->getParent() == cast<PHINode>(elements[0])->getParent() && different.insert(phi).second;
  });
}

/// Returns the vector from which all `elements` are extracted in order, or a shuffle of the one or two vectors from
/// which they are extracted; null if there is no such vector.
Value *Joiner::joinExtracts(ArrayRef<Value *> elements, IRBuilder<> &builder) {
  SmallVector<Value *, 2> sources;
  SmallVector<int, 16> mask;
  for (Value *element : elements) {
    auto *extract = dyn_cast<ExtractElementInst>(element);
    auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index)
      return nullptr;
    Value *source = extract->getVectorOperand();
    size_t number = find(sources, source) - sources.begin();
    if (number == 2 || source->getType() != (sources.empty() ? source : sources[0])->getType())
      return nullptr;
    if (number == sources.size())
      sources.push_back(source);
    mask.push_back(number * cast<FixedVectorType>(source->getType())->getNumElements() + index->getZExtValue());
  }
  int size = elements.size();
  if (cast<FixedVectorType>(sources[0]->getType())->getNumElements() == elements.size() &&
      ShuffleVectorInst::isIdentityMask(mask, size))
    return sources[0];
  return sources.size() == 1 ? builder.CreateShuffleVector(sources[0], mask)
                             : builder.CreateShuffleVector(sources[0], sources[1], mask);
}

/// If all `elements` are multiplications by the same factor, in the builder's basic block and with one use each,
/// returns one multiplication of vectors that replaces them; null otherwise.
Value *Joiner::joinScaled(ArrayRef<Value *> elements, IRBuilder<> &builder) {
  auto *first = dyn_cast<BinaryOperator>(elements[0]);
  Elements others;
  for (Value *element : elements) {
    auto *op = dyn_cast<BinaryOperator>(element);
    if (!op || op->getOpcode() != Instruction::FMul || !op->hasOneUse() || op->getOperand(1) != first->getOperand(1) ||
        op->getParent() != builder.GetInsertBlock() || op->getFastMathFlags() != first->getFastMathFlags())
      return nullptr;
    others.push_back(op->getOperand(0));
  }
  Value *factor = builder.CreateVectorSplat(elements.size(), first->getOperand(1));
  return builder.CreateFMulFMF(joinOperand(others, builder), factor, first);
}

Value *Joiner::joinOperand(ArrayRef<Value *> elements, IRBuilder<> &builder) {
  if (all_of(elements, llvm::IsaPred<Constant>))
    return ConstantVector::get(map_to_vector<16>(elements, [](Value *value) { return cast<Constant>(value); }));
  if (Value *whole = joinExtracts(elements, builder))
    return whole;
  if (Value *scaled = joinScaled(elements, builder))
    return scaled;
  Value *vector = PoisonValue::get(FixedVectorType::get(elements[0]->getType(), elements.size()));
  for (auto [index, element] : enumerate(elements))
    vector = builder.CreateInsertElement(vector, element, index);
  operands.push_back(cast<InsertElementInst>(vector));
  return vector;
}

/// Replaces `elements`, which are phis of one basic block, by extracts from one phi of vectors.
void Joiner::joinPhis(ArrayRef<Value *> elements) {
  auto *first = cast<PHINode>(elements[0]);
  BasicBlock *block = first->getParent();
  IRBuilder<> builder(first);
  auto *type = FixedVectorType::get(first->getType(), elements.size());
  PHINode *whole = builder.CreatePHI(type, first->getNumIncomingValues());
  for (BasicBlock *from : first->blocks()) {
    if (int edge = whole->getBasicBlockIndex(from); edge >= 0) { // this is not the first edge from `from` to `block`
      whole->addIncoming(whole->getIncomingValue(edge), from);
      continue;
    }
    builder.SetInsertPoint(from->getTerminator());
    auto incoming =
        map_to_vector<16>(elements, [&](Value *phi) { return cast<PHINode>(phi)->getIncomingValueForBlock(from); });
    whole->addIncoming(joinOperand(incoming, builder), from);
  }
  builder.SetInsertPoint(block, block->getFirstInsertionPt());
  for (auto [index, element] : enumerate(elements)) {
    element->replaceAllUsesWith(builder.CreateExtractElement(whole, index));
    cast<PHINode>(element)->eraseFromParent();
  }
}

void Joiner::run() {
  SmallVector<InsertElementInst *> vectors;
  for (Instruction &op : instructions(function))
    if (auto *insert = dyn_cast<InsertElementInst>(&op); insert && isLast(*insert))
      (isOperand(*insert) ? operands : vectors).push_back(insert);

  for (InsertElementInst *last : vectors) {
    IRBuilder<> builder(last);
    Elements elements = elementsOf(*last);
    if (Value *whole = elements.empty() ? nullptr : joinExtracts(elements, builder))
      last->replaceAllUsesWith(whole);
  }
  while (!operands.empty()) {
    InsertElementInst *last = operands.pop_back_val();
    Elements elements = elementsOf(*last);
    if (elements.empty())
      continue;
    if (arePhisOfOneBlock(elements)) {
      joinPhis(elements);
      elements = elementsOf(*last);
    }
    IRBuilder<> builder(last);
    Value *whole = joinExtracts(elements, builder);
    if (!whole)
      whole = joinScaled(elements, builder);
    if (whole)
      last->replaceAllUsesWith(whole);
  }
}

static void eraseUnused(Function &function) {
  for (BasicBlock &block : reverse(function))
    for (Instruction &op : make_early_inc_range(reverse(block)))
      if (isInstructionTriviallyDead(&op))
        op.eraseFromParent();
}

void rejoinVectors(Module &module) {
  for (Function &function : module) {
    Joiner(function).run();
    eraseUnused(function);
  }
}

} // namespace hocket
