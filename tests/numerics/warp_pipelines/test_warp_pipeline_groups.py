"""Stages that exchange data within a group of warps follow each other directly, and their fences are needed."""

import lane_edits
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError, RaceError
from hocket.language import amd

TARGETS = ["gfx942", "gfx950"]
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
ROWS = gl.constexpr(gl.BlockedLayout([1, 2], [4, 16], [8, 1], [1, 0]))
#: Warps 0 to 3 have rows 0 to 15, as they have of ROWS.
HALVES = gl.constexpr(gl.BlockedLayout([1, 1], [16, 4], [2, 4], [1, 0]))
#: Layout of copies to shared memory, and another one, in which warps 0 to 3 have rows 0 to 7 and 16 to 23.
DIRECT = gl.constexpr(gl.BlockedLayout([1, 1], [2, 32], [8, 1], [1, 0]))
EIGHTHS = gl.constexpr(gl.BlockedLayout([1, 1], [8, 8], [2, 4], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([2, 1], [16, 4], [1, 8], [0, 1]))


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def through_registers(x, y, n, READ: gl.constexpr, GAP: gl.constexpr):
    smem = gl.allocate_shared_memory(gl.int32, [32, 32], SHARED)
    acc = gl.full([32, 32], 0, gl.int32, READ)
    tile = gl.load(x + places(ROWS))
    for k in range(n):
        with amd.warp_pipeline_stage("store", phase_gap=GAP):
            smem.store(tile)
        with amd.warp_pipeline_stage("load"):
            v = smem.load(READ)
            tile = gl.load(x + (k + 1) * 1024 + places(ROWS))
        with amd.warp_pipeline_stage("compute"):
            acc = acc * 3 + v
    gl.store(y + places(READ), acc)


@hocket.jit
def direct_to_shared(x, y, n, READ: gl.constexpr, GAP: gl.constexpr):
    """The first copy is in flight where the pipeline begins."""
    ring = gl.allocate_shared_memory(gl.int32, [2, 32, 32], SHARED)
    acc = gl.full([32, 32], 0, gl.int32, READ)
    amd.cdna4.async_copy.buffer_load_to_shared(ring.index(0), x, places(DIRECT))
    amd.cdna4.async_copy.commit_group()
    for k in range(n):
        with amd.warp_pipeline_stage("copy", phase_gap=GAP):
            amd.cdna4.async_copy.buffer_load_to_shared(ring.index((k + 1) % 2), x, (k + 1) * 1024 + places(DIRECT))
            amd.cdna4.async_copy.commit_group()
        amd.cdna4.async_copy.wait_group(1)
        with amd.warp_pipeline_stage("load"):
            v = ring.index(k % 2).load(READ)
        with amd.warp_pipeline_stage("compute"):
            acc = acc * 3 + v
    gl.store(y + places(READ), acc)


@hocket.jit
def lines(x, y, n, READ: gl.constexpr, GAP: gl.constexpr):
    """Two pipelines; the second loads what the first has stored right before it."""
    smem = gl.allocate_shared_memory(gl.int32, [32, 32], SHARED)
    with amd.warp_pipeline_stage("pause", phase_gap=GAP):
        pass
    with amd.warp_pipeline_stage("fetch"):
        tile = gl.load(x + places(ROWS))
    with amd.warp_pipeline_stage("store"):
        smem.store(tile)
    with amd.warp_pipeline_stage("load", phase_gap=GAP):
        v = smem.load(READ)
    with amd.warp_pipeline_stage("write"):
        gl.store(y + places(READ), v)
    with amd.warp_pipeline_stage("rest"):
        pass


KERNELS = {"through_registers": (through_registers, HALVES), "direct_to_shared": (direct_to_shared, EIGHTHS)}
#: In the emulator: the natural order, and adversarial ones.
SEEDS = (0, 3, 7, 1)


def is_right(kernel, target, n, seed, read, gap=1, completion="late"):
    x = np.random.default_rng(n).integers(-1000, 1000, (n + 1, 32, 32)).astype(np.int32)
    y = np.zeros((32, 32), np.int32)
    with emulator.target(target, seed=seed, completion=completion):
        kernel[(1,)](x, y, n, READ=read, GAP=gap, num_warps=8)
    expected = np.zeros_like(y)
    for tile in x[:n]:
        expected = expected * np.int32(3) + tile
    return (y == expected).all()


def is_noticed(kernel, read, gap, edit, n=5):
    """Returns True if the kernel, after `edit`, fails under at least one schedule."""
    edited = hocket.jit(kernel.fn)
    with lane_edits.edited(edit):
        for seed in SEEDS:
            try:
                if not is_right(edited, "gfx950", n, seed, read, gap):
                    return True
            except RaceError:
                return True
    return False


def fences(kernel, read, gap, n=5):
    """The stages that have a fence before them."""
    lanes = []
    assert not is_noticed(kernel, read, gap, lanes.append, n)
    return [stage for stage, _ in lanes[0].slots() if lanes[0].is_fence(stage)]


@pytest.mark.parametrize("gap", [1, 2])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_neighbors(name, target, gap):
    kernel, read = KERNELS[name]
    for n in (0, 1, 2, 5):
        for seed in SEEDS:
            for completion in ("late", "random", "now"):
                assert is_right(kernel, target, n, seed, read, gap, completion)


@pytest.mark.parametrize("gap", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
def test_neighbors_need_their_fences(name, gap):
    """Before the stage that loads, and of the one that overwrites what was loaded."""
    kernel, read = KERNELS[name]
    fenced = fences(kernel, read, gap)
    assert fenced == ["load", "store" if name == "through_registers" else "copy"]
    for stage in fenced:
        assert is_noticed(kernel, read, gap, lambda lane, stage=stage: lane.make_raw(stage)), stage


@pytest.mark.parametrize("gap", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
def test_a_fence_one_slot_late_is_noticed(name, gap):
    kernel, read = KERNELS[name]
    assert is_noticed(kernel, read, gap, lambda lane: lane.move_fence("load", "compute"))


@pytest.mark.parametrize("name", KERNELS)
def test_what_moves_between_the_groups_is_refused(name):
    for read in (COLUMNS, EIGHTHS if name == "through_registers" else HALVES):
        with pytest.raises(CompileError, match=r"this warp pipeline races: .* the other group of warps may"):
            is_right(KERNELS[name][0], "gfx950", 2, 0, read)


@pytest.mark.parametrize("gap", [1, 2])
def test_pipelines_in_a_row_need_one_fence(gap):
    assert fences(lines, HALVES, gap, n=1) == ["load"]
    assert is_noticed(lines, HALVES, gap, lambda lane: lane.make_raw("load"), n=1)
