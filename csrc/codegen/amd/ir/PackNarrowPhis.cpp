//===- PackNarrowPhis.cpp - Merges phis of narrow vector elements into phis of vectors --------===//
//
// Phis of one basic block form a group if, along each incoming edge, all phis of the group take elements of the same
// vector. Each phi must take the element with the same index along all edges.
//
//===------------------------------------------------------------------------------------------===//
#include "codegen/amd/ir/PackNarrowPhis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hocket {

namespace {
/// A phi that takes element `index` of a vector along each incoming edge.
struct ElementPhi {
  PHINode *phi;
  uint64_t index;
};

/// A set of scalar phis that one phi of vectors can replace. `vectors` holds the incoming vector of each edge.
struct Group {
  SmallVector<Value *, 2> vectors;
  SmallVector<ElementPhi, 8> elements;
};
} // namespace

/// Returns a group that contains only `phi`; its vectors are in the order of the predecessors `from`. The group is
/// empty unless all incoming values of `phi` are elements of vectors, at the same index.
static Group groupOf(PHINode &phi, ArrayRef<BasicBlock *> from) {
  if (phi.getType()->isVectorTy() || phi.getType()->getPrimitiveSizeInBits() >= kPackedRegisterBits)
    return {};
  Group group;
  std::optional<uint64_t> common;
  for (BasicBlock *block : from) {
    auto *extract = dyn_cast<ExtractElementInst>(phi.getIncomingValueForBlock(block));
    auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index || common.value_or(index->getZExtValue()) != index->getZExtValue())
      return {};
    common = index->getZExtValue();
    group.vectors.push_back(extract->getVectorOperand());
    if (group.vectors.back()->getType() != group.vectors.front()->getType())
      return {};
  }
  group.elements.push_back({&phi, *common});
  return group;
}

static void merge(const Group &group, ArrayRef<BasicBlock *> from) {
  PHINode *first = group.elements.front().phi;
  IRBuilder<> builder(first);
  PHINode *all = builder.CreatePHI(group.vectors.front()->getType(), from.size());
  for (auto [vector, block] : zip_equal(group.vectors, from))
    all->addIncoming(vector, block);
  builder.SetInsertPoint(first->getParent(), first->getParent()->getFirstInsertionPt());
  for (const ElementPhi &element : group.elements) {
    element.phi->replaceAllUsesWith(builder.CreateExtractElement(all, element.index));
    element.phi->eraseFromParent();
  }
}

static void packIn(BasicBlock &block, unsigned mostBits) {
  if (block.phis().empty())
    return;
  SmallVector<BasicBlock *> from(block.phis().begin()->blocks());
  SmallVector<Group> groups;
  for (PHINode &phi : block.phis()) {
    Group alone = groupOf(phi, from);
    if (alone.vectors.empty() || alone.vectors.front()->getType()->getPrimitiveSizeInBits() > mostBits)
      continue;
    auto same = find_if(groups, [&](const Group &group) { return group.vectors == alone.vectors; });
    if (same == groups.end())
      groups.push_back(std::move(alone));
    else
      same->elements.push_back(alone.elements.front());
  }
  for (const Group &group : groups)
    if (group.elements.size() > 1)
      merge(group, from);
}

void packNarrowPhis(Module &module, unsigned mostBits) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      packIn(block, mostBits);
}

} // namespace hocket
