"""Warp pipelines whose stages no barrier can keep apart."""

from cases import mistake

import hocket.language as gl
from hocket.language import amd
from hocket.language.amd.cdna4 import async_copy

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 16], [1, 8], [0, 1]))
WIDE = gl.constexpr(gl.BlockedLayout([1], [64], [8], [0]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@mistake("*f32", target="gfx942", num_warps=8, lowered=True)
def one_tile_for_adjacent_stages(x):
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    tile = gl.full([128, 32], 1.0, gl.float32, ROWS)
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for _ in range(8):
        with amd.warp_pipeline_stage("store"):
            smem.store(tile)
        with amd.warp_pipeline_stage("load"):
            value = smem.load(COLUMNS)
        with amd.warp_pipeline_stage("sum"):
            total += value
        with amd.warp_pipeline_stage("pause"):
            pass
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx942", num_warps=16, lowered=True)
def one_tile_for_four_groups(x):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [16, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [8, 8], [4, 4], [0, 1])
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    tile = gl.full([128, 32], 1.0, gl.float32, rows)
    total = gl.zeros([128, 32], gl.float32, columns)
    for _ in range(8):
        with amd.warp_pipeline_stage("store"):
            smem.store(tile)
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            value = smem.load(columns)
        with amd.warp_pipeline_stage("sum"):
            total += value
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, columns)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx942", num_warps=8, lowered=True)
def a_ring_with_a_slot_too_few(x):
    ring = gl.allocate_shared_memory(gl.float32, [2, 128, 32], SHARED)
    tile = gl.full([128, 32], 1.0, gl.float32, ROWS)
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for i in range(8):
        with amd.warp_pipeline_stage("store"):
            ring.index((i + 1) % 2).store(tile)
        with amd.warp_pipeline_stage("load"):
            total += ring.index(i % 2).load(COLUMNS)
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx942", num_warps=8, lowered=True)
def stored_and_loaded_in_one_stage(x):
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    tile = gl.full([128, 32], 1.0, gl.float32, ROWS)
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for _ in range(8):
        with amd.warp_pipeline_stage("both"):
            smem.store(tile)
            total += smem.load(COLUMNS)
        with amd.warp_pipeline_stage("pause"):
            pass
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx942", num_warps=8, lowered=True)
def a_longer_lag_needs_more_stages(x):
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    tile = gl.full([128, 32], 1.0, gl.float32, ROWS)
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for _ in range(8):
        with amd.warp_pipeline_stage("store", phase_gap=2):
            smem.store(tile)
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            total += smem.load(COLUMNS)
        with amd.warp_pipeline_stage("rest"):
            pass
        with amd.warp_pipeline_stage("more"):
            pass
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def a_wait_right_before_the_stage_that_loads(x):
    ring = gl.allocate_shared_memory(gl.float32, [4, 128, 32], SHARED)
    place = gl.arange(0, 128, layout=gl.SliceLayout(1, ROWS))[:, None] * 32
    place += gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS))[None, :]
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for i in range(8):
        with amd.warp_pipeline_stage("copy"):
            async_copy.buffer_load_to_shared(ring.index((i + 2) % 4), x, place)
            async_copy.commit_group()
        async_copy.wait_group(2)
        with amd.warp_pipeline_stage("load"):
            total += ring.index(i % 4).load(COLUMNS)
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def a_copy_that_is_never_committed(x):
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    place = gl.arange(0, 128, layout=gl.SliceLayout(1, ROWS))[:, None] * 32
    place += gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS))[None, :]
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for _ in range(8):
        with amd.warp_pipeline_stage("copy"):
            async_copy.buffer_load_to_shared(smem, x, place)
        async_copy.wait_group(0)
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            total += smem.load(COLUMNS)
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def a_copy_that_is_committed_and_never_waited_for(x):
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    place = gl.arange(0, 32, layout=gl.SliceLayout(0, ROWS))[None, :] + gl.zeros([128, 32], gl.int32, ROWS)
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for _ in range(8):
        with amd.warp_pipeline_stage("copy"):
            async_copy.buffer_load_to_shared(smem, x, place)
            async_copy.commit_group()
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            total += smem.load(COLUMNS)
        with amd.warp_pipeline_stage("rest"):
            pass
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx942", num_warps=8, lowered=True)
def two_tiles_an_iteration_in_too_few_slots(x):
    ring = gl.allocate_shared_memory(gl.float32, [4, 128, 32], SHARED)
    tile = gl.full([128, 32], 1.0, gl.float32, ROWS)
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for i in range(8):
        with amd.warp_pipeline_stage("store"):
            ring.index((2 * i + 2) % 4).store(tile)
            ring.index((2 * i + 3) % 4).store(tile)
        with amd.warp_pipeline_stage("load"):
            total += ring.index(2 * i % 4).load(COLUMNS)
        with amd.warp_pipeline_stage("more"):
            total += ring.index((2 * i + 1) % 4).load(COLUMNS)
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32, *f32", target="gfx942", num_warps=8, lowered=True)
def slots_from_a_table(x, table):
    ring = gl.allocate_shared_memory(gl.float32, [4, 128, 32], SHARED)
    tile = gl.full([128, 32], 1.0, gl.float32, ROWS)
    total = gl.zeros([128, 32], gl.float32, COLUMNS)
    for i in range(8):
        with amd.warp_pipeline_stage("store"):
            ring.index((i + 1) % 4).store(tile)
        with amd.warp_pipeline_stage("load"):
            total += ring.index(gl.load(table + i).to(gl.int32)).load(COLUMNS)
    gl.store(x + gl.arange(0, 32, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(total, axis=0))


@mistake("*f32", target="gfx942", num_warps=8, lowered=True)
def what_another_warp_has_stored_to_global_memory(x):
    at = gl.arange(0, 512, layout=WIDE)
    value = gl.zeros([512], gl.float32, WIDE)
    for _ in range(8):
        with amd.warp_pipeline_stage("store"):
            gl.store(x + at, gl.full([512], 1.0, gl.float32, WIDE))
        gl.barrier()
        with amd.warp_pipeline_stage("load"):
            value += gl.load(x + 511 - at)
        with amd.warp_pipeline_stage("pause"):
            pass
    gl.store(x + at, value)


@mistake("*f32", target="gfx950", num_warps=8, lowered=True)
def a_copy_of_what_a_stage_stores_to_global_memory(x):
    smem = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    at = gl.arange(0, 512, layout=WIDE)
    for _ in range(8):
        with amd.warp_pipeline_stage("copy"):
            async_copy.buffer_load_to_shared(smem, x, at)
            async_copy.commit_group()
        async_copy.wait_group(0)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + 511 - at, gl.full([512], 1.0, gl.float32, WIDE))
    gl.store(x + at, smem.load(WIDE))


@mistake("*f32, *f32", target="gfx942", num_warps=8, lowered=True)
def one_of_two_arrays_in_global_memory(x, y):
    at = gl.arange(0, 512, layout=WIDE)
    value = gl.zeros([512], gl.float32, WIDE)
    for _ in range(8):
        with amd.warp_pipeline_stage("load"):
            value += gl.load(x + 511 - at)
        with amd.warp_pipeline_stage("store"):
            gl.store(x + at, value)
        x, y = y, x
