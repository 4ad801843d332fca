// The interface of memory spaces, the last parameter of `!hk.memdesc` (MemorySpaces.h).
#ifndef HOCKET_DIALECT_HK_FACTS_MEMORYSPACES_TD
#define HOCKET_DIALECT_HK_FACTS_MEMORYSPACES_TD

include "mlir/IR/OpBase.td"

def HK_MemorySpace : AttrInterface<"MemorySpace"> {
  let cppNamespace = "::hocket::hk";
  let description = [{
    A memory of the block in which `hk.local_alloc` allocates buffers. Allocation, liveness, hazards and barriers obtain
    all facts about the memory from this interface.
  }];
  let methods = [
    InterfaceMethod<"Returns the name of the memory in messages: \"shared memory\".", "::llvm::StringRef", "getName">,
    InterfaceMethod<"Returns the resource of effects on the memory.", "::mlir::SideEffects::Resource *", "getResource">,
    InterfaceMethod<"Returns the bytes that a block may allocate on `target`.", "int64_t", "getCapacity",
                    (ins "const ::hocket::TargetInfo &":$target)>,
    InterfaceMethod<"Returns the least alignment of a buffer in bytes, a power of two.", "int64_t", "getAlignment">,
    InterfaceMethod<"Returns the module attributes that record the allocated bytes and buffers.",
                    "::hocket::hk::AllocationAttrs", "getAllocationAttrs">,
    InterfaceMethod<[{True if `op` is a barrier of the block: warps wait for each other, and accesses of the memory
                      before it are visible to all warps after it.}],
                    "bool", "isBarrier", (ins "::mlir::Operation *":$op)>,
    InterfaceMethod<[{Creates a barrier of the block. If `ordersGlobal`, it also orders accesses of global memory.}],
                    "::mlir::Operation *", "createBarrier",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "bool":$ordersGlobal)>,
    InterfaceMethod<[{True if lanes access the memory through the generic proxy, so that a proxy fence must order their
                      accesses before accesses through the async proxy (AsyncProxyAccess).}],
                    "bool", "needsProxyFences">,
    InterfaceMethod<[{True if the barriers between the stages of warp pipelines order accesses of the memory. Otherwise,
                      stages must not access the memory.}],
                    "bool", "isOrderedByStages">,
  ];
}

#endif
