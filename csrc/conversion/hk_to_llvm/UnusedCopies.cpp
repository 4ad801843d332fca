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

/// Whether what a lane gets from `op` depends on the operands of this lane alone.
static bool staysInLane(Operation *op) {
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
      if (!staysInLane(user) || !llvm::all_of(user->getOperandTypes(), hasSameCopies) ||
          !llvm::all_of(user->getResultTypes(), hasSameCopies))
        return 0;
      reached.insert(user);
    }
  return copies;
}

IntegerAttr unusedCopiesAttr(LoweringContext &lowering, Operation *load) {
  int64_t copies = findUnusedCopies(lowering, load);
  return copies ? Builder(load->getContext()).getI32IntegerAttr(int32_t(copies)) : IntegerAttr();
}

} // namespace hocket
