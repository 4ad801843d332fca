"""Warp pipelines that follow each other: joined or kept apart, they give what they give without stages."""

import numpy as np
import pytest
from tiles import COLUMNS, ROWS, SHARED, TARGETS, offsets

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language import amd


@hocket.jit
def line_then_line(x, y, n, PAUSE: gl.constexpr):
    """The first pipeline stores a tile that the second one loads, one stage later or two."""
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    place = offsets(ROWS)
    with amd.warp_pipeline_stage("fetch"):
        tile = gl.load(x + place)
    with amd.warp_pipeline_stage("store"):
        smem.store(tile)
    if PAUSE:
        with amd.warp_pipeline_stage("pause", phase_gap=1):
            pass
        with amd.warp_pipeline_stage("load"):
            v = smem.load(COLUMNS)
    else:
        with amd.warp_pipeline_stage("load", phase_gap=1):
            v = smem.load(COLUMNS)
    with amd.warp_pipeline_stage("write"):
        gl.store(y + offsets(COLUMNS), v * n)


@hocket.jit
def loop_then_line(x, y, n, PAUSE: gl.constexpr):
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    place = offsets(ROWS)
    smem.store(gl.load(x + place) * 0)
    # The barrier at the loop's bottom is the fence that settles the hazard, if there are two stages for it.
    for k in range(n):
        with amd.warp_pipeline_stage("fetch", priority=1):
            tile = gl.load(x + place) * (k + 1)
        with amd.warp_pipeline_stage("store"):
            smem.store(tile)
        gl.barrier()
    if PAUSE:
        with amd.warp_pipeline_stage("pause"):
            pass
    with amd.warp_pipeline_stage("load"):
        v = smem.load(COLUMNS)
    with amd.warp_pipeline_stage("write"):
        gl.store(y + offsets(COLUMNS), v)


@hocket.jit
def line_then_loop(x, y, n, PAUSE: gl.constexpr):
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    with amd.warp_pipeline_stage("fetch"):
        tile = gl.load(x + offsets(ROWS))
    with amd.warp_pipeline_stage("store"):
        smem.store(tile)
    for _ in range(n):
        if PAUSE:
            with amd.warp_pipeline_stage("pause"):
                pass
        with amd.warp_pipeline_stage("load"):
            v = smem.load(COLUMNS)
        with amd.warp_pipeline_stage("add"):
            acc += v
    gl.store(y + offsets(COLUMNS), acc)


def run(kernel, target, n, pause):
    x = np.random.default_rng(n).standard_normal((128, 32), dtype=np.float32)
    for seed in range(3):
        y = np.full_like(x, -1)
        with emulator.target(target), emulator.schedule(seed=seed):
            kernel[(1,)](x, y, n, PAUSE=pause, num_warps=8)
        np.testing.assert_allclose(y, x * np.float32(n), rtol=1e-6)


def count_meetings(kernel, target, value, parameter="PAUSE"):
    """Barriers at which one group alone stops."""
    compiled = kernel.warmup(gl.float32, gl.float32, 3, num_warps=8, target=target, **{parameter: value})
    return compiled.asm["hk"].count("hk.group_barrier")


KERNELS = [line_then_line, loop_then_line, line_then_loop]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.fn.__name__)
class TestRows:
    def test_two_stages_apart_the_groups_stay_apart(self, kernel, target):
        assert count_meetings(kernel, target, True) == 2
        for n in (0, 1, 3):
            run(kernel, target, n, True)

    def test_all_warps_synchronize_one_stage_apart(self, kernel, target):
        assert count_meetings(kernel, target, False) == 4
        for n in (0, 1, 3):
            run(kernel, target, n, False)


@hocket.jit
def loops_with_scratch_between(x, y, n, REDUCES: gl.constexpr):
    """Between the two, warps wait for each other, which nothing shows but scratch memory."""
    acc = gl.load(x + offsets(ROWS))
    for _ in range(n):
        with amd.warp_pipeline_stage("add"):
            acc += 1
        with amd.warp_pipeline_stage("pause"):
            pass
    if REDUCES:
        moved = gl.full([128, 32], 0, gl.float32, COLUMNS) + gl.max(gl.max(acc, 0), 0)
    else:
        moved = gl.convert_layout(acc, COLUMNS)
    for _ in range(n):
        with amd.warp_pipeline_stage("add again"):
            moved += 1
        with amd.warp_pipeline_stage("rest"):
            pass
    gl.store(y + offsets(COLUMNS), moved)


@pytest.mark.parametrize("reduces", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_groups_rejoin_where_scratch_is_used(target, reduces):
    assert count_meetings(loops_with_scratch_between, target, reduces, "REDUCES") == 4
    x = np.arange(128 * 32, dtype=np.float32).reshape(128, 32)
    for n in (0, 1, 3):
        for seed in range(4):
            y = np.full_like(x, -1)
            with emulator.target(target), emulator.schedule(seed=seed):
                loops_with_scratch_between[(1,)](x, y, n, REDUCES=reduces, num_warps=8)
            assert (y == (x.max() if reduces else x) + 2 * n).all()
