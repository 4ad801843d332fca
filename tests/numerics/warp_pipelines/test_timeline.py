"""The timeline of a warp pipeline: two groups of warps, one stage apart, and in step without the markers."""

import itertools

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language import amd

TARGET = "gfx950"
SIZE, STEP, SLOTS, STEPS = 256, 32, 3, 10
WARPS = 8

ACC = amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 4])
A, B = (gl.DotOperandLayout(index, ACC, 8) for index in range(2))
# 16 bytes per lane, side by side as copies into LDS have to be.
ROWS_OF_A = gl.BlockedLayout([1, 8], [16, 4], [WARPS, 1], [1, 0])
COLUMNS_OF_B = gl.BlockedLayout([8, 1], [4, 16], [1, WARPS], [0, 1])
SHARED_A = gl.SwizzledSharedLayout(8, 1, 1, [1, 0])
SHARED_B = gl.SwizzledSharedLayout(8, 1, 1, [0, 1])


@hocket.jit
def fetch(ring_a, ring_b, a, b, step):
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, ROWS_OF_A))[:, None]
    columns = gl.arange(0, STEP, layout=gl.SliceLayout(0, ROWS_OF_A))[None, :]
    amd.cdna4.async_copy.buffer_load_to_shared(
        ring_a.index(step % SLOTS), a + step * STEP, rows * (STEPS * STEP) + columns
    )
    rows = gl.arange(0, STEP, layout=gl.SliceLayout(1, COLUMNS_OF_B))[:, None]
    columns = gl.arange(0, SIZE, layout=gl.SliceLayout(0, COLUMNS_OF_B))[None, :]
    amd.cdna4.async_copy.buffer_load_to_shared(
        ring_b.index(step % SLOTS), b + step * STEP, columns * (STEPS * STEP) + rows
    )
    amd.cdna4.async_copy.commit_group()


@hocket.jit
def store(acc, c):
    rows = gl.arange(0, SIZE, layout=gl.SliceLayout(1, ACC))[:, None]
    columns = gl.arange(0, SIZE, layout=gl.SliceLayout(0, ACC))[None, :]
    gl.store(c + rows * SIZE + columns, acc)


@hocket.jit
def pipelined(a, b, c, steps):
    ring_a = gl.allocate_shared_memory(gl.float16, [SLOTS, SIZE, STEP], SHARED_A)
    ring_b = gl.allocate_shared_memory(gl.float16, [SLOTS, STEP, SIZE], SHARED_B)
    acc = gl.zeros([SIZE, SIZE], gl.float32, ACC)
    fetch(ring_a, ring_b, a, b, 0)
    fetch(ring_a, ring_b, a, b, 1)
    amd.cdna4.async_copy.wait_group(1)
    for step in range(steps - 2):
        with amd.warp_pipeline_stage("memory", priority=1):
            x = ring_a.index(step % SLOTS).load(A)
            y = ring_b.index(step % SLOTS).load(B)
            fetch(ring_a, ring_b, a, b, step + 2)
        amd.cdna4.async_copy.wait_group(1)
        with amd.warp_pipeline_stage("compute", priority=0):
            acc = amd.cdna3.mfma(x, y, acc)
    for last in gl.static_range(2):
        amd.cdna4.async_copy.wait_group(0)
        step = steps - 2 + last
        acc = amd.cdna3.mfma(ring_a.index(step % SLOTS).load(A), ring_b.index(step % SLOTS).load(B), acc)
    store(acc, c)


@hocket.jit
def plain(a, b, c, steps):
    """The kernel without stages."""
    ring_a = gl.allocate_shared_memory(gl.float16, [SLOTS, SIZE, STEP], SHARED_A)
    ring_b = gl.allocate_shared_memory(gl.float16, [SLOTS, STEP, SIZE], SHARED_B)
    acc = gl.zeros([SIZE, SIZE], gl.float32, ACC)
    fetch(ring_a, ring_b, a, b, 0)
    fetch(ring_a, ring_b, a, b, 1)
    amd.cdna4.async_copy.wait_group(1)
    for step in range(steps - 2):
        x = ring_a.index(step % SLOTS).load(A)
        y = ring_b.index(step % SLOTS).load(B)
        fetch(ring_a, ring_b, a, b, step + 2)
        amd.cdna4.async_copy.wait_group(1)
        acc = amd.cdna3.mfma(x, y, acc)
    for last in gl.static_range(2):
        amd.cdna4.async_copy.wait_group(0)
        step = steps - 2 + last
        acc = amd.cdna3.mfma(ring_a.index(step % SLOTS).load(A), ring_b.index(step % SLOTS).load(B), acc)
    store(acc, c)


