"""Mistakes with the stages of warp pipelines on Hopper."""

from cases import jit, mistake

import hocket.language as gl
from hocket.language.nvidia.ampere import async_copy
from hocket.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait

ACC = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 64, 16]))
ACROSS = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [4, 2], [16, 32, 16]))
COPY = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [8, 1], [1, 0]))
TILE = gl.constexpr(gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16))
BLOCK = gl.constexpr(gl.NVMMASharedLayout.get_default_for([16, 64], gl.float16))


@jit
def places(x, layout: gl.constexpr):
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    return x + rows[:, None] * 64 + columns[None, :]


# Pipelines in partitions ---------------------------------------------------------------------------------------------


@jit
def nothing():
    pass


@jit
def take_turns(x, n):
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            value = gl.load(x + k)
        with gl.warp_pipeline_stage("store"):
            gl.store(x + n + k, value)


@mistake("*f16, i32", num_warps=8, lowered=True)
def worker_of_four_warps(x, n):
    gl.warp_specialize([(nothing, ()), (take_turns, (x, n))], [4])


@mistake("*f16", num_warps=8, lowered=True)
def workers_in_a_stage(x):
    with gl.warp_pipeline_stage("load"):
        value = gl.load(x)
    with gl.warp_pipeline_stage("others"):
        gl.warp_specialize([(nothing, ()), (nothing, ())], [4])
    gl.store(x, value)


@mistake("*f16, i32", num_warps=8, lowered=True)
def reduction_over_both_groups(x, n):
    tile = gl.load(places(x, ACROSS))
    for k in range(n):
        with gl.warp_pipeline_stage("sum"):
            sums = gl.sum(tile, axis=1)
        with gl.warp_pipeline_stage("scale"):
            tile = tile * sums[:, None]
    gl.store(places(x, ACROSS), tile)


@mistake("*f16, i32", num_warps=8, lowered=True)
def conversion_between_the_groups(x, n):
    tile = gl.load(places(x, COPY))
    for k in range(n):
        with gl.warp_pipeline_stage("convert"):
            other = gl.convert_layout(tile, ACROSS)
        with gl.warp_pipeline_stage("store"):
            gl.store(places(x, ACROSS), other)


@mistake("*f16, i32", num_warps=8, lowered=True)
def wait_for_copies_in_a_stage(x, n):
    tile = gl.allocate_shared_memory(gl.float16, [128, 64], TILE)
    for k in range(n):
        with gl.warp_pipeline_stage("copy"):
            async_copy.async_load(tile, places(x, COPY))
            async_copy.commit_group()
            async_copy.wait_group(0)
        with gl.warp_pipeline_stage("pause"):
            pass


@mistake("*f16, i32", num_warps=8, lowered=True)
def mbarrier_between_stages(x, n):
    ready = mbarrier.allocate_mbarrier()
    mbarrier.init(ready, count=1)
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            value = gl.load(x + k)
        mbarrier.wait(ready, k & 1)
        with gl.warp_pipeline_stage("store"):
            gl.store(x + n + k, value)


@mistake("*f16", target="gfx950", num_warps=8)
def exclusive_stage_on_amd(x):
    with gl.warp_pipeline_stage("load", exclusive=True):
        gl.store(x, 1.0)


@mistake("*f16, i32", num_warps=8, lowered=True)
def all_stages_exclusive(x, n):
    for k in range(n):
        with gl.warp_pipeline_stage("load", exclusive=True):
            value = gl.load(x + k)
        with gl.warp_pipeline_stage("store", exclusive=True):
            gl.store(x + n + k, value)


@mistake("*f16, i32", num_warps=8, lowered=True)
def exclusive_stage_with_a_phase_gap(x, n):
    for k in range(n):
        with gl.warp_pipeline_stage("load", phase_gap=2):
            value = gl.load(x + k)
        with gl.warp_pipeline_stage("add", exclusive=True):
            value += 1.0
        with gl.warp_pipeline_stage("store"):
            gl.store(x + n + k, value)


@mistake("*f16, i32", num_warps=8, lowered=True)
def barrier_between_stages_with_an_exclusive_one(x, n):
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            value = gl.load(x + k)
        gl.barrier()
        with gl.warp_pipeline_stage("store", exclusive=True):
            gl.store(x + n + k, value)


@mistake("*f16, i32", num_warps=8, lowered=True)
def no_barrier_left(x, n):
    others = ((nothing, ()),) * 14
    gl.warp_specialize([(take_turns, (x, n)), *others], [1] * 14)


# Races ---------------------------------------------------------------------------------------------------------------


@mistake("*f16, i32", num_warps=8, lowered=True)
def product_of_what_the_stage_before_has_stored(x, n):
    tile = gl.allocate_shared_memory(gl.float16, [128, 64], TILE)
    acc = gl.zeros([128, 64], gl.float32, ACC)
    for k in range(n):
        with gl.warp_pipeline_stage("store"):
            tile.store(gl.load(places(x + k, COPY)))
        with gl.warp_pipeline_stage("multiply"):
            acc = warpgroup_mma(tile, tile.slice(0, 64), acc)
        with gl.warp_pipeline_stage("pause"):
            pass
    gl.store(places(x, ACC), acc.to(gl.float16))


