// Operations between the blocks of a cluster for which NVVM has no operation. The operations of this file are not in
// LaneOps.td, because all lowerings include LaneOps.td.
#ifndef HOCKET_DIALECT_LANE_LANECLUSTEROPS_TD
#define HOCKET_DIALECT_LANE_LANECLUSTEROPS_TD

include "dialect/lane/LaneOpBase.td"

def Lane_ClusterPtr : Type<CPred<[{
  ::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self) &&
  ::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == ::hocket::kClusterAddressSpace}]>,
  "pointer to the shared memory of any block of the cluster (!llvm.ptr<7>)">;

def Lane_StoreAsyncOp : Lane_Op<"store_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start storing words to the shared memory of a block of the cluster";
  let description = [{
    The words are stored asynchronously, to consecutive addresses that begin at `dst`. The arrival of a word completes
    the word's bytes (complete_tx) at `barrier`, an mbarrier of the block that owns `dst`.

    C1: there are 1, 2 or 4 words, and `dst` is a multiple of their size. (The address is checked in the emulator.)

    ```mlir
    lane.store_async %a, %b to %dst, %barrier : !llvm.ptr<7>, !llvm.ptr<7>
    ```
  }];
  let arguments = (ins Variadic<I32>:$words, Lane_ClusterPtr:$dst, Lane_ClusterPtr:$barrier);
  let assemblyFormat = "$words `to` $dst `,` $barrier attr-dict `:` type($dst) `,` type($barrier)";
  let hasVerifier = 1;
}

#endif