def record(kernel):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((SIZE, STEPS * STEP), (SIZE, STEPS * STEP)))
    c = np.zeros((SIZE, SIZE), np.float32)
    with hocket.emulator.target(TARGET), hocket.emulator.record_timeline() as recorded:
        kernel[(1,)](a, b, c, STEPS, num_warps=WARPS)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)
    return recorded


@pytest.fixture(scope="module")
def stages():
    """The pipelined kernel's stages, by warp."""
    slices = [s for s in record(pipelined).slices if s.kind == "stage"]
    return [[s for s in slices if s.warp == warp] for warp in range(WARPS)]


def test_the_stages_are_those_of_the_loop(stages):
    turns = STEPS - 2
    for of_warp in stages:
        assert [s.label for s in of_warp] == ["memory", "compute"] * turns
        for stage, following in itertools.pairwise(of_warp):
            assert stage.end == following.begin


def test_the_second_group_enters_a_stage_when_the_first_leaves_it(stages):
    for low, high in zip(stages[:4], stages[4:], strict=True):
        for ahead, behind in zip(low, high, strict=True):
            assert behind.label == ahead.label
            assert behind.begin == ahead.end


def test_memory_runs_beside_arithmetic(stages):
    """The fraction of busy time, without the first and last two iterations, is at least 80 %."""
    for low, high in zip(stages[:4], stages[4:], strict=True):
        begin, end = low[4].begin, low[-4].begin
        pairs = [(a, b) for a in low for b in high if a.label != b.label]
        beside = sum(max(0, min(a.end, b.end, end) - max(a.begin, b.begin, begin)) for a, b in pairs)
        assert end > begin
        assert beside >= 0.8 * (end - begin)


def test_a_matrix_core_is_never_idle(stages):
    """One of the two warps on each matrix core executes MFMAs at any time."""
    slices = record(pipelined).slices
    for warp in range(4):
        begin, end = stages[warp][4].begin, stages[warp][-4].begin
        matrix = [s for s in slices if s.warp % 4 == warp and s.kind == "matrix" and begin <= s.begin < end]
        assert sum(s.clocks for s in matrix) >= 0.8 * (end - begin)


def test_without_markers_the_groups_are_in_step():
    slices = record(plain).slices
    assert not [s for s in slices if s.kind == "stage"]
    # Each iteration begins with loads of A, after a barrier.
    line = plain.fn.__code__.co_firstlineno + 10
    loads = [[s.begin for s in slices if s.warp == warp and s.kind == "shared load" and s.line == line]
             for warp in range(WARPS)]  # fmt: skip
    assert len(loads[0]) == STEPS - 2
    assert all(of_warp == loads[0] for of_warp in loads)


def test_the_summary():
    leapfrog, in_step = (record(kernel).summary() for kernel in (pipelined, plain))
    assert (leapfrog.kernel, leapfrog.block, leapfrog.warps) == ("pipelined", 0, WARPS)
    assert [(stage.label, stage.iterations) for stage in leapfrog.stages] == [
        ("memory", STEPS - 2),
        ("compute", STEPS - 2),
    ]
    memory, compute = leapfrog.stages
    # A warp that is not busy waits; the one that multiplies does not wait for results.
    assert memory.busy + memory.wait + memory.barrier == pytest.approx(memory.clocks)
    assert compute.busy > compute.wait + compute.barrier
    assert leapfrog.apart >= 0.8
    assert (in_step.stages, in_step.apart) == ((), 0)
    assert leapfrog.matrix > in_step.matrix > 0
    table = str(leapfrog).splitlines()
    assert table[0] == f"pipelined, block 0: 8 warps, {leapfrog.clocks} clocks of the model"
    assert [line.split()[0] for line in table[1:4]] == ["stage", "memory", "compute"]
    assert table[-1] == f"  matrix cores work for {leapfrog.matrix:.0%} of the time"


def test_the_summary_of_a_block_that_was_not_recorded():
    with pytest.raises(ValueError, match="no slice of block 3 of launch 0 was recorded"):
        record(plain).summary(block=3)


def test_a_recording_is_the_same_each_time(stages):
    with hocket.emulator.schedule(seed=7, threads=1):
        slices = [s for s in record(pipelined).slices if s.kind == "stage"]
    assert slices == [s for of_warp in stages for s in of_warp]
