//===- PrefetchDescriptors.cpp - Prefetches tensor descriptors at the start of the kernel -----------===//
//
// Without this pass, the first copy through a descriptor would wait until the 128 bytes of the descriptor have been
// read from the parameters of the launch. One thread prefetches all descriptors at the beginning, while other threads
// initialize mbarriers:
//
//     ^entry:  cond_br thread == 0, ^first, ^rest
//     ^first:  nvvm.prefetch tensormap in_param_space, %desc ...    br ^rest
//
// Descriptors that the kernel builds are not prefetched, because they are in the cache, or the acquire fence fetches
// them.
//
// Input:   lane form of one kernel. Output: lane form with prefetches of the descriptors that the kernel passes to
//          copies.
// PTX ISA 9.0, "prefetch".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_nvvm/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_PREFETCHDESCRIPTORS
#include "conversion/lane_to_nvvm/Passes.h.inc"

namespace {

bool isDescriptor(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    return isa<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp, NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp,
               NVVM::CpAsyncBulkTensorReduceOp>(user);
  });
}

/// Returns true if the kernel has descriptor arguments.
bool prefetchDescriptors(LLVM::LLVMFuncOp kernel) {
  if (kernel.isExternal())
    return false;
  SmallVector<Value> descriptors;
  for (BlockArgument argument : kernel.getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getByValAttrName()) && isDescriptor(argument))
      descriptors.push_back(argument);
  if (descriptors.empty())
    return false;
  Location loc = kernel.getLoc();
  Block *entry = &kernel.getBody().front();
  Block *rest = entry->splitBlock(entry->begin());
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  Type i32 = builder.getI32Type();
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  Value zero = LLVM::ConstantOp::create(builder, loc, i32, 0);
  Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, thread, zero);
  Block *first = builder.createBlock(rest);
  for (Value descriptor : descriptors)
    NVVM::PrefetchOp::create(builder, loc, /*cacheLevel=*/NVVM::PrefetchCacheLevelAttr(),
                             /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(), descriptor, /*predicate=*/Value(),
                             /*tensormap=*/builder.getUnitAttr(), /*uniform=*/UnitAttr(),
                             /*in_param_space=*/builder.getUnitAttr());
  LLVM::BrOp::create(builder, loc, ValueRange(), rest);
  builder.setInsertionPointToEnd(entry);
  LLVM::CondBrOp::create(builder, loc, isFirst, first, rest);
  return true;
}

struct PrefetchDescriptors : impl::PrefetchDescriptorsBase<PrefetchDescriptors> {
  void runOnOperation() override {
    bool isChanged = false;
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>())
      isChanged |= prefetchDescriptors(kernel);
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace hocket
