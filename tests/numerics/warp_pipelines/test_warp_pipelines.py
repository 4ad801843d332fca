"""Warp pipelines give what the loop gives without them, and their barriers keep the two groups of warps apart."""

import numpy as np
import pytest
from tiles import COLUMNS, ROWS, SHARED, TARGETS, offsets

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError
from hocket.language import amd

pytestmark = pytest.mark.quick

TILE = gl.constexpr(128 * 32)


@hocket.jit
def through_registers(x, y, n, SLOTS: gl.constexpr, PAUSE: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    place = offsets(ROWS)
    ring.index(0).store(gl.load(x + place))
    for k in range(n):
        with amd.warp_pipeline_stage("load", priority=1):
            v = ring.index(k % SLOTS).load(COLUMNS)
            tile = gl.load(x + (k + 1) * TILE + place, mask=place < (n - 1 - k) * TILE, other=0)
        with amd.warp_pipeline_stage("compute", priority=0):
            acc = acc * 0.5 + v
        with amd.warp_pipeline_stage("store"):
            ring.index((k + 1) % SLOTS).store(tile)
        if PAUSE:
            with amd.warp_pipeline_stage("pause"):
                pass
    gl.store(y + offsets(COLUMNS), acc)


@hocket.jit
def direct_to_shared(x, y, n, WAIT_AT_TOP: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float32, [4, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    place = offsets(ROWS)
    for k in gl.static_range(2):
        amd.cdna4.async_copy.buffer_load_to_shared(ring.index(k), x, k * TILE + place, mask=place < (n - k) * TILE)
        amd.cdna4.async_copy.commit_group()
    for k in range(n):
        if WAIT_AT_TOP:
            amd.cdna4.async_copy.wait_group(1)
        with amd.warp_pipeline_stage("copy"):
            amd.cdna4.async_copy.buffer_load_to_shared(
                ring.index((k + 2) % 4), x, (k + 2) * TILE + place, mask=place < (n - 2 - k) * TILE
            )
            amd.cdna4.async_copy.commit_group()
        if not WAIT_AT_TOP:
            amd.cdna4.async_copy.wait_group(2)
        with amd.warp_pipeline_stage("compute"):
            acc = acc * 0.5 + ring.index(k % 4).load(COLUMNS)
    gl.store(y + offsets(COLUMNS), acc)


def run(kernel, target, n, seed, **constants):
    x = np.random.default_rng(seed).standard_normal((max(n, 1), 128, 32), dtype=np.float32)
    y = np.full((128, 32), -1, dtype=np.float32)
    with emulator.target(target), emulator.schedule(seed=seed):
        kernel[(1,)](x, y, n, num_warps=8, **constants)
    expected = np.zeros_like(y)
    for tile in x[:n]:
        expected = expected * np.float32(0.5) + tile
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("slots", [1, 2])
def test_tiles_through_registers(target, slots, n):
    for seed in range(3):
        run(through_registers, target, n, seed, SLOTS=slots, PAUSE=True)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_tiles_copied_directly(n):
    for seed in range(3):
        run(direct_to_shared, "gfx950", n, seed, WAIT_AT_TOP=True)


def test_a_wait_right_before_the_reading_stage_is_too_late():
    with pytest.raises(CompileError, match="the other group of warps may not have waited"):
        run(direct_to_shared, "gfx950", 2, 0, WAIT_AT_TOP=False)


def test_a_stage_too_few():
    with pytest.raises(CompileError, match='this warp pipeline races: stage "load" reads `ring`'):
        run(through_registers, "gfx950", 2, 0, SLOTS=2, PAUSE=False)


@hocket.jit
def by_a_counter(y, n):
    ring = gl.allocate_shared_memory(gl.float32, [3, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    tile = gl.full([128, 32], 1, gl.float32, ROWS)
    turn = 0
    for _ in range(n):
        with amd.warp_pipeline_stage("store"):
            ring.index(turn).store(tile)
            tile += 1
        with amd.warp_pipeline_stage("pause"):
            pass
        with amd.warp_pipeline_stage("load"):
            acc = acc * 0.5 + ring.index(turn).load(COLUMNS)
        turn = 0 if turn == 2 else turn + 1
    gl.store(y + offsets(COLUMNS), acc)


def test_slots_chosen_by_a_counter_that_restarts():
    for seed in range(3):
        y = np.zeros((128, 32), np.float32)
        with emulator.target("gfx950", seed=seed):
            by_a_counter[(1,)](y, 7, num_warps=8)
        assert (y == sum((k + 1) * 0.5 ** (6 - k) for k in range(7))).all()


@hocket.jit
def warps_by_themselves(x, y, n, APART: gl.constexpr):
    """Each warp reads its own writes, in other lanes."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [8, 1], [1, 0])
    others: gl.constexpr = gl.BlockedLayout([1, 1], [8, 8], [8, 1], [0, 1])
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    smem.store(gl.load(x + offsets(rows)))
    acc = gl.full([128, 32], 0, gl.float32, others)
    zero = gl.full([128, 32], 0, gl.float32, rows)
    for _ in range(n):
        with amd.warp_pipeline_stage("load"):
            tile = smem.load(others)
            if not APART:
                smem.store(zero)
        with amd.warp_pipeline_stage("add"):
            acc += tile
            if APART:
                smem.store(zero)
    gl.store(y + offsets(others), acc)


def test_tiles_that_only_one_warp_uses():
    x = np.random.default_rng(0).standard_normal((128, 32), dtype=np.float32)
    for seed in range(3):
        y = np.zeros_like(x)
        with emulator.target("gfx942", seed=seed):
            warps_by_themselves[(1,)](x, y, 2, APART=True, num_warps=8)
        np.testing.assert_array_equal(y, x)
    with emulator.target("gfx942"), pytest.raises(CompileError, match="which other lanes of the warp may access"):
        warps_by_themselves[(1,)](x, y, 2, APART=False, num_warps=8)


@hocket.jit
def own_copies(x, y, n):
    """Each warp copies and reads the same rows, in other lanes."""
    fill: gl.constexpr = gl.BlockedLayout([1, 1], [2, 32], [8, 1], [1, 0])
    read: gl.constexpr = gl.BlockedLayout([1, 1], [2, 32], [8, 1], [0, 1])
    ring = gl.allocate_shared_memory(gl.float32, [3, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, read)
    place = offsets(fill)
    for k in gl.static_range(2):
        amd.cdna4.async_copy.buffer_load_to_shared(ring.index(k), x, k * TILE + place)
        amd.cdna4.async_copy.commit_group()
    for k in range(n):
        with amd.warp_pipeline_stage("copy"):
            amd.cdna4.async_copy.buffer_load_to_shared(
                ring.index((k + 2) % 3), x, (k + 2) * TILE + place, mask=place < (n - 2 - k) * TILE
            )
            amd.cdna4.async_copy.commit_group()
        amd.cdna4.async_copy.wait_group(2)
        with amd.warp_pipeline_stage("compute"):
            acc = acc * 0.5 + ring.index(k % 3).load(read)
    gl.store(y + offsets(read), acc)


@pytest.mark.parametrize("n", [2, 5])
def test_copies_that_only_their_own_warp_reads(n):
    for seed in range(3):
        run(own_copies, "gfx950", n, seed)
