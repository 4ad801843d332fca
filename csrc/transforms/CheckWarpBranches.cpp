//===- CheckWarpBranches.cpp - Checks the branches that single warps take ------------===//
//
// hk.any_in_warp returns one result per warp, while all other scalars are the same in all warps. In a branch on the
// result of hk.any_in_warp, a warp must not wait for other warps, which possibly do not take the branch. In such a
// branch, a warp must not compute an element of which another warp holds a copy, because the copies would differ.
//
// Input:    hk; layouts are decided.
// Output:   hk, or an error at the first operation that breaks one of the rules:
//             the result is only used as the condition of scf.if,
//             the branches have no side effects except reads of shared memory, and exchange nothing through scratch,
//             their results are tensors of which no two warps hold the same element.
// Not done: allowing effects that need no wait, such as stores.
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/Layouts.h"
#include "layout/LayoutWarps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "transforms/Passes.h"
#include "transforms/SyncRecord.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CHECKWARPBRANCHES
#include "transforms/Passes.h.inc"

static LogicalResult refuse(Operation *op, const Twine &message, const char *hint) {
  InFlightDiagnostic error = op->emitError(message);
  error.attachNote() << "hint: " << hint;
  return error;
}

static LogicalResult checkResult(OpResult result) {
  auto tensor = dyn_cast<RankedTensorType>(result.getType());
  if (!tensor)
    return refuse(result.getOwner(), "a branch that may differ between warps cannot assign a scalar",
                  "only tensors may differ between warps: a scalar is the same in all of them");
  LinearLayout layout = hk::toLinearLayout(tensor);
  if (layout.getFreeVariableMasks()[Dim::Warp] == 0 &&
      layout.getInDimSize(Dim::Warp) == layoutWarps(hk::numWarpsAt(result.getOwner())))
    return success();
  return refuse(
      result.getOwner(),
      "a branch that may differ between warps cannot assign a tensor of which several warps hold the same elements",
      "choose a layout that divides the tensor among all warps");
}

static LogicalResult checkOperation(Operation *op) {
  // The walk visits the operations inside branches and loops separately.
  if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
    return success();
  // Reads of shared memory are allowed, because InsertBarriers inserts their barriers before the branch.
  if ((isMemoryEffectFree(op) || isa<hk::LocalLoadOp>(op)) && hk::getScratchBytes(op) == 0)
    return success();
  return refuse(op, "the " + wordsFor(op) + " is in a branch that may differ between warps",
                "a branch on gl.any_in_warp may contain computation within a warp, but no memory access and no "
                "synchronization of warps");
}

static LogicalResult checkUse(OpOperand &use) {
  auto branch = dyn_cast<scf::IfOp>(use.getOwner());
  if (!branch)
    return refuse(use.getOwner(), "this uses the result of gl.any_in_warp, which differs between warps",
                  "use it only as the condition of an `if`");
  for (OpResult result : branch->getResults())
    if (failed(checkResult(result)))
      return failure();
  WalkResult walked = branch.walk([&](Operation *op) {
    return op == branch || succeeded(checkOperation(op)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

namespace {
struct CheckWarpBranches : impl::CheckWarpBranchesBase<CheckWarpBranches> {
  void runOnOperation() override {
    WalkResult walked = getOperation().walk([](hk::AnyInWarpOp op) {
      for (OpOperand &use : op->getUses())
        if (failed(checkUse(use)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace hocket
