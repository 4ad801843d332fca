//===- MergeEqualReads.cpp - One read for equal ones that nothing writes between -----===//
//
// MLIR's CSE merges them, too, but looks at all operations between two equal reads anew for each pair: 16,000 loads of
// one address, as an unrolled loop may have, take it 9 s. Here a block is gone through once.
//
// Input:    hk.
// Output:   the same without reads that repeat an earlier one of their block, where no operation between them may have
//           an effect other than reading.
// Not done: reads that an earlier block has made; CSE and LLVM see to what is left.
//
//===------------------------------------------------------------------------------===//
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_MERGEEQUALREADS
#include "transforms/Passes.h.inc"

namespace {

/// Operations that compute the same from the same operands, wherever the source has them.
struct EqualOperations : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(Operation *op) {
    return OperationEquivalence::computeHash(op, OperationEquivalence::directHashValue,
                                             OperationEquivalence::ignoreHashValue,
                                             OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(Operation *left, Operation *right) {
    if (left == right)
      return true;
    auto isKey = [](Operation *op) { return op == getEmptyKey() || op == getTombstoneKey(); };
    return !isKey(left) && !isKey(right) &&
           OperationEquivalence::isEquivalentTo(left, right, OperationEquivalence::IgnoreLocations);
  }
};

struct MergeEqualReads : impl::MergeEqualReadsBase<MergeEqualReads> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) { mergeWithin(*block); });
  }

private:
  static void mergeWithin(Block &block) {
    llvm::DenseSet<Operation *, EqualOperations> reads;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isMemoryEffectFree(&op))
        continue;
      // Of its regions, too, where it has any.
      std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(&op);
      bool onlyReads = effects && llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
                         return isa<MemoryEffects::Read>(effect.getEffect());
                       });
      if (!onlyReads) {
        reads.clear();
        continue;
      }
      if (op.getNumRegions() != 0)
        continue;
      auto [equal, isNew] = reads.insert(&op);
      if (isNew)
        continue;
      op.replaceAllUsesWith(*equal);
      op.erase();
    }
  }
};

} // namespace

} // namespace hocket
