"""What AMD's CDNA GPUs do that others do not: matrix cores, buffer descriptors, copies straight into LDS.

    from hocket.language import amd

    amd.AMDMFMALayout        the layout of matrix-core accumulators
    amd.cdna3                CDNA3 (gfx942): buffer_load, buffer_store, buffer_atomic_*, mfma, scaled_upcast
    amd.cdna4                CDNA4 (gfx950): the same, async_copy, mfma_scaled and helpers for layouts
    amd.warp_pipeline_stage  loops in which two groups of warps take turns at memory and at arithmetic

Portable kernels need only `hocket.language`.
"""

from __future__ import annotations

from ..builtin import builtin
from . import cdna3, cdna4

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .layouts import AMDMFMALayout

__all__ = ["AMDMFMALayout", "cdna3", "cdna4", "warp_pipeline_stage"]


@builtin
def warp_pipeline_stage(
    label: str | None = None, *, priority: int | None = None, phase_gap: int | None = None
) -> AbstractContextManager[None]:
    """One stage of a warp pipeline: `with amd.warp_pipeline_stage("load"):`.

    Stages that follow each other, in the body of a `for` loop or in a straight line, are a pipeline. The 8 warps of the
    block run as two groups of four, one warp of each on every SIMD unit; the second group is kept one stage behind the
    first by one barrier per stage. So while one group computes, the other loads:

                      time ->
        warps 0-3     load 0    compute 0   load 1      compute 1
        warps 4-7               load 0      compute 0   load 1      compute 1

    All warps run the same code with the same results as without stages; only the time differs. Names assigned in a
    stage stay assigned behind it. A stage without statements (`pass`) is a pause.

    Between stages, at the top or at the bottom of the loop stand scalar arithmetic and one wait for each gap:
    `async_copy.wait_group(n)` or `gl.barrier()`. A stage has no loop, no wait, no other stage, and nothing that waits
    for all warps: reductions over several warps, layout conversions through shared memory.

    Both groups are in neighbouring stages at the same time, so what one of these does to shared memory must not matter
    to the other. From a stage that writes to one that reads, and from there to the next that writes, at least one stage
    lies between (two with phase_gap=2); or the tile has a slot per iteration, `smem.index(k % slots)`, and what a later
    iteration reads is written ahead into another slot. Of copies each warp waits for its own only: between a
    `wait_group` and the stage that reads lies at least one stage (two), too, so wait an iteration early.

    A pipeline that breaks a rule is a CompileError. Waits outside of pipelines are up to the kernel: `hocket check`
    finds those that are missing.

    Args:
        label: a name for messages and timelines, without other meaning.
        priority: 0 to 3. On a SIMD unit the warp with the highest priority goes first. If one stage of a pipeline has a
            priority, those without one have 0; the priority is 0 behind the pipeline.
        phase_gap: at the first stage only, by how many stages the second group is behind: 1 or 2, 1 where None. In a
            straight line a stage with a phase_gap begins a new pipeline.

    Needs num_warps=8. Following the `warp_pipeline_stage` of Gluon; `phase_gap` is an extension proposed there.

    Example:
        for k in range(0, K, BLOCK_K):
            with amd.warp_pipeline_stage("load", priority=1):
                a = smem_a.index(k // BLOCK_K % 3).load(OPERAND_A)
                b = smem_b.index(k // BLOCK_K % 3).load(OPERAND_B)
            with amd.warp_pipeline_stage("compute", priority=0):
                acc = amd.cdna4.mfma(a, b, acc)
    """


# Layouts are dataclasses, which take long to import: see `hocket.language.__getattr__`.
def __getattr__(name: str):
    if name != "AMDMFMALayout":
        raise AttributeError(f"module 'hocket.language.amd' has no attribute '{name}'")
    from .layouts import AMDMFMALayout

    globals()[name] = AMDMFMALayout
    return AMDMFMALayout
