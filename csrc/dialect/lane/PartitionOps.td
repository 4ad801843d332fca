// Where the launch's own warps hand work over to others, until JoinPartitions has made one function of all partitions.
#ifndef HOCKET_DIALECT_LANE_PARTITIONOPS_TD
#define HOCKET_DIALECT_LANE_PARTITIONOPS_TD

def Lane_StartWorkersOp : Lane_Op<"start_workers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Let other warps of the block run functions, each its own";
  let description = [{
    All warps of the block wait for each other; then those of `hk.partition` of each function run it, with as many of the
    captured values as `counts` says. `offset` is where shared memory has room for what the workers must be told. While
    they run, a lane has `registers` if that is given: of a warp of the launch, then of one of each warpgroup that
    follows; `entry_registers` before and afterwards.

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
  let summary = "Wait until the workers that were started last have ended";
  let description = [{
    ```mlir
    lane.join_workers
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
