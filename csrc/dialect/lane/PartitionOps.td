// Start and join of the partitions of warp_specialize, until JoinPartitions merges all partitions into one function.
#ifndef HOCKET_DIALECT_LANE_PARTITIONOPS_TD
#define HOCKET_DIALECT_LANE_PARTITIONOPS_TD

def Lane_StartWorkersOp : Lane_Op<"start_workers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Start functions on other warps of the block, one function per partition";
  let description = [{
    All warps of the block wait for each other; then the warps of each function's `hk.partition` run it with the number
    of captured values that `counts` gives. `offset` is a region of shared memory through which captured values are
    passed to the workers. While they run, lanes have the given `registers`: the first for a warp of the launch, then
    one for each following warpgroup; before and afterwards they have `entry_registers`.

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
