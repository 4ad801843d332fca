//===- AssertSlots.cpp - Asserts that slot indices of ring buffers are in range ------===//
//
// Other buffers can be located before the first slot and after the last slot of a ring buffer. An access with a slot
// index out of range can therefore be inside shared memory, but in another buffer. A prefetching loop computes slot
// indices for iterations that are not executed, and uses these indices with a false predicate. Therefore an assertion
// before each access checks the index only if the predicate of the access is true:
//
//     %slot = hk.memdesc_index %ring[%k]          %exists = arith.cmpi ult, %k, %slots
//                                                 hk.assert (%exists or not %more)
//     hk_nv.mbarrier_wait %slot, %p pred %more    hk_nv.mbarrier_wait %slot, %p pred %more
//
// If the handle of the slot is passed to a branch or a partition, the index is checked at the operation that computes
// the handle.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/AssertSlots.h"
#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

/// Adds the operations that access memory through `handle` to `accesses`. Returns false if there are possibly further
/// accesses.
static bool collectAccesses(Value handle, llvm::SetVector<Operation *> &accesses) {
  for (Operation *user : handle.getUsers()) {
    if (auto view = dyn_cast<hk::MemDescView>(user)) {
      if (!collectAccesses(view->getResult(0), accesses))
        return false;
      continue;
    }
    if (user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() > 0)
      return false;
    accesses.insert(user);
  }
  return true;
}

static bool mayMiss(hk::MemDescIndexOp index, int64_t slots) {
  APInt known;
  return !matchPattern(index.getIndex(), m_ConstantInt(&known)) || known.getSExtValue() < 0 ||
         known.getSExtValue() >= slots;
}

static void assertSlotOf(hk::MemDescIndexOp index, int64_t slots, const TargetLowering &targetLowering) {
  Location loc = index.getLoc();
  OpBuilder builder(index);
  builder.setInsertionPointAfter(index);
  Value count = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), slots);
  // One unsigned comparison suffices, because a negative number becomes a large unsigned number.
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index.getIndex(), count);
  StringAttr message = builder.getStringAttr("the index lies outside a ring of " + Twine(slots) + " buffers");
  llvm::SetVector<Operation *> accesses;
  bool isKnown = collectAccesses(index.getResult(), accesses);
  bool isUsedHere = llvm::any_of(accesses, [&](Operation *access) {
    return access->getBlock() == index->getBlock() && !targetLowering.predicateOf(access);
  });
  if (!isKnown || isUsedHere) {
    hk::AssertOp::create(builder, loc, exists, message, /*late=*/false);
    return;
  }
  for (Operation *access : accesses) {
    builder.setInsertionPoint(access);
    Value isFine = exists;
    if (Value predicate = targetLowering.predicateOf(access)) {
      Value yes = arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1);
      isFine = arith::OrIOp::create(builder, loc, exists, arith::XOrIOp::create(builder, loc, predicate, yes));
    }
    hk::AssertOp::create(builder, loc, isFine, message, /*late=*/false);
  }
}

void assertSlots(ModuleOp module, const TargetLowering &targetLowering) {
  SmallVector<hk::MemDescIndexOp> indices;
  module.walk([&](hk::MemDescIndexOp index) { indices.push_back(index); });
  for (hk::MemDescIndexOp index : indices)
    if (int64_t slots = cast<hk::MemDescType>(index.getSrc().getType()).getShape().front(); mayMiss(index, slots))
      assertSlotOf(index, slots, targetLowering);
}

} // namespace hocket
