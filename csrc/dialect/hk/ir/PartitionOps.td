// Partitions of warps: while the warps of the default partition run one function, the warps of workers run other
// functions.
//
// Partitions have two forms in the IR: first regions, later functions.
//
//   regions      warp_specialize {...} workers { worker {...} ... }     the form that passes on hk see
//   functions    one for the default partition, one for each worker      created by hocket-outline-workers, merged into
//                                                                        branches on the warp's number in lane form
#ifndef HOCKET_DIALECT_HK_IR_PARTITIONOPS_TD
#define HOCKET_DIALECT_HK_IR_PARTITIONOPS_TD

include "dialect/hk/ir/HkOpBase.td"
include "mlir/IR/OpAsmInterface.td"

// Base class of the operations of the region form. The memory effects of these operations prevent other operations from
// moving across them, because all warps wait for each other when workers start and end.
class HK_PartitionsOp<string mnemonic, list<Trait> traits = []>
  : HK_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

def HK_WarpSpecializeOp : HK_PartitionsOp<"warp_specialize", [NoTerminator,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>, DeclareOpInterfaceMethods<HK_ConcurrentRegion>,
    HK_MemoryOwner]> {
  let summary = "Run a region on the launch's own warps while extra warps run other regions";
  let description = [{
    The warps of the launch run the body of the operation, as they run all code around the operation. Each worker runs
    on extra warps, which wait at all other times. All warps of the block wait for each other before the first partition
    begins and after the last partition has ended. Earlier writes of all warps are visible after these waits. While
    partitions run, they are not synchronized: the user must order their accesses of common memory.

    A barrier in a partition, explicit or inserted, synchronizes only the partition's warps. `offset` is the byte offset
    of the shared memory through which workers are started.

    C1: the body ends with `hk.warp_yield` of values of the types of the results.
    C2: the region `workers` holds at least one `hk.worker`, and nothing else.
    C3: the operation is not inside a partition.

    ```mlir
    %sum = hk.warp_specialize -> f32 {
      %s = hk.reduce %x axis = 0 { .. }
      hk.warp_yield %s : f32
    } workers {
      hk.worker "copy"(%src : !hk.ptr<f32>) num_warps = 4 { .. }
    }
    ```
  }];
  let arguments = (ins HK_MemoryOffset:$offset);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$workers);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results), [{
    build($_builder, $_state, results, /*offset=*/::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    (`offset` `=` $offset^)? (`->` type($results)^)? attr-dict-with-keyword $body `workers` $workers
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<WorkerOp, 4> getWorkerOps();
    /// Bytes of shared memory through which workers receive the number of their function and their captured values.
    int64_t getHandOverBytes();
  }];
}

def HK_WarpYieldOp : HK_Op<"warp_yield", [Pure, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">]> {
  let summary = "End the partition of the launch's own warps with the values of the results";
  let description = [{
    ```mlir
    hk.warp_yield %x : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def HK_WorkerOp : HK_PartitionsOp<"worker", [IsolatedFromAbove, SingleBlockImplicitTerminator<"WorkerEndOp">,
    HasParent<"WarpSpecializeOp">, DeclareOpInterfaceMethods<HK_WarpPartition>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "A partition of extra warps";
  let description = [{
    The arguments of the region's IR block are the captured values. Layouts in the region are for `num_warps` warps.

    C1: `num_warps` is 1, 2, 4 or 8.
    C2: `num_regs`, the number of registers of each lane, is a multiple of 8 from 24 to 256 if it is given.
    C3: arguments have the types of the captured values. Tensors cannot be captured: registers belong to their warps.

    ```mlir
    hk.worker "load"(%src, %ring : !hk.ptr<f32>, !hk.memdesc<4x64xf32, #shared>) num_warps = 1 num_regs = 24 {
    ^bb0(%a: !hk.ptr<f32>, %b: !hk.memdesc<4x64xf32, #shared>):
      ..
      hk.worker_end
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$captures, I32Attr:$num_warps, OptionalAttr<I32Attr>:$num_regs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`(` $captures^ `:` type($captures) `)`)? `num_warps` `=` $num_warps (`num_regs` `=` $num_regs^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def HK_WorkerEndOp : HK_Op<"worker_end", [Pure, Terminator, ReturnLike, HasParent<"WorkerOp">]> {
  let summary = "End a worker";
  let description = [{
    ```mlir
    hk.worker_end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
