//===- MergeEqualReads.cpp - Merges equal reads if no write is between them ----------===//
//
// MLIR's CSE merges equal reads, too, but visits all operations between each pair of equal reads. CSE takes quadratic
// time for unrolled loops, which can contain thousands of loads of one address. This pass visits each basic block once.
//
// Input:    hk.
// Output:   hk in which no read repeats an earlier read of its basic block, unless an operation in between can write
//           memory.
// Not done: merging reads of different basic blocks, which CSE and LLVM do.
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

/// Compares operations that compute the same result from the same operands, ignoring their locations.
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
      // `effects` includes the effects of nested operations.
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
