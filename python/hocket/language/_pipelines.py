"""Warp pipelines: groups of four warps run the same stages, each group at its own time."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager


@builtin
def warp_pipeline_stage(
    label: str | None = None,
    *,
    priority: int | None = None,
    phase_gap: int | tuple[int, ...] | None = None,
    exclusive: bool = False,
) -> AbstractContextManager[None]:
    """Context manager of one stage of a warp pipeline: `with gl.warp_pipeline_stage("load"):`.

    Consecutive stages, in the body of a `for` loop or in straight-line code, form a pipeline. Stages may also be in an
    `if` with a uniform condition. The 8 warps run as two groups of four. Every warp scheduler, a SIMD of an AMD compute
    unit or a partition of an NVIDIA SM, has one warp of each group. Because of one barrier per stage, the high group
    executes each stage one stage later than the low group. While one group computes, the other group loads:

                      time ->
        warps 0-3     load 0    compute 0   load 1      compute 1
        warps 4-7               load 0      compute 0   load 1      compute 1

    In a kernel of 12 or 16 warps, three or four groups run the stages. By default, each group executes each stage one
    stage later than the previous group. The rules below are for two groups; for more groups, replace the phase_gap in
    the rules by the largest difference between the lags of two groups that share the data.

    All warps run the same code. Stages change the timing, not the results. Variables assigned in a stage keep their
    values after the stage. In an empty stage (`pass`), a group does nothing.

    Between stages, and at the top or the bottom of the loop, only scalar arithmetic and waits are allowed. Between two
    successive stages, one wait is allowed: `async_copy.wait_group(n)`, `tma.store_wait(n)` or `gl.barrier()`. A stage
    must not contain a loop, another stage, or any of these three waits. A reduction over several warps, a layout
    conversion or a gather through shared memory synchronizes warps. Such an operation is allowed in a stage if only
    later stages use the result. If the operation exchanges values only within each group of four warps, any later stage
    may use the result. Otherwise, the rule for shared memory (below) determines the first stage that may use the
    result. Waits that only block the warps that execute them are allowed in stages: `warpgroup_mma_wait` (and
    `warpgroup_mma` without `is_async`), `mbarrier.wait`.

    Both groups run adjacent stages at the same time, so accesses of these stages to shared memory must not conflict. If
    a stage writes a tile and a later stage reads it, at least one stage (two with phase_gap=2) must be between these
    two stages. The same number of stages must be between the stage that reads the tile and the next stage that writes
    the tile. Alternatively, the tile has several buffers, `smem.index(k % slots)`, and a stage writes the buffer of a
    later iteration. Buffers may be selected by counters that wrap around (`w = gl.where(w + 1 < slots, w + 1, 0)`), by
    constants, or as handles that rotate (`a, b = b, a`). A warp waits only for its own copies. Therefore at least one
    stage (two with phase_gap=2) must be between a `wait_group` and the stage that reads the copied tile. For example,
    wait for a tile one iteration before the stage reads the tile. The warps of a warpgroup wait only for their own
    MMAs, so the operands of an MMA are in use until the end of the stage with the wait. If a kernel contains no commits
    and no waits for copies, the compiler inserts the commits and the waits.

    The rule for shared memory also applies to global memory if one stage loads data that another stage stores: at least
    one stage (two with phase_gap=2) must be between these two stages. At a barrier between the two stages, the compiler
    inserts a wait for the store. A `gl.barrier()` between adjacent stages is not sufficient. The rule does not apply if
    the compiler can prove that the stages access different addresses, such as a different tile in each iteration, or
    different columns of rows whose length is a kernel argument. If each lane provably loads only elements that this
    lane stores, the rule does not apply. Different arguments of the kernel count as different arrays. If a kernel
    stores data through one argument and loads the data through another argument, do not pass one array as both
    arguments.

    A pipeline that breaks a rule is a CompileError. The kernel must contain the necessary waits and barriers outside of
    pipelines, and all synchronization by mbarriers, such as waits for TMA loads. `hocket check` finds missing
    synchronization.

    Args:
        label: name of the stage in messages and timelines, without other effect.
        priority: 0 to 3. On a SIMD, the warp with the highest priority issues first. If one stage of a pipeline has a
            priority, stages without a priority have priority 0. After the pipeline, the priority is 0. Priorities have
            no effect on NVIDIA GPUs.
        phase_gap: only at the first stage: number of stages by which each group lags the previous group, 1 or 2; None
            means 1. A tuple has the lag of each group behind group 0, such as (0, 0, 1, 1) for 16 warps. In
            straight-line code, a stage with a phase_gap begins a new pipeline.
        exclusive: only one group at a time runs an exclusive stage. The groups alternate at exclusive stages
            (ping-pong). If a pipeline has an exclusive stage, the groups do not synchronize at other stages. If two
            stages access the same memory, at least two of the stages from the first to the second, inclusive, must be
            exclusive. In a pipeline with exclusive stages, waits between stages are errors. Exclusive stages suit work
            that keeps the tensor cores busy. Only NVIDIA GPUs support exclusive stages.

    The kernel must have 8, 12 or 16 warps; a worker of `gl.warp_specialize` that contains a pipeline must have 8 warps.
    `gl.amd.warp_pipeline_stage` is the same object. The function follows Gluon's `warp_pipeline_stage`; `phase_gap` is
    a proposed extension of Gluon, `exclusive` an extension of Hocket.

    Example:
        for k in range(0, K, BLOCK_K):
            with gl.warp_pipeline_stage("load", priority=1):
                a = smem_a.index(k // BLOCK_K % 3).load(OPERAND_A)
                b = smem_b.index(k // BLOCK_K % 3).load(OPERAND_B)
            with gl.warp_pipeline_stage("compute", priority=0):
                acc = amd.cdna4.mfma(a, b, acc)

    Whole kernels are in tutorials 11 and 12. The smallest pipeline:

        >>> for k in range(4):
        ...     with gl.warp_pipeline_stage("load"):
        ...         value = gl.load(p + k)
        ...     with gl.warp_pipeline_stage("store"):
        ...         gl.store(p + 8 + k, value)
        >>> gl.barrier()
        >>> gl.load(p + 8 + i)
        [10, 20, 30, 40]
    """
