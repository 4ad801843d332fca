//===- WholeVectors.cpp - Vectors that lanes take apart and join are whole again -----===//
//
// Begins with the vectors that instructions use. What is inserted into one may be, element by element,
//
//   extracted from one or two vectors     they are used as they are, or shuffled
//   phis of one block, for a product       a phi of the vectors that come along each edge, which are built there
//   products by the same factor           a product of vectors
//
// A vector that is built for an edge is looked at in turn: so operands of matrix
// products stay whole through branches and around loops.
//
//===------------------------------------------------------------------------------===//
#include "codegen/WholeVectors.h"
#include "codegen/MatrixProducts.h"
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
  Value *joinProducts(ArrayRef<Value *> elements, IRBuilder<> &builder);
  /// `elements` of an operand of a product in one vector. They are inserted if there is nothing better, and looked at
  /// later.
  Value *joinOperand(ArrayRef<Value *> elements, IRBuilder<> &builder);
  void joinPhis(ArrayRef<Value *> elements);

  Function &function;
  /// The last insertions into operands of matrix products.
  SmallVector<InsertElementInst *> operands;
};

} // namespace

/// What has been inserted into a vector after `last`; empty unless that is each of its elements.
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

/// Whether a matrix product multiplies `vector` or adds to it, perhaps as numbers of another width. Scales, which are
/// loaded in parts, stay in parts until then: to join them is to wait for all.
static bool isOperand(const Instruction &vector) {
  return any_of(vector.uses(), [](const Use &use) {
    auto *cast = dyn_cast<BitCastInst>(use.getUser());
    return cast ? isOperand(*cast) : isMatrixProduct(*use.getUser()) && use.getOperandNo() < 3;
  });
}

static bool arePhisOfOneBlock(ArrayRef<Value *> elements) {
  SmallPtrSet<Value *, 16> different;
  return all_of(elements, [&](Value *element) {
    auto *phi = dyn_cast<PHINode>(element);
    return phi && phi->getParent() == cast<PHINode>(elements[0])->getParent() && different.insert(phi).second;
  });
}

/// Null unless one or two vectors hold them all.
Value *Joiner::joinExtracts(ArrayRef<Value *> elements, IRBuilder<> &builder) {
  SmallVector<Value *, 2> sources;
  SmallVector<int, 16> places;
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
    places.push_back(number * cast<FixedVectorType>(source->getType())->getNumElements() + index->getZExtValue());
  }
  int size = elements.size();
  if (cast<FixedVectorType>(sources[0]->getType())->getNumElements() == elements.size() &&
      ShuffleVectorInst::isIdentityMask(places, size))
    return sources[0];
  return sources.size() == 1 ? builder.CreateShuffleVector(sources[0], places)
                             : builder.CreateShuffleVector(sources[0], sources[1], places);
}

/// Null unless they are floats of this block times one factor, which nothing else uses.
Value *Joiner::joinProducts(ArrayRef<Value *> elements, IRBuilder<> &builder) {
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
  if (Value *product = joinProducts(elements, builder))
    return product;
  Value *vector = PoisonValue::get(FixedVectorType::get(elements[0]->getType(), elements.size()));
  for (auto [index, element] : enumerate(elements))
    vector = builder.CreateInsertElement(vector, element, index);
  operands.push_back(cast<InsertElementInst>(vector));
  return vector;
}

/// Makes `elements`, phis of one block, extracts from a phi of vectors.
void Joiner::joinPhis(ArrayRef<Value *> elements) {
  auto *first = cast<PHINode>(elements[0]);
  BasicBlock *block = first->getParent();
  IRBuilder<> builder(first);
  auto *type = FixedVectorType::get(first->getType(), elements.size());
  PHINode *whole = builder.CreatePHI(type, first->getNumIncomingValues());
  for (BasicBlock *from : first->blocks()) {
    if (int edge = whole->getBasicBlockIndex(from); edge >= 0) { // there is more than one edge between the two
      whole->addIncoming(whole->getIncomingValue(edge), from);
      continue;
    }
    builder.SetInsertPoint(from->getTerminator());
    auto come =
        map_to_vector<16>(elements, [&](Value *phi) { return cast<PHINode>(phi)->getIncomingValueForBlock(from); });
    whole->addIncoming(joinOperand(come, builder), from);
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
      whole = joinProducts(elements, builder);
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

void joinVectors(Module &module) {
  for (Function &function : module) {
    Joiner(function).run();
    eraseUnused(function);
  }
}

} // namespace hocket