@mistake("*f16, i32, f16[16x64]", num_warps=8, lowered=True)
def load_over_what_is_being_multiplied(x, n, desc):
    ring = gl.allocate_shared_memory(gl.float16, [2, 16, 64], BLOCK)
    tile = gl.allocate_shared_memory(gl.float16, [128, 64], TILE, gl.load(places(x, COPY)))
    ready = mbarrier.allocate_mbarrier()
    mbarrier.init(ready, count=1)
    acc = gl.zeros([128, 64], gl.float32, ACC)
    for k in range(n):
        with gl.warp_pipeline_stage("multiply"):
            mbarrier.wait(ready, k & 1)
            acc = warpgroup_mma(tile.slice(0, 16, dim=1), ring.index(k % 2), acc)
        with gl.warp_pipeline_stage("load"):
            mbarrier.expect(ready, desc.nbytes_per_cta)
            tma.async_load(desc, [16 * k, 0], ready, ring.index(k % 2))
    gl.store(places(x, ACC), acc.to(gl.float16))


@mistake("*f16, i32", num_warps=8, lowered=True)
def product_finished_an_iteration_too_late(x, n):
    ring = gl.allocate_shared_memory(gl.float16, [2, 128, 64], TILE)
    zeros = gl.zeros([128, 64], gl.float32, ACC)
    for k in range(n):
        with gl.warp_pipeline_stage("multiply"):
            acc = warpgroup_mma(ring.index(k % 2), ring.index(k % 2).slice(0, 64), zeros, is_async=True)
        with gl.warp_pipeline_stage("finish"):
            acc = warpgroup_mma_wait(1, deps=[acc])
        with gl.warp_pipeline_stage("store"):
            ring.index(k % 2).store(gl.load(places(x, COPY)))


@mistake("*f16, i32", num_warps=8, lowered=True)
def wait_right_before_the_stage_that_multiplies(x, n):
    ring = gl.allocate_shared_memory(gl.float16, [4, 128, 64], TILE)
    acc = gl.zeros([128, 64], gl.float32, ACC)
    for k in range(n):
        with gl.warp_pipeline_stage("copy"):
            async_copy.async_load(ring.index(k % 4), places(x + k, COPY))
            async_copy.commit_group()
        async_copy.wait_group(0)
        with gl.warp_pipeline_stage("multiply"):
            acc = warpgroup_mma(ring.index(k % 4), ring.index(k % 4).slice(0, 64), acc)
    gl.store(places(x, ACC), acc.to(gl.float16))


@mistake("*f16, i32", num_warps=8, lowered=True)
def stored_a_turn_before_it_is_multiplied(x, n):
    tile = gl.allocate_shared_memory(gl.float16, [128, 64], TILE)
    acc = gl.zeros([128, 64], gl.float32, ACC)
    for k in range(n):
        with gl.warp_pipeline_stage("multiply", exclusive=True):
            acc = warpgroup_mma(tile, tile.slice(0, 64), acc)
        with gl.warp_pipeline_stage("pause"):
            pass
        with gl.warp_pipeline_stage("store"):
            tile.store(gl.load(places(x + k, COPY)))
    gl.store(places(x, ACC), acc.to(gl.float16))


@mistake("*f16, i32", num_warps=8, lowered=True)
def product_in_flight_where_the_pipeline_begins(x, n):
    tile = gl.allocate_shared_memory(gl.float16, [128, 64], TILE, gl.load(places(x, COPY)))
    acc = warpgroup_mma(tile, tile.slice(0, 64), gl.zeros([128, 64], gl.float32, ACC), is_async=True)
    for k in range(n):
        with gl.warp_pipeline_stage("store"):
            tile.store(gl.load(places(x + k, COPY)))
        with gl.warp_pipeline_stage("pause"):
            pass
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(places(x, ACC), acc.to(gl.float16))


@jit
def frees_too_early(ring, free, n):
    acc = gl.zeros([128, 64], gl.float32, ACC)
    for k in range(n):
        with gl.warp_pipeline_stage("multiply"):
            acc = warpgroup_mma(ring.index(k % 2), ring.index(k % 2).slice(0, 64), acc)
        with gl.warp_pipeline_stage("free"):
            mbarrier.arrive(free.index(k % 2))
    return acc


@mistake("*f16, i32", num_warps=8, lowered=True)
def tile_given_back_while_the_other_group_reads(x, n):
    ring = gl.allocate_shared_memory(gl.float16, [2, 128, 64], TILE)
    free = mbarrier.allocate_mbarrier(batch=2)
    for k in gl.static_range(2):
        mbarrier.init(free.index(k), count=1)
    acc = gl.warp_specialize([(frees_too_early, (ring, free, n)), (nothing, ())], [1])
    gl.store(places(x, ACC), acc.to(gl.float16))
