//===- LeaveCopiesInFlight.cpp - Prevents the back end's own waits for copies into LDS ------===//
//
// The back end knows that copies into LDS write it. It therefore waits for all of them (vmcnt 0) at two kinds of
// program points where kernels need them in flight, and where only the kernel's async_wait_group should wait:
//
//   before an LDS access that may alias them; with a ring buffer of tiles, before each one. Two alias scopes, one of
//   copies and one of all other accesses, declare that these need not wait. Program order remains: if an access and a
//   copy do overlap, there is a barrier or a wait between them, whose fence keeps them apart.
//
//   at a release fence of workgroup scope that orders LDS, so at every barrier. It does not wait at fences of a larger
//   scope, which are not meant to publish LDS, except for LDS accesses themselves (lgkmcnt): fences of LDS are changed
//   to the scope "agent", and those of both memories are split in two.
//
//     fence workgroup release            ->  fence workgroup release, global;  fence agent release, local
//     fence workgroup release, local     ->  fence agent release, local
//
// A kernel without copies into LDS is unchanged.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/lane_to_rocdl/OutstandingCopies.h"
#include "conversion/lane_to_rocdl/Passes.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_LEAVECOPIESINFLIGHT
#include "conversion/lane_to_rocdl/Passes.h.inc"

constexpr unsigned kSharedMemory = 3;

static bool hasCopies(LLVM::LLVMFuncOp function) {
  return function
      .walk([](Operation *op) { return isCopyToShared(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

static bool accessesShared(LLVM::AliasAnalysisOpInterface access) {
  return llvm::any_of(access.getAccessedOperands(), [](Value operand) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(operand.getType());
    return pointer && pointer.getAddressSpace() == kSharedMemory;
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

/// Splits fences of the block's LDS, alone or with global memory.
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
