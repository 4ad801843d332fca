//===- PackCarried.cpp - Packs 16-bit block arguments in pairs -----------------------===//
//
// Input:   lane form.
// Output:  lane form, in which pairs of 16-bit block arguments are replaced by vectors.
// Method:  a GPU register holds two 16-bit numbers, and MMA operands are such pairs. The back ends would assign a
//          separate register to each block argument, and unpack and pack the pairs in each iteration. LLVM folds the
//          insertions and extractions that this pass adds into the operations that define and use the pairs.
//
//===----------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_PACKCARRIED
#include "conversion/hk_to_lane/passes/Passes.h.inc"

static bool isHalfWord(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 16; }

/// Returns the indices of the arguments of `block` that begin a pair, in descending order.
static SmallVector<unsigned> pairsOf(Block &block) {
  SmallVector<unsigned> pairs;
  for (unsigned number = 0; number + 1 < block.getNumArguments(); ++number) {
    Type type = block.getArgument(number).getType();
    if (isHalfWord(type) && block.getArgument(number + 1).getType() == type)
      pairs.push_back(number++);
  }
  return llvm::to_vector(llvm::reverse(pairs));
}

static Value packed(OpBuilder &builder, Location loc, const std::array<Value, 2> &halves) {
  Value vector = LLVM::PoisonOp::create(builder, loc, VectorType::get(2, halves[0].getType()));
  for (auto [number, value] : llvm::enumerate(halves)) {
    Value index = LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(number)));
    vector = LLVM::InsertElementOp::create(builder, loc, vector, value, index);
  }
  return vector;
}

/// Merges the arguments `first` and `first + 1` of `block`.
static void packArguments(Block &block, unsigned first) {
  for (Block *before : llvm::SetVector<Block *>(block.pred_begin(), block.pred_end())) {
    auto branch = cast<BranchOpInterface>(before->getTerminator());
    OpBuilder builder(branch);
    for (unsigned successor = 0; successor < branch->getNumSuccessors(); ++successor) {
      if (branch->getSuccessor(successor) != &block)
        continue;
      MutableOperandRange operands = branch.getSuccessorOperands(successor).getMutableForwardedOperands();
      Value pair = packed(builder, branch.getLoc(), {operands[first].get(), operands[first + 1].get()});
      operands.slice(first, 2).assign(pair);
    }
  }
  std::array<BlockArgument, 2> halves{block.getArgument(first), block.getArgument(first + 1)};
  OpBuilder builder(&block, block.begin());
  Value pair = block.insertArgument(first, VectorType::get(2, halves[0].getType()), halves[0].getLoc());
  for (auto [number, argument] : llvm::enumerate(halves)) {
    Value index = LLVM::ConstantOp::create(builder, argument.getLoc(), builder.getI32IntegerAttr(int32_t(number)));
    argument.replaceAllUsesWith(LLVM::ExtractElementOp::create(builder, argument.getLoc(), pair, index));
  }
  block.eraseArguments(first + 1, 2);
}

namespace {

struct PackCarried : impl::PackCarriedBase<PackCarried> {
  void runOnOperation() override {
    bool isChanged = false;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      for (Block &block : llvm::drop_begin(function.getBody())) {
        bool canBranch = llvm::all_of(block.getPredecessors(),
                                      [](Block *before) { return isa<BranchOpInterface>(before->getTerminator()); });
        for (unsigned first : canBranch ? pairsOf(block) : SmallVector<unsigned>()) {
          packArguments(block, first);
          isChanged = true;
        }
      }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace hocket
