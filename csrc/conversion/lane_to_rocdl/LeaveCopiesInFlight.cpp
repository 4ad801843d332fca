//===- LeaveCopiesInFlight.cpp - Only the kernel's own waits wait for copies into LDS -------===//
//
// The back end knows that copies into LDS write it, and on its own waits for all of them (vmcnt 0) at two places where
// kernels want them in flight, since they say themselves which groups must have arrived (async_wait_group):
//
//   before an access of LDS that may meet them; with a ring of tiles, before every one. Two alias scopes, one of copies
//   and one of all other accesses, say that these need not wait. The order in the program remains: where an access and
//   a copy do meet in memory there is a barrier or a wait between them, whose fence keeps them apart.
//
//   at a release fence of workgroup scope that orders LDS, so at every barrier. For one of a larger scope it does not,
//   as such fences are not meant to publish LDS, whose accesses (lgkmcnt) it waits for all the same: fences of LDS get
//   the scope "agent", those of both memories are split in two.
//
//     fence workgroup release            ->  fence workgroup release, global;  fence agent release, local
//     fence workgroup release, local     ->  fence agent release, local
//
// A kernel without copies into LDS is left alone.
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

/// Fences of the block's LDS, alone or with global memory.
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
