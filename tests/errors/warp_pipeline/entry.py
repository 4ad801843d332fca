"""Copies that are in flight where a warp pipeline begins, and that its stages meet too early."""

from cases import mistake

import hocket.language as gl
from hocket.language import amd

FILL = gl.constexpr(gl.BlockedLayout([1], [64], [8], [0]))
READ = gl.constexpr(gl.DistributedLinearLayout([], [[8], [16], [32], [64], [128], [256]], [[1], [2], [4]], [], [512]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def read_right_after_the_wait(x):
    smem = gl.allocate_shared_memory(gl.float32, [512], SHARED)
    amd.cdna4.async_copy.buffer_load_to_shared(smem, x, gl.arange(0, 512, layout=FILL))
    amd.cdna4.async_copy.commit_group()
    with amd.warp_pipeline_stage("pause"):
        pass
    amd.cdna4.async_copy.wait_group(0)
    with amd.warp_pipeline_stage("read"):
        gl.store(x + gl.arange(0, 512, layout=READ), smem.load(READ))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def read_in_front_of_the_wait(x):
    smem = gl.allocate_shared_memory(gl.float32, [512], SHARED)
    amd.cdna4.async_copy.buffer_load_to_shared(smem, x, gl.arange(0, 512, layout=FILL))
    amd.cdna4.async_copy.commit_group()
    with amd.warp_pipeline_stage("read"):
        gl.store(x + gl.arange(0, 512, layout=READ), smem.load(READ))
    amd.cdna4.async_copy.wait_group(0)
    with amd.warp_pipeline_stage("pause"):
        pass


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def copy_without_a_group(x):
    smem = gl.allocate_shared_memory(gl.float32, [512], SHARED)
    amd.cdna4.async_copy.buffer_load_to_shared(smem, x, gl.arange(0, 512, layout=FILL))
    with amd.warp_pipeline_stage("pause"):
        pass
    amd.cdna4.async_copy.wait_group(0)
    with amd.warp_pipeline_stage("more"):
        pass
    with amd.warp_pipeline_stage("read"):
        gl.store(x + gl.arange(0, 512, layout=READ), smem.load(READ))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def first_tile_still_in_flight(x):
    ring = gl.allocate_shared_memory(gl.float32, [3, 512], SHARED)
    place = gl.arange(0, 512, layout=FILL)
    for k in gl.static_range(2):
        amd.cdna4.async_copy.buffer_load_to_shared(ring.index(k), x + 512 * k, place)
        amd.cdna4.async_copy.commit_group()
    for k in range(gl.num_programs(0)):
        with amd.warp_pipeline_stage("read"):
            tile = ring.index(k % 3).load(READ)
            amd.cdna4.async_copy.buffer_load_to_shared(ring.index((k + 2) % 3), x + 512 * (k + 2), place)
            amd.cdna4.async_copy.commit_group()
        amd.cdna4.async_copy.wait_group(1)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + gl.arange(0, 512, layout=READ), tile)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def stage_overwrites_what_is_still_being_copied(x):
    smem = gl.allocate_shared_memory(gl.float32, [512], SHARED)
    amd.cdna4.async_copy.buffer_load_to_shared(smem, x, gl.arange(0, 512, layout=FILL))
    amd.cdna4.async_copy.commit_group()
    with amd.warp_pipeline_stage("write"):
        smem.store(gl.full([512], 0, gl.float32, READ))
    with amd.warp_pipeline_stage("pause"):
        pass
    amd.cdna4.async_copy.wait_group(0)
