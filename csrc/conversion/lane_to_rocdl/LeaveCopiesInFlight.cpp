//===- LeaveCopiesInFlight.cpp - Only waits of the kernel wait for copies into LDS ----------===//
#include "conversion/lane_to_rocdl/LeaveCopiesInFlight.h"

#include "conversion/lane_to_rocdl/OutstandingCopies.h"

using namespace mlir;

namespace hocket {

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

void leaveCopiesInFlight(LLVM::LLVMFuncOp function) {
  if (!hasCopies(function))
    return;
  addAliasScopes(function);
  splitFences(function);
}

} // namespace hocket
