"""Stages of warp pipelines: two groups of warps run the same code, one some stages behind the other."""

from __future__ import annotations

from ._builtin import builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager


@builtin
def warp_pipeline_stage(
    label: str | None = None, *, priority: int | None = None, phase_gap: int | None = None, exclusive: bool = False
) -> AbstractContextManager[None]:
    """One stage of a warp pipeline: `with gl.warp_pipeline_stage("load"):`.

    Consecutive stages, in the body of a `for` loop or in straight-line code, are a pipeline; so are those in an `if`
    about which all warps decide alike. The 8 warps run as two groups of four, one warp of each on every unit that
    issues instructions: a SIMD unit of AMD's compute units, a partition of NVIDIA's multiprocessors. One barrier per
    stage keeps the second group one stage behind the first. So while one group computes, the other loads:

                      time ->
        warps 0-3     load 0    compute 0   load 1      compute 1
        warps 4-7               load 0      compute 0   load 1      compute 1

    All warps run the same code with the same results as without stages; only the timing differs. Names assigned in a
    stage keep their values after it. A stage without statements (`pass`) is a pause.

    Between stages, and at the top or the bottom of the loop, only scalar arithmetic and one wait per gap are allowed:
    `async_copy.wait_group(n)`, `tma.store_wait(n)` or `gl.barrier()`. A stage must not contain a loop, such a wait,
    another stage, or anything that waits for all warps: reductions over several warps, layout conversions through
    shared memory. Waits that hold up only the warps that need them may be in stages: `warpgroup_mma_wait` (and
    `warpgroup_mma` without `is_async`), `mbarrier.wait`.

    Both groups are in adjacent stages at the same time, so what one of these does to shared memory must not affect the
    other. At least one stage must separate a stage that writes from one that reads, and that one from the next that
    writes (two stages with phase_gap=2); or the tile has a slot per iteration, `smem.index(k % slots)`, and what a
    later iteration reads is written ahead into another slot. Slots may be selected by counters that start anew after
    the last one (`w = gl.where(w + 1 < slots, w + 1, 0)`), by numbers, or as handles, that take turns
    (`a, b = b, a`). A warp waits only for its own copies: at least one stage
    (two) must also separate a `wait_group` from the stage that reads, so wait one iteration early. The warps of a
    warpgroup wait only for their own products, so what these read is in use up to the end of the stage with the wait.

    The same holds of global memory, where one stage loads what another stores: one stage (two) at least in between, and
    the compiler makes a barrier there wait for it; a `gl.barrier()` between adjacent stages is not enough. Addresses
    count as different as far as the compiler can tell: other tiles of each iteration, other columns of rows whose
    length is an argument, the same elements in the same lanes. Different arguments of the kernel count as different
    arrays, so do not pass one array as two of them unless what is stored through one is never loaded through the other.

    A pipeline that breaks a rule is a CompileError. Waits and barriers outside of pipelines are the kernel's
    responsibility, and so is all that mbarriers tell, such as the arrival of TMA loads: `hocket check` finds what is
    missing.

    Args:
        label: a name for messages and timelines, without other meaning.
        priority: 0 to 3. On a SIMD unit the warp with the highest priority goes first. If one stage of a pipeline has a
            priority, those without one have 0; the priority is 0 after the pipeline. Without effect on NVIDIA GPUs.
        phase_gap: only at the first stage: by how many stages the second group lags, 1 or 2; None means 1. In
            straight-line code a stage with a phase_gap begins a new pipeline.

        exclusive: only one group at a time is in a stage that is exclusive. If one stage of a pipeline is, the groups
            no longer meet before every stage: they take turns at the exclusive ones, and may run ahead elsewhere, by
            less than a turn. Stages that share memory then need two exclusive stages from the one to the other, these
            two included, and there are no waits between stages. For stages that keep the tensor cores busy. On NVIDIA
            GPUs only.

    Needs num_warps=8; in a worker of `gl.warp_specialize`, 8 warps of its own. `gl.amd.warp_pipeline_stage` is the same
    object, following the `warp_pipeline_stage` of Gluon; `phase_gap` is an extension proposed there, and `exclusive` is
    ours.

    Example:
        for k in range(0, K, BLOCK_K):
            with gl.warp_pipeline_stage("load", priority=1):
                a = smem_a.index(k // BLOCK_K % 3).load(OPERAND_A)
                b = smem_b.index(k // BLOCK_K % 3).load(OPERAND_B)
            with gl.warp_pipeline_stage("compute", priority=0):
                acc = amd.cdna4.mfma(a, b, acc)

    A whole kernel is tutorials/11_warp_pipelining.py. The smallest pipeline:

        >>> for k in range(4):
        ...     with gl.warp_pipeline_stage("load"):
        ...         value = gl.load(p + k)
        ...     with gl.warp_pipeline_stage("store"):
        ...         gl.store(p + 8 + k, value)
        >>> gl.barrier()
        >>> gl.load(p + 8 + i)
        [10, 20, 30, 40]
    """
