//===- UnusedCopies.cpp - Marks loads whose copies in other lanes are unused -----------------------===//
#include "conversion/hk_to_lane/passes/UnusedCopies.h"

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/RegisterIndices.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "layout/LayoutWarps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

/// True if a lane's part of the result of `op` depends only on the same lane's part of `value`.
static bool staysInLane(Operation *op, Value value) {
  // Operands a and b of an MMA have other layouts than the accumulator.
  if (isa<hk::Mma, hk::DotFmaOp>(op))
    return value.getType() == op->getResult(0).getType();
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<hk::AddPtrOp, hk::PtrCastOp, hk::PtrToIntOp, hk::IntToPtrOp, hk::MulHiOp, hk::GlobalAccess>(op);
}

/// Returns a mask of bits of a thread's index in its block. If one of these bits is set in a thread's index, the thread
/// does not execute any store that uses its result of `load`. Returns 0 if all loaded values are used, or if there are
/// no copies.
static int64_t findUnusedCopies(LoweringContext &lowering, Operation *load) {
  int64_t copies = copyBits(lowering, lowering.layoutOf(load->getResult(0).getType()));
  if (copies == 0)
    return 0;
  auto hasSameCopies = [&](Type type) { return copyBits(lowering, lowering.layoutOf(type)) == copies; };
  llvm::SmallSetVector<Value, 16> reached;
  reached.insert(load->getResult(0));
  for (size_t i = 0; i < reached.size(); ++i)
    for (OpOperand &use : reached[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto branch = dyn_cast<BranchOpInterface>(user)) {
        std::optional<BlockArgument> passed = branch.getSuccessorBlockArgument(use.getOperandNumber());
        if (!passed)
          return 0;
        reached.insert(*passed);
        continue;
      }
      // The layout of the stored tensor determines which lane stores. Scalar operands, such as the pointer to a buffer,
      // are warp-uniform.
      bool stores = user->getNumResults() == 0;
      auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
      if (!staysInLane(user, reached[i]) || !llvm::all_of(user->getResultTypes(), hasSameCopies) ||
          (stores && !llvm::all_of(llvm::make_filter_range(user->getOperandTypes(), isTensor), hasSameCopies)))
        return 0;
      reached.insert_range(user->getResults());
    }
  return copies;
}

void markUnusedCopies(LoweringContext &lowering, func::FuncOp function) {
  // The mask must apply to the index of a thread in its block, but copies are known only for the thread's index among
  // the warps of the function. The relevant bits of both indices are equal if the index of the first warp is a multiple
  // of the number of warps in layouts.
  if (lowering.firstWarp % layoutWarps(lowering.numWarps) != 0)
    return;
  function.walk([&](hk::GlobalAccess op) {
    if (op->getNumResults() != 1)
      return;
    if (int64_t copies = findUnusedCopies(lowering, op))
      lane::kUnusedCopiesAttr.set(op, copies);
  });
}

} // namespace hocket
