"""Stages of a warp pipeline that exchange data through global memory: accepted pipelines order these accesses."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError
from hocket.language import amd

TARGETS = ["gfx942", "gfx950"]
ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [4, 16], [1, 8], [0, 1]))
TILE = gl.constexpr(128 * 32)


@hocket.jit
def places(stride, layout: gl.constexpr):
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * stride + columns[None, :]


@hocket.jit
def through_scratch(scratch, y, n, PAUSES: gl.constexpr, BARRIER: gl.constexpr, SLOTS: gl.constexpr):
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    tile = gl.full([128, 32], 1, gl.float32, ROWS)
    for k in range(n):
        with amd.warp_pipeline_stage("store"):
            gl.store(scratch + k % SLOTS * TILE + places(32, ROWS), tile)
        if BARRIER:
            gl.barrier()
        for _ in gl.static_range(PAUSES):
            with amd.warp_pipeline_stage("pause"):
                tile += 1.0 / PAUSES
        with amd.warp_pipeline_stage("load"):
            acc = acc * 0.5 + gl.load(scratch + k % SLOTS * TILE + places(32, COLUMNS))
        if SLOTS == 1:
            with amd.warp_pipeline_stage("rest"):
                pass
    gl.store(y + places(32, COLUMNS), acc)


def fences_for_global_memory(kernel, *arguments, **constants):
    """Counts the barriers between stages that also order global memory."""
    with emulator.target("gfx950"):
        text = kernel.warmup(*arguments, num_warps=8, **constants).asm["hk"]
    lines = [line.strip() for line in text.splitlines()]
    return sum(line == "hk.barrier" for line in lines)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("slots, barrier", [(1, False), (2, False), (2, True)])
def test_a_stage_apart(target, slots, barrier):
    for seed in range(4):
        scratch, y = np.zeros((slots, 128, 32), np.float32), np.zeros((128, 32), np.float32)
        with emulator.target(target, seed=seed):
            through_scratch[(1,)](scratch, y, 5, PAUSES=1, BARRIER=barrier, SLOTS=slots, num_warps=8)
        assert (y == sum((k + 1) * 0.5 ** (4 - k) for k in range(5))).all()


@pytest.mark.parametrize("barrier", [False, True])
def test_adjacent_stages(barrier):
    array = np.zeros((2, 128, 32), np.float32)
    for slots in (1, 2):
        with (
            emulator.target("gfx942"),
            pytest.raises(CompileError, match='stage "load" reads `scratch` while the other'),
        ):
            through_scratch[(1,)](array, array[0].copy(), 5, PAUSES=0, BARRIER=barrier, SLOTS=slots, num_warps=8)


@hocket.jit
def in_place(x, y, n, stride, STORE: gl.constexpr):
    """The next slice is loaded while this one is stored: columns of rows whose length the launch knows."""
    tile = gl.load(x + places(stride, ROWS))
    for k in range(n):
        with amd.warp_pipeline_stage("load"):
            following = gl.load(x + (k + 1) * 32 + places(stride, ROWS), mask=k + 1 < n, other=0)
        with amd.warp_pipeline_stage("store"):
            gl.store((x if STORE == "x" else y) + k * 32 + places(stride, ROWS), tile * 2)
            tile = following


@hocket.jit
def halves(x, y, n, stride):
    """Two stages store to one array, each its own part of a row, and each iteration its own rows."""
    for k in range(n):
        with amd.warp_pipeline_stage("one"):
            at = k * 128 * stride + places(stride, ROWS)
            tile = gl.load(x + at)
            gl.store(y + at, tile)
        with amd.warp_pipeline_stage("other"):
            tile = gl.load(x + at + 32)
            gl.store(y + at + 32, tile)


@pytest.mark.parametrize("store", ["x", "y"])
def test_disjoint_slices(store):
    for n, seed in ((1, 0), (4, 1), (4, 2)):
        x = np.random.default_rng(n).integers(-9, 9, (128, 32 * n)).astype(np.float32)
        y, before = np.zeros_like(x), x.copy()
        with emulator.target("gfx950", seed=seed):
            in_place[(1,)](x, y, n, x.shape[1], STORE=store, num_warps=8)
        assert ((x if store == "x" else y) == 2 * before).all()


def test_parts_that_two_stages_store():
    x = np.arange(3 * 128 * 64, dtype=np.float32).reshape(3 * 128, 64)
    y = np.zeros_like(x)
    with emulator.target("gfx942"):
        halves[(1,)](x, y, 3, 64, num_warps=8)
    assert (y == x).all()


def test_loads_stay_in_flight():
    """Barriers between stages without data exchange through global memory do not wait for global memory."""
    pointer = gl.float32
    for store in ("x", "y"):
        assert fences_for_global_memory(in_place, pointer, pointer, 4, 128, STORE=store) == 0
    assert fences_for_global_memory(halves, pointer, pointer, 4, 64) == 0
    assert fences_for_global_memory(through_scratch, pointer, pointer, 4, PAUSES=1, BARRIER=False, SLOTS=2) >= 1


@hocket.jit
def counted(x, counts, y, n):
    """Atomics of both groups meet at will; what the load sees is ordered."""
    at = gl.arange(0, 512, layout=gl.BlockedLayout([1], [64], [8], [0]))
    total = gl.zeros([512], gl.int32, gl.BlockedLayout([1], [64], [8], [0]))
    for _ in range(n):
        with amd.warp_pipeline_stage("add"):
            gl.atomic_add(counts + at % 64, 1)
        with amd.warp_pipeline_stage("more"):
            gl.atomic_add(counts + (511 - at) % 64, 1)
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            total += gl.load(x + at)
    gl.store(y + at, total)


def test_atomics_need_no_order_among_themselves():
    x, counts, y = np.ones(512, np.int32), np.zeros(64, np.int32), np.zeros(512, np.int32)
    with emulator.target("gfx942", seed=1):
        counted[(1,)](x, counts, y, 3, num_warps=8)
        assert (counts == 3 * 16).all()
        with pytest.raises(CompileError, match="`counts` while the other group"):
            atomics_and_loads[(1,)](counts, y, 3, num_warps=8)


@hocket.jit
def atomics_and_loads(counts, y, n):
    at = gl.arange(0, 512, layout=gl.BlockedLayout([1], [64], [8], [0]))
    total = gl.zeros([512], gl.int32, gl.BlockedLayout([1], [64], [8], [0]))
    for _ in range(n):
        with amd.warp_pipeline_stage("add"):
            gl.atomic_add(counts + at % 64, 1)
        with amd.warp_pipeline_stage("load"):
            total += gl.load(counts + at % 64)
    gl.store(y + at, total)
