// Partitions of warps: while the warps of the launch run one function, extra warps run others.
//
// Two forms, one after the other:
//
//   regions      warp_specialize { .. } workers { worker { .. } .. }     what the passes of the dialect see
//   functions    one for the launch's own warps, one for each worker     made by hocket-outline-workers, joined into
//                                                                        branches on the warp's number in lane form
#ifndef HOCKET_DIALECT_HK_PARTITIONOPS_TD
#define HOCKET_DIALECT_HK_PARTITIONOPS_TD

include "dialect/hk/HkOpBase.td"
include "mlir/IR/OpAsmInterface.td"

// In regions. Nothing moves across the operations: all warps wait for each other where workers start and end.
class HK_PartitionsOp<string mnemonic, list<Trait> traits = []>
  : HK_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

def HK_WarpSpecializeOp : HK_PartitionsOp<"warp_specialize", [NoTerminator,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>, DeclareOpInterfaceMethods<HK_ConcurrentRegion>]> {
  let summary = "Run a region on the launch's own warps while extra warps run others";
  let description = [{
    The warps of the launch, which run all code around the operation, run its body; each worker runs on warps of its
    own, which wait wherever there is nothing for them to do. All warps of the block wait for each other before the
    first begins and after the last has ended, and see what others wrote before. In between nothing keeps partitions in
    step, and what they exchange is for the user to put in order.

    A barrier in a partition, written or inserted, is one of its own warps.

    C1: the body ends with `hk.warp_yield` of values of the types of the results.
    C2: the other region holds workers and nothing else, at least one.
    C3: the operation is in no partition.

    ```mlir
    %sum = hk.warp_specialize -> f32 {
      %s = hk.reduce %x axis = 0 { .. }
      hk.warp_yield %s : f32
    } workers {
      hk.worker "copy"(%src : !hk.ptr<f32>) num_warps = 4 { .. }
    }
    ```
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$workers);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body `workers` $workers";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<WorkerOp, 4> getWorkerOps();
    /// Bytes of shared memory through which workers are told what to do, and are given what they capture.
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
    The block's arguments are the captured values. Layouts in the region are for `num_warps` warps.

    C1: `num_warps` is 1, 2, 4 or 8.
    C2: `num_regs`, the registers of each lane, if it is given, is a multiple of 8 from 24 to 256.
    C3: arguments have the types of what is captured, which is no tensor: registers belong to their warps.

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
