// Stages of warp pipelines: two to four groups of four warps run the same stages, each group at its own time.
//
// Stages have three forms in the IR, which the passes create in this order:
//
//   markers      stage_begin ... stage_end    the user's form; made into regions by hocket-warp-pipeline-partition
//   regions      stage { ... stage_yield }    made into barriers by hocket-warp-pipeline-lowering
//   barriers     PipelineBarrierOps.td
//
// A loop whose body is a pipeline of regions has the attribute `hk.pipelined`, an i32: the number of stages by which
// each group lags behind the previous group, unless the first stage has `hk.group_lags`. After the lowering, shared
// memory accesses that were in stages have the attribute `hk.ordered`.
#ifndef HOCKET_DIALECT_HK_IR_STAGEOPS_TD
#define HOCKET_DIALECT_HK_IR_STAGEOPS_TD

include "dialect/hk/ir/HkOpBase.td"

// Number of stages by which each group lags behind the previous group. The attribute `hk.pipelined` has the same
// maximum value. For each stage of the largest lag, the lowering creates an `hk.group_barrier` before and after a
// pipeline without exclusive stages.
def HK_PhaseGap : ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<256>]>;

// The memory effects prevent other operations from moving across a stage boundary, because the code before and the code
// after the boundary run at different times.
class HK_StagesOp<string mnemonic, list<Trait> traits = []>
  : HK_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

// Markers -------------------------------------------------------------------------------------------------------------

def HK_StageBeginOp : HK_StagesOp<"stage_begin"> {
  let summary = "Begin a stage of a warp pipeline";
  let description = [{
    The operations that follow, up to `hk.stage_end` in the same block, are one stage. Consecutive stages form a warp
    pipeline, which hocket-warp-pipeline-partition checks. Only the pipeline's first stage has a `phase_gap`; the
    default is 1. In straight-line code a stage with `phase_gap` begins a new pipeline, even directly after another one.
    Group g of the warps lags g times the `phase_gap` behind group 0, or as the attribute `hk.group_lags` specifies.

    With `exclusive`, only one group of warps executes the stage at a time: first group 0, then group 1, and so on
    (ping-pong). In a pipeline with exclusive stages, the groups wait for each other only at these stages.

    `in_loop` marks a stage that was written in the body of a loop. If the loop has one iteration, it is removed, and
    its stages move to the enclosing block.

    C1: `priority`, if there is one, is 0, 1, 2 or 3.
    C2: `phase_gap`, if there is one, is at least 1 and at most 256.

    ```mlir
    hk.stage_begin "load" {priority = 1 : i32}
    hk.stage_begin "compute" exclusive in_loop
    ```
  }];
  let arguments = (ins StrAttr:$label, OptionalAttr<HK_StagePriority>:$priority,
    OptionalAttr<HK_PhaseGap>:$phase_gap, UnitAttr:$exclusive, UnitAttr:$in_loop);
  let assemblyFormat = "$label (`exclusive` $exclusive^)? (`in_loop` $in_loop^)? attr-dict";
}

def HK_StageEndOp : HK_StagesOp<"stage_end"> {
  let summary = "End a stage of a warp pipeline";
  let description = [{
    ```mlir
    hk.stage_end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

// Regions -------------------------------------------------------------------------------------------------------------

def HK_StageOp : HK_StagesOp<"stage", [SingleBlockImplicitTerminator<"StageYieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>, DeclareOpInterfaceMethods<HK_ConcurrentRegion>]> {
  let summary = "One stage of a warp pipeline";
  let description = [{
    The operation runs its region once. While one group of warps is in this stage, the next group is in the stage at
    distance `phase_gap`, unless the first stage has `hk.group_lags`. An empty stage is a pause.

    Two or more stages, with at most one `hk.async_wait_group` or `hk.barrier` between consecutive ones, are a warp
    pipeline. The pipeline is either the body of an `scf.for` with `hk.pipelined`, or straight-line code. In
    straight-line code, the first stage's `phase_gap` applies to the pipeline, and each stage with a `phase_gap` begins
    another pipeline.

    Fences between stages order the stages' accesses of common shared or global memory. A pipeline whose accesses no
    fences can order is rejected. Pointers that come from different arguments of the kernel are assumed not to alias.

    C1: `priority`, if there is one, is 0, 1, 2 or 3.
    C2: `phase_gap`, if there is one, is at least 1 and at most 256.
    C3: stages are not nested.

    ```mlir
    %x = hk.stage "load" priority = 1 -> tensor<64x64xf16, #blocked> {
      %tile = hk.local_load %slot : !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf16, #blocked>
      hk.stage_yield %tile : tensor<64x64xf16, #blocked>
    }
    ```
  }];
  let arguments = (ins StrAttr:$label, OptionalAttr<HK_StagePriority>:$priority,
    OptionalAttr<HK_PhaseGap>:$phase_gap, UnitAttr:$exclusive);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $label (`priority` `=` $priority^)? (`phase_gap` `=` $phase_gap^)? (`exclusive` $exclusive^)?
    (`->` type($results)^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def HK_StageYieldOp : HK_Op<"stage_yield", [Pure, Terminator, ReturnLike, HasParent<"StageOp">]> {
  let summary = "End a stage with the values of its results";
  let description = [{
    C1: the operands have the types of the stage's results.

    ```mlir
    hk.stage_yield %tile : tensor<64x64xf16, #blocked>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ }]>];
  let hasVerifier = 1;
}

#endif
