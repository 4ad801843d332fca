//===- PairRecords.cpp - Finds pairs of records that one store can write ----------------------===//
#include "conversion/prof_to_llvm/PairRecords.h"

#include "dialect/lane/LaneFacts.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace hocket {

/// Assumed number of iterations of each loop.
static constexpr int64_t kIterations = 8;

namespace {

/// Possible parities of the number of records that precede a program point, as a set.
enum Parity : uint8_t { kNone = 0, kEven = 1, kOdd = 2, kUnknown = 3 };

Parity flipped(Parity parity) { return parity == kEven ? kOdd : parity == kOdd ? kEven : parity; }

class RecordPairer {
public:
  explicit RecordPairer(LLVM::LLVMFuncOp kernel) : kernel(kernel) {
    for (Block &block : kernel.getBody())
      for (auto store : block.getOps<prof::StoreRecordOp>())
        storesOf[&block].push_back(store);
    findParities();
  }

  /// Returns the pairs for a kernel whose first record has the index `firstIndex`, and the sum of the pairs' weights.
  std::pair<RecordPairs, int64_t> pairsFrom(int firstIndex) {
    RecordPairs pairs;
    pairs.firstIndex = firstIndex;
    int64_t weight = 0;
    DominanceInfo dominance(kernel);
    bool hasLoops = !kernel.getBody().hasOneBlock();
    std::optional<CFGLoopInfo> loops;
    if (hasLoops)
      loops.emplace(dominance.getDomTree(&kernel.getBody()));
    for (Block &block : kernel.getBody()) {
      int64_t weightOfPair = 1;
      for (unsigned depth = loops ? loops->getLoopDepth(&block) : 0; depth > 0; --depth)
        weightOfPair *= kIterations;
      walkStores(block, atStart.lookup(&block),
                 [&](prof::StoreRecordOp first, prof::StoreRecordOp second, Parity number) {
                   if (number != (firstIndex == 0 ? kEven : kOdd))
                     return false;
                   pairs.secondOf[first] = second;
                   weight += weightOfPair;
                   return true;
                 });
    }
    return {std::move(pairs), weight};
  }

private:
  /// True if no operation of the kernel is between the stores, and both have the same condition.
  static bool canPair(prof::StoreRecordOp first, prof::StoreRecordOp second) {
    if (first.getPred() != second.getPred())
      return false;
    for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
      if (!isa<prof::ProfDialect>(op->getDialect()) && !lane::kUntimedAttr.isOn(op))
        return false;
    return true;
  }

  /// Visits the stores of `block` in order. For stores that can be paired, calls pair(first, second, number), where
  /// `number` is the parity of the number of records before `first`. `pair` returns true if the stores become a pair.
  /// Returns the parity of the number of records at the end of the block.
  Parity walkStores(Block &block, Parity parity,
                    llvm::function_ref<bool(prof::StoreRecordOp, prof::StoreRecordOp, Parity)> pair) {
    ArrayRef<prof::StoreRecordOp> stores = storesOf[&block];
    while (!stores.empty()) {
      prof::StoreRecordOp first = stores.front();
      bool isPairable = stores.size() > 1 && canPair(first, stores[1]);
      if (isPairable && (pair(first, stores[1], parity) || first.getPred())) {
        stores = stores.drop_front(2); // two records or none, so the parity does not change
        continue;
      }
      parity = first.getPred() && parity != kNone ? kUnknown : flipped(parity);
      stores = stores.drop_front();
    }
    return parity;
  }

  /// Computes `atStart`, the parity of the number of records at the start of each block.
  void findParities() {
    atStart[&kernel.getBody().front()] = kEven;
    SmallVector<Block *> work = {&kernel.getBody().front()};
    while (!work.empty()) {
      Block *block = work.pop_back_val();
      Parity end = walkStores(*block, atStart.lookup(block), [](auto, auto, Parity) { return false; });
      for (Block *next : block->getSuccessors()) {
        auto joined = Parity(atStart.lookup(next) | end);
        if (joined == atStart.lookup(next))
          continue;
        atStart[next] = joined;
        work.push_back(next);
      }
    }
  }

  LLVM::LLVMFuncOp kernel;
  llvm::DenseMap<Block *, SmallVector<prof::StoreRecordOp>> storesOf;
  llvm::DenseMap<Block *, Parity> atStart;
};

} // namespace

RecordPairs findRecordPairs(LLVM::LLVMFuncOp kernel, int maxFirstIndex) {
  RecordPairer pairer(kernel);
  auto [even, weightOfEven] = pairer.pairsFrom(0);
  if (maxFirstIndex == 0)
    return std::move(even);
  auto [odd, weightOfOdd] = pairer.pairsFrom(1);
  return weightOfOdd > weightOfEven ? std::move(odd) : std::move(even);
}

} // namespace hocket
