// Stages of warp pipelines: two groups of four warps run the same stages, one group some stages after the other.
//
// Two forms, one after the other; the third, barriers, is the vendor's:
//
//   markers      stage_begin .. stage_end     what the user wrote; made into regions by hocket-warp-pipeline-partition
//   regions      stage { .. stage_yield }     made into barriers by hocket-warp-pipeline-lowering
//
// A loop whose body is a pipeline of regions has the attribute `hk.pipelined`, an i32: how many stages the high group
// lags. After the lowering, accesses of shared memory that were in stages carry `hk.ordered`.
#ifndef HOCKET_DIALECT_HK_STAGEOPS_TD
#define HOCKET_DIALECT_HK_STAGEOPS_TD

include "dialect/hk/HkOpBase.td"

// In stages. At most as many as `hk.pipelined`: a pipeline has as many pauses as its lag, and a barrier for each.
def HK_PhaseGap : ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<256>]>;

// Nothing moves across it: the code on its two sides runs at different times.
class HK_StagesOp<string mnemonic, list<Trait> traits = []>
  : HK_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

// Markers -------------------------------------------------------------------------------------------------------------

def HK_StageBeginOp : HK_StagesOp<"stage_begin"> {
  let summary = "Begin a stage of a warp pipeline";
  let description = [{
    What follows, up to `hk.stage_end` in the same block, is one stage. It means nothing by itself: stages in a row make
    a pipeline, which the partition pass checks. Only the pipeline's first stage has a `phase_gap`; without one it is 1.
    In a straight line a stage with `phase_gap` begins a pipeline, even right after another one.

    C1: `priority`, if there is one, is 0, 1, 2 or 3.
    C2: `phase_gap`, if there is one, is at least 1 and at most 256.

    ```mlir
    hk.stage_begin "load" {priority = 1 : i32}
    ```
  }];
  let arguments = (ins StrAttr:$label, OptionalAttr<HK_StagePriority>:$priority,
    OptionalAttr<HK_PhaseGap>:$phase_gap);
  let assemblyFormat = "$label attr-dict";
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
    Runs its region once. While one group of warps is in this stage, the other is in one that is `phase_gap` stages away.
    An empty stage is a pause.

    Two or more stages, with at most one `hk.async_wait_group` or `hk.barrier` in each gap, are a pipeline: the body of
    an `scf.for` with `hk.pipelined`, or in a straight line, where the first stage's `phase_gap` counts, and a stage
    that has one begins another pipeline.

    What stages exchange through shared or global memory is put in order by fences between them, or refused where none
    can be. Pointers that come from different arguments of the kernel are taken to lead to different arrays.

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
    OptionalAttr<HK_PhaseGap>:$phase_gap);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $label (`priority` `=` $priority^)? (`phase_gap` `=` $phase_gap^)? (`->` type($results)^)?
    attr-dict-with-keyword $body
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
