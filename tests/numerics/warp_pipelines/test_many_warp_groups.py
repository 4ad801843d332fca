"""Warp pipelines of 12 and 16 warps, in three and four groups with lags of their own, on CDNA and Hopper."""

import lane_edits
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.errors import CompileError, RaceError
from hocket.language import amd, nvidia

AMD_TARGETS = ["gfx942", "gfx950"]
TARGETS = [*AMD_TARGETS, "sm_90a"]
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
TILE = gl.constexpr(128 * 32)
#: Numbers of warps and lags, with the number of iterations by which a tile must be written ahead, and of slots.
LAGS = {
    (16, None): (2, 3),
    (16, (0, 1, 2, 3)): (2, 3),
    (16, (0, 0, 1, 1)): (1, 1),
    (16, (0, 1, 1, 3)): (2, 3),
    (16, (0, 0, 0, 2)): (2, 3),
    (12, None): (1, 2),
    (12, (0, 1, 3)): (2, 3),
    (12, (0, 0, 2)): (2, 3),
    (12, (0, 1, 1)): (1, 1),
}
SCHEDULES = range(20)


def layouts(target, warps):
    """Layouts of 16 warps. In ROWS, each warp has 8 rows, with 16 consecutive bytes in a lane. With 16 warps, COLUMNS
    divides the columns among all warps. Of 12 warps, group 0 has the same 32 rows in both layouts, and groups 1 and 2
    have each other's rows; the last 32 rows do not exist."""
    lanes = 64 if target.startswith("gfx") else 32
    columns = gl.BlockedLayout([4, 1], [lanes // 2, 2], [1, 16], [0, 1])
    if warps == 12:
        of_lanes = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [0, 4]]
        reg, lane = [[1, 0], [2, 0], *of_lanes[lanes.bit_length() - 1 :]], of_lanes[: lanes.bit_length() - 1]
        columns = gl.DistributedLinearLayout(reg, lane, [[0, 8], [0, 16], [64, 0], [32, 0]], [], [128, 32])
    return {"ROWS": gl.BlockedLayout([64 // lanes, 4], [lanes // 8, 8], [16, 1], [1, 0]), "COLUMNS": columns}


@hocket.jit
def offsets(layout: gl.constexpr):
    i = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    return i[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def through_registers(
    x, y, n, ROWS: gl.constexpr, COLUMNS: gl.constexpr, LAGS: gl.constexpr, AHEAD: gl.constexpr, SLOTS: gl.constexpr
):
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    place = offsets(ROWS)
    for k in gl.static_range(AHEAD):
        ring.index(k).store(gl.load(x + k * TILE + place, mask=place < (n - k) * TILE, other=0))
    for k in range(n):
        with gl.warp_pipeline_stage("load", phase_gap=LAGS):
            v = ring.index(k % SLOTS).load(COLUMNS)
            tile = gl.load(x + (k + AHEAD) * TILE + place, mask=place < (n - AHEAD - k) * TILE, other=0)
        with gl.warp_pipeline_stage("compute"):
            acc = acc * 0.5 + v
        with gl.warp_pipeline_stage("store"):
            ring.index((k + AHEAD) % SLOTS).store(tile)
        with gl.warp_pipeline_stage("pause"):
            pass
    gl.store(y + offsets(COLUMNS), acc)


@hocket.jit
def copy_tile(ring, x, k, n, ROWS: gl.constexpr, SLOTS: gl.constexpr, IS_AMD: gl.constexpr):
    place = offsets(ROWS)
    if IS_AMD:
        amd.cdna4.async_copy.buffer_load_to_shared(
            ring.index(k % SLOTS), x, k * TILE + place, mask=place < (n - k) * TILE
        )
        amd.cdna4.async_copy.commit_group()
    else:
        nvidia.ampere.async_copy.async_load(ring.index(k % SLOTS), x + k * TILE + place, mask=place < (n - k) * TILE)
        nvidia.ampere.async_copy.commit_group()


@hocket.jit
def wait_for_copies(COUNT: gl.constexpr, IS_AMD: gl.constexpr):
    if IS_AMD:
        amd.cdna4.async_copy.wait_group(COUNT)
    else:
        nvidia.ampere.async_copy.wait_group(COUNT)


@hocket.jit
def direct_to_shared(
    x, y, n, ROWS: gl.constexpr, COLUMNS: gl.constexpr, LAGS: gl.constexpr, SLOTS: gl.constexpr, IS_AMD: gl.constexpr
):
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    for k in gl.static_range(3):
        copy_tile(ring, x, k, n, ROWS, SLOTS, IS_AMD)
    wait_for_copies(2, IS_AMD)
    for k in range(n):
        with gl.warp_pipeline_stage("copy", phase_gap=LAGS):
            copy_tile(ring, x, k + 3, n, ROWS, SLOTS, IS_AMD)
        wait_for_copies(2, IS_AMD)
        with gl.warp_pipeline_stage("load"):
            v = ring.index(k % SLOTS).load(COLUMNS)
        with gl.warp_pipeline_stage("compute"):
            acc = acc * 0.5 + v
        with gl.warp_pipeline_stage("pause"):
            pass
    gl.store(y + offsets(COLUMNS), acc)


def is_right(kernel, target, warps, n, seed, **constants):
    x = np.random.default_rng(n).standard_normal((max(n, 1), 128, 32), dtype=np.float32)
    y = np.full((128, 32), -1, dtype=np.float32)
    with emulator.target(target, seed=seed):
        kernel[(1,)](x, y, n, num_warps=warps, **layouts(target, warps), **constants)
    expected = np.zeros_like(y)
    for tile in x[:n]:
        expected = expected * np.float32(0.5) + tile
    if warps == 12:
        expected[96:] = -1  # rows of warps that do not exist
    return (y == expected).all()


@pytest.mark.parametrize("warps, lags", LAGS)
@pytest.mark.parametrize("target", TARGETS)
def test_tiles_through_registers(target, warps, lags):
    ahead, slots = LAGS[warps, lags]
    for seed in SCHEDULES:
        n = (0, 1, 2, 5)[seed % 4]
        assert is_right(through_registers, target, warps, n, seed, LAGS=lags, AHEAD=ahead, SLOTS=slots)


@pytest.mark.parametrize("warps, lags", LAGS)
@pytest.mark.parametrize("target", ["gfx950", "sm_90a"])
def test_tiles_copied_directly(target, warps, lags):
    for seed in SCHEDULES:
        n = (0, 1, 2, 5)[seed % 4]
        assert is_right(direct_to_shared, target, warps, n, seed, LAGS=lags, SLOTS=5, IS_AMD=target == "gfx950")


@pytest.mark.parametrize("warps, lags", [(16, None), (12, (0, 1, 3))])
@pytest.mark.parametrize("target", TARGETS)
def test_too_few_slots_for_the_lags(target, warps, lags):
    with pytest.raises(
        CompileError, match=r'stage ".*" (reads|writes) `ring` while another group of warps may still be in'
    ):
        is_right(through_registers, target, warps, 2, 0, LAGS=lags, AHEAD=1, SLOTS=2)


@pytest.mark.parametrize("warps, lags", LAGS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_groups_execute_equal_numbers_of_barriers(warps, lags, n):
    """All groups execute the same number of barriers: those of the group's lag before the loop, the rest after it."""
    ahead, slots = LAGS[warps, lags]
    with emulator.record_timeline() as timeline:
        assert is_right(through_registers, "gfx950", warps, n, 0, LAGS=lags, AHEAD=ahead, SLOTS=slots)
    counts = [sum(s.kind == "barrier" and s.warp == warp for s in timeline.slices) for warp in range(warps)]
    assert len(set(counts)) == 1
    assert counts[0] >= 4 * n + max(lags or (warps // 4 - 1,))


@pytest.mark.parametrize("warps, lags", [(16, None), (16, (0, 0, 1, 1)), (12, None), (12, (0, 1, 1))])
def test_fences_are_needed(warps, lags):
    """Without any of its fences, a pipeline fails under some schedule."""
    ahead, slots = LAGS[warps, lags]
    constants = {"LAGS": lags, "AHEAD": ahead, "SLOTS": slots}
    lanes = []
    with lane_edits.edited(lanes.append):
        assert is_right(hocket.jit(through_registers.fn), "gfx950", warps, 5, 0, **constants)
    fenced = [stage for stage, _ in lanes[0].slots() if lanes[0].is_fence(stage)]
    assert fenced
    for stage in fenced:
        edited = hocket.jit(through_registers.fn)
        with lane_edits.edited(lambda lane, stage=stage: lane.make_raw(stage)):
            assert any(fails(edited, warps, seed, constants) for seed in SCHEDULES), stage


def fails(kernel, warps, seed, constants):
    try:
        return not is_right(kernel, "gfx950", warps, 5, seed, **constants)
    except RaceError:
        return True


@hocket.jit
def alternating(x, y, n, ROWS: gl.constexpr, COLUMNS: gl.constexpr, IS_ORDERED: gl.constexpr):
    """The groups store and load the tile in exclusive stages, one after the other."""
    tile = gl.allocate_shared_memory(gl.float32, [128, 32], SHARED)
    acc = gl.full([128, 32], 0, gl.float32, COLUMNS)
    for k in range(n):
        with gl.warp_pipeline_stage("store", exclusive=True):
            tile.store(gl.load(x + k * TILE + offsets(ROWS)))
        with gl.warp_pipeline_stage("scale"):
            acc *= 0.5
        with gl.warp_pipeline_stage("load", exclusive=IS_ORDERED):
            acc += tile.load(COLUMNS)
    gl.store(y + offsets(COLUMNS), acc)


@pytest.mark.parametrize("warps", [12, 16])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_exclusive_stages(warps, n):
    for seed in SCHEDULES:
        assert is_right(alternating, "sm_90a", warps, n, seed, IS_ORDERED=True)


def test_a_stage_that_is_not_exclusive():
    with pytest.raises(CompileError, match="while another group of warps may still be in stage"):
        is_right(alternating, "sm_90a", 16, 2, 0, IS_ORDERED=False)


@hocket.jit
def exchanging(x, y, n, LAYOUT: gl.constexpr):
    """Four warps of a group share each row, so a maximum passes between them at the next slot."""
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, LAYOUT))
    place = i[:, None] * 32 + j[None, :]
    acc = gl.full([32, 32], 0, gl.float32, LAYOUT)
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            tile = gl.load(x + k * 1024 + place)
        with gl.warp_pipeline_stage("maximum"):
            most = gl.max(tile, 1)
        with gl.warp_pipeline_stage("subtract"):
            acc = acc * 0.5 + (tile - most[:, None])
        with gl.warp_pipeline_stage("pause"):
            pass
    gl.store(y + place, acc)


@pytest.mark.parametrize("warps", [12, 16])
@pytest.mark.parametrize("target", TARGETS)
def test_exchanges_within_groups(target, warps):
    lanes = 64 if target.startswith("gfx") else 32
    layout = gl.BlockedLayout([1, 64 // lanes], [8, lanes // 8], [4, 4], [1, 0])
    x = np.random.default_rng(0).standard_normal((5, 32, 32), dtype=np.float32)
    expected = np.zeros((32, 32), np.float32)
    for tile in x:
        expected = expected * np.float32(0.5) + (tile - tile.max(axis=1, keepdims=True))
    expected[2 * warps :] = 0
    for seed in SCHEDULES:
        y = np.zeros((32, 32), np.float32)
        with emulator.target(target, seed=seed):
            exchanging[(1,)](x, y, 5, LAYOUT=layout, num_warps=warps)
        np.testing.assert_array_equal(y, expected)
