// Start and join of the partitions of warp_specialize, until JoinPartitions merges all partitions into one function.
#ifndef HOCKET_DIALECT_LANE_PARTITIONOPS_TD
#define HOCKET_DIALECT_LANE_PARTITIONOPS_TD

def Lane_StartWorkersOp : Lane_Op<"start_workers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start functions on other warps of the block, one function per partition";
  let description = [{
    All warps of the block wait for each other. Then each function runs on the warps that its attribute `hk.partition`
    names. `captures` holds the arguments of all functions, one function after the other, and `counts` the number of
    arguments of each function. The arguments are passed through shared memory at `offset`. `registers` holds the
    numbers of registers of each lane while workers run: the first number is for the warps of the launch, and each
    further number is for the next warpgroup. Before and after, each lane has `entry_registers` registers.

    ```mlir
    lane.start_workers [@load, @store] (%x, %n, %y : !llvm.ptr<1>, i32, !llvm.ptr<1>) counts = [2, 1] offset = 4096
    ```
  }];
  let arguments = (ins FlatSymbolRefArrayAttr:$workers, Variadic<AnyType>:$captures, DenseI32ArrayAttr:$counts,
    I32Attr:$offset, OptionalAttr<I32Attr>:$entry_registers, OptionalAttr<DenseI32ArrayAttr>:$registers);
  let assemblyFormat = [{
    $workers (`(` $captures^ `:` type($captures) `)`)? `counts` `=` $counts `offset` `=` $offset
    (`entry_registers` `=` $entry_registers^)? (`registers` `=` $registers^)? attr-dict
  }];
}

def Lane_JoinWorkersOp : Lane_Op<"join_workers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the workers of the last lane.start_workers have ended";
  let description = [{
    ```mlir
    lane.join_workers
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
