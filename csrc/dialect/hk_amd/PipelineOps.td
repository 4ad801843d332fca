// Warp pipelines: two groups of four warps run the same stages, one group some stages behind the other.
//
// Three forms, one after the other:
//
//   markers      stage_begin .. stage_end     what the user wrote; made into regions by hocket-warp-pipeline-partition
//   regions      stage { .. stage_yield }     made into barriers by hocket-warp-pipeline-lowering
//   barriers     cond_barrier, raw_barrier, set_priority, warp_group, with hk.barrier local and hk.sched_barrier
//
// A loop whose body is a pipeline of regions has the attribute `hk_amd.pipelined`, an i32: how many stages the high
// group lags. After the lowering, accesses of shared memory that stood in stages carry `hk.ordered`.
#ifndef HOCKET_DIALECT_HK_AMD_PIPELINEOPS_TD
#define HOCKET_DIALECT_HK_AMD_PIPELINEOPS_TD

include "dialect/hk_amd/HkAmdOpBase.td"

// Of s_setprio.
def HkAmd_Priority : ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<3>]>;
// In stages.
def HkAmd_PhaseGap : ConfinedAttr<I32Attr, [IntPositive]>;

// Nothing moves over it: what stands on its two sides runs at different times.
class HkAmd_PipelineOp<string mnemonic, list<Trait> traits = []>
  : HkAmd_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

// Markers -------------------------------------------------------------------------------------------------------------

def HkAmd_StageBeginOp : HkAmd_PipelineOp<"stage_begin"> {
  let summary = "Begin a stage of a warp pipeline";
  let description = [{
    What follows, up to `hk_amd.stage_end` in the same block, is one stage. Says nothing by itself: stages in a row make
    a pipeline, which the partition pass checks. `phase_gap` stands at the pipeline's first stage only; 1 without it. In
    a straight line a stage with `phase_gap` begins a pipeline, also right behind another one.

    C1: `priority`, if there is one, is 0, 1, 2 or 3.
    C2: `phase_gap`, if there is one, is at least 1.

    ```mlir
    hk_amd.stage_begin "load" {priority = 1 : i32}
    ```
  }];
  let arguments = (ins StrAttr:$label, OptionalAttr<HkAmd_Priority>:$priority,
    OptionalAttr<HkAmd_PhaseGap>:$phase_gap);
  let assemblyFormat = "$label attr-dict";
}

def HkAmd_StageEndOp : HkAmd_PipelineOp<"stage_end"> {
  let summary = "End a stage of a warp pipeline";
  let description = [{
    ```mlir
    hk_amd.stage_end
    ```
  }];
  let assemblyFormat = "attr-dict";
}

// Regions -------------------------------------------------------------------------------------------------------------

def HkAmd_StageOp : HkAmd_PipelineOp<"stage", [SingleBlockImplicitTerminator<"StageYieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "One stage of a warp pipeline";
  let description = [{
    Runs its region once. While one group of warps is in this stage, the other is in one that is `phase_gap` stages away.
    An empty stage is a pause.

    Two or more stages, with at most one `hk.async_wait_group` or `hk.barrier` in each gap, are a pipeline: the body of a
    `scf.for` with `hk_amd.pipelined`, or in a straight line, where the first stage's `phase_gap` counts, and a stage
    that has one begins another pipeline.

    C1: `priority`, if there is one, is 0, 1, 2 or 3.
    C2: `phase_gap`, if there is one, is at least 1.
    C3: a stage does not stand in a stage.

    ```mlir
    %x = hk_amd.stage "load" priority = 1 -> tensor<64x64xf16, #blocked> {
      %tile = hk.local_load %slot : !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf16, #blocked>
      hk_amd.stage_yield %tile : tensor<64x64xf16, #blocked>
    }
    ```
  }];
  let arguments = (ins StrAttr:$label, OptionalAttr<HkAmd_Priority>:$priority,
    OptionalAttr<HkAmd_PhaseGap>:$phase_gap);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $label (`priority` `=` $priority^)? (`phase_gap` `=` $phase_gap^)? (`->` type($results)^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def HkAmd_StageYieldOp : HkAmd_Op<"stage_yield", [Pure, Terminator, ReturnLike, HasParent<"StageOp">]> {
  let summary = "End a stage with the values that it hands to what follows";
  let description = [{
    C1: the operands have the types of the stage's results.

    ```mlir
    hk_amd.stage_yield %tile : tensor<64x64xf16, #blocked>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ }]>];
  let hasVerifier = 1;
}

// Barriers ------------------------------------------------------------------------------------------------------------

def HkAmd_WarpGroupOp : HkAmd_Op<"warp_group", [Pure]> {
  let summary = "Return the group that this warp belongs to";
  let description = [{
    Warps 0 to 3 are group 0, the low one; warps 4 to 7 are group 1, the high one. The same in all lanes of a warp. Each
    of a compute unit's four SIMD units holds one warp of each group.

    ```mlir
    %group = hk_amd.warp_group
    ```
  }];
  let results = (outs I32:$group);
  let assemblyFormat = "attr-dict";
}

def HkAmd_CondBarrierOp : HkAmd_PipelineOp<"cond_barrier"> {
  let summary = "Arrive at a barrier if a condition holds";
  let description = [{
    `condition` is the same in all lanes of a warp. The warps for which it holds wait until all others have arrived at
    some barrier: barriers count arrivals and ask for no place. Waits for no access and orders none.

    ```mlir
    hk_amd.cond_barrier %is_high
    ```
  }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def HkAmd_RawBarrierOp : HkAmd_PipelineOp<"raw_barrier"> {
  let summary = "Wait for all warps of the block, but not for this warp's accesses of shared memory";
  let description = [{
    What other warps had waited for (`hk.barrier local`) when they arrived is visible behind it; this warp's own accesses
    before it may still be going on. No instruction is spent on accesses, unless `finish_reads` asks for one wait behind
    the barrier for what this warp has read: where arithmetic follows that would otherwise wait for one read after the
    other.

    ```mlir
    hk_amd.raw_barrier
    hk_amd.raw_barrier finish_reads
    ```
  }];
  let arguments = (ins UnitAttr:$finish_reads);
  let assemblyFormat = "(`finish_reads` $finish_reads^)? attr-dict";
}

def HkAmd_SetPriorityOp : HkAmd_PipelineOp<"set_priority"> {
  let summary = "Say how eagerly this warp's instructions are to be issued";
  let description = [{
    Among the warps of a SIMD unit the one with the highest priority goes first. A matter of time only.

    C1: `priority` is 0, 1, 2 or 3.

    ```mlir
    hk_amd.set_priority 2
    ```
  }];
  let arguments = (ins HkAmd_Priority:$priority);
  let assemblyFormat = "$priority attr-dict";
}

#endif
