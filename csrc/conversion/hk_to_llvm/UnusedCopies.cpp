//===- UnusedCopies.cpp - Lanes that load what they will not use -----------------------------------===//
#include "conversion/hk_to_llvm/UnusedCopies.h"

#include "conversion/hk_to_llvm/LoweringContext.h"
#include "conversion/hk_to_llvm/RegisterIndices.h"
#include "dialect/hk/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

/// Whether what a lane gets from `op` depends on what this lane has of `value`, and of no other lane's.
static bool staysInLane(Operation *op, Value value) {
  // The layouts of the factors are others than that of the accumulator.
  if (isa<hk::MatrixProduct, hk::DotFmaOp>(op))
    return value.getType() == op->getResult(0).getType();
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<hk::AddPtrOp, hk::PtrCastOp, hk::PtrToIntOp, hk::IntToPtrOp, hk::MulHiOp, hk::GlobalAccess>(op);
}

int64_t findUnusedCopies(LoweringContext &lowering, Operation *load) {
  int64_t copies = copyBits(lowering, lowering.layoutOf(load->getResult(0).getType()));
  if (copies == 0)
    return 0;
  auto hasSameCopies = [&](Type type) { return copyBits(lowering, lowering.layoutOf(type)) == copies; };
  llvm::SmallSetVector<Operation *, 16> reached;
  reached.insert(load);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i]->getUsers()) {
      // A store acts by the copies of what it stores; the pointer of a buffer is one for all.
      bool stores = user->getNumResults() == 0;
      auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
      if (!staysInLane(user, reached[i]->getResult(0)) || !llvm::all_of(user->getResultTypes(), hasSameCopies) ||
          (stores && !llvm::all_of(llvm::make_filter_range(user->getOperandTypes(), isTensor), hasSameCopies)))
        return 0;
      reached.insert(user);
    }
  return copies;
}

IntegerAttr unusedCopiesAttr(LoweringContext &lowering, Operation *load) {
  // The bits are those of a thread's number in the block, which are others than among these warps.
  if (lowering.firstWarp % lowering.numWarps != 0)
    return {};
  int64_t copies = findUnusedCopies(lowering, load);
  return copies ? Builder(load->getContext()).getI32IntegerAttr(int32_t(copies)) : IntegerAttr();
}

} // namespace hocket
