//===- LeaveCopiesInFlight.cpp - Keeps the back end from waiting for copies into LDS --------===//
//
// The back end models copies into LDS as writes of LDS. The back end therefore waits for all copies (vmcnt 0) at two
// kinds of program points. Copies should stay in flight at both kinds of program points, because the kernel waits for
// them by async_wait_group:
//
//   1. The back end waits before an LDS access that possibly aliases a copy. If the tiles are in a ring buffer, every
//      access possibly aliases a copy. The pass adds two alias scopes, one for copies and one for all other accesses,
//      so that no access waits. If an access and a copy do overlap, the kernel has a barrier or a wait between the
//      access and the copy. The fence of this barrier or wait prevents LLVM from reordering the access and the copy.
//
//   2. The back end waits at a release fence of workgroup scope that orders LDS, and therefore at every barrier. At a
//      fence of agent scope, the back end waits only for the LDS accesses themselves (lgkmcnt). The pass therefore
//      changes fences of LDS to the scope "agent", and splits fences of both LDS and global memory in two.
//
//     fence workgroup release            ->  fence workgroup release, global;  fence agent release, local
//     fence workgroup release, local     ->  fence agent release, local
//
// A kernel without copies into LDS is unchanged.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/lane_to_rocdl/OutstandingCopies.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "dialect/lane/AddressSpaces.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_LEAVECOPIESINFLIGHT
#include "conversion/lane_to_rocdl/Passes.h.inc"

static bool hasCopies(LLVM::LLVMFuncOp function) {
  return function
      .walk([](Operation *op) { return isCopyToShared(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

static bool accessesShared(LLVM::AliasAnalysisOpInterface access) {
  return llvm::any_of(access.getAccessedOperands(), [](Value operand) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(operand.getType());
    return pointer && pointer.getAddressSpace() == kSharedAddressSpace;
  });
}

static void addAliasScopes(LLVM::LLVMFuncOp function) {
  MLIRContext *context = function.getContext();
  auto domain = LLVM::AliasScopeDomainAttr::get(context, StringAttr::get(context, "shared memory"));
  auto scopeOf = [&](StringRef name) {
    return ArrayAttr::get(context, {LLVM::AliasScopeAttr::get(domain, StringAttr::get(context, name))});
  };
  ArrayAttr copies = scopeOf("copies"), others = scopeOf("accesses");
  function.walk([&](LLVM::AliasAnalysisOpInterface access) {
    if (!accessesShared(access))
      return;
    bool isCopy = isCopyToShared(access);
    access.setAliasScopes(isCopy ? copies : others);
    access.setNoAliasScopes(isCopy ? others : copies);
  });
}

/// Changes the scope of the release fences of workgroup scope that order LDS. Fences that also order global memory are
/// split.
static void splitFences(LLVM::LLVMFuncOp function) {
  MLIRContext *context = function.getContext();
  StringRef name = LLVM::LLVMDialect::getMmraAttrName();
  auto orders = [&](StringRef memory) { return LLVM::MMRATagAttr::get(context, "amdgpu-synchronize-as", memory); };
  SmallVector<LLVM::FenceOp> fences;
  function.walk([&](LLVM::FenceOp fence) {
    Attribute tag = fence->getAttr(name);
    if (fence.getSyncscope() == StringRef("workgroup") && (!tag || tag == orders("local")))
      fences.push_back(fence);
  });
  for (LLVM::FenceOp fence : fences) {
    OpBuilder builder(fence);
    if (!fence->hasAttr(name))
      builder.clone(*fence)->setAttr(name, orders("global"));
    fence.setSyncscope("agent");
    fence->setAttr(name, orders("local"));
  }
}

namespace {

struct LeaveCopiesInFlight : impl::LeaveCopiesInFlightBase<LeaveCopiesInFlight> {
  void runOnOperation() override {
    if (!hasCopies(getOperation()))
      return markAllAnalysesPreserved();
    addAliasScopes(getOperation());
    splitFences(getOperation());
  }
};

} // namespace
} // namespace hocket
