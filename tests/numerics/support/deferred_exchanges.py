"""Kernels whose warp pipelines exchange values between warps: reductions, conversions and gathers in stages.

`CASES` lists them with the pipelines in which they are legal. Tiles are 32 x 64; each layout is given by its lanes and
warps, so that it exists for warps of 32 and of 64 lanes.
"""

import numpy as np

import hocket
from hocket import emulator
from hocket import language as gl

ROWS, COLUMNS = 32, 64
TILE = gl.constexpr(32 * 64)
TARGETS = ["gfx942", "gfx950", "sm_90a"]


def layouts(target):
    """Layouts by name. Warps 0 to 3 are one group."""
    lanes = [4, 8] if target == "sm_90a" else [4, 16]
    return {
        # Each group has rows of its own, which its four warps share.
        "shared rows": gl.BlockedLayout([1, 1], lanes, [2, 4], [1, 0]),
        # Each row belongs to warps of both groups; each column to warps of one group.
        "shared columns": gl.BlockedLayout([1, 1], lanes, [4, 2], [0, 1]),
        # Each group has the rows that it has in "shared rows", in other warps.
        "own rows": gl.BlockedLayout([1, 1], [1, lanes[0] * lanes[1]], [8, 1], [1, 0]),
        # Warps in which a conversion from the others passes values between the groups.
        "columns": gl.BlockedLayout([2, 1], lanes[::-1], [1, 8], [0, 1]),
    }


def matrix_layouts(target):
    """Two layouts of results of MMAs, with the same warps of a group in the rows."""
    if target == "sm_90a":
        return (
            gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 32, 16]),
            gl.NVMMADistributedLayout([2, 0], [4, 2], [16, 8]),
        )
    version = {"gfx942": 3, "gfx950": 4}[target]
    return (
        gl.amd.AMDMFMALayout(version, [16, 16, 16], True, [2, 4]),
        gl.amd.AMDMFMALayout(version, [16, 16, 16], False, [4, 2]),
    )


@hocket.jit
def places(layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def largest(tile, AXIS: gl.constexpr):
    m = gl.max(tile, AXIS)
    return m[:, None] if AXIS == 1 else m[None, :]


@hocket.jit
def maximum(x, y, n, LAYOUT: gl.constexpr, AXIS: gl.constexpr, GAP: gl.constexpr, PAUSES: gl.constexpr):
    """Subtracts the maximum of each row or column."""
    for k in range(n):
        with gl.warp_pipeline_stage("reduce", phase_gap=GAP):
            tile = gl.load(x + k * TILE + places(LAYOUT))
            m = largest(tile, AXIS)
        for _ in gl.static_range(PAUSES):
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("use"):
            gl.store(y + k * TILE + places(LAYOUT), tile - m)


@hocket.jit
def both_sums(x, y, n, LAYOUT: gl.constexpr, GAP: gl.constexpr, PAUSES: gl.constexpr):
    """Adds the sums of the row and of the column to each element."""
    for k in range(n):
        with gl.warp_pipeline_stage("reduce", phase_gap=GAP):
            tile = gl.load(x + k * TILE + places(LAYOUT))
            rows = gl.sum(tile, 1)
            columns = gl.sum(tile, 0)
        for _ in gl.static_range(PAUSES):
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("use"):
            gl.store(y + k * TILE + places(LAYOUT), tile + rows[:, None] + columns[None, :])


@hocket.jit
def carried(
    x,
    y,
    z,
    n,
    LAYOUT: gl.constexpr,
    AXIS: gl.constexpr,
    LATE: gl.constexpr,
    GAP: gl.constexpr,
    PAUSES: gl.constexpr,
):
    """Uses results in the next iteration; `z` gets the last ones. If LATE, the last stage finds the maxima."""
    m = gl.full([32 if AXIS == 1 else 64], 7, gl.int32, gl.SliceLayout(AXIS, LAYOUT))
    total = 5
    for k in range(n):
        offset = total * 2 - total
        with gl.warp_pipeline_stage("use", phase_gap=GAP):
            tile = gl.load(x + k * TILE + places(LAYOUT))
            last = m[:, None] if AXIS == 1 else m[None, :]
            gl.store(y + k * TILE + places(LAYOUT), tile - last + offset)
            total = gl.sum(tile)
            if not LATE:
                m = gl.max(tile, AXIS)
        for _ in gl.static_range(PAUSES):
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("reduce"):
            if LATE:
                m = gl.max(tile, AXIS)
    gl.store(z + gl.arange(0, 32 if AXIS == 1 else 64, layout=gl.SliceLayout(AXIS, LAYOUT)), m + total)


@hocket.jit
def converted(x, y, n, LAYOUT: gl.constexpr, TO: gl.constexpr, GAP: gl.constexpr, PAUSES: gl.constexpr):
    for k in range(n):
        with gl.warp_pipeline_stage("convert", phase_gap=GAP):
            tile = gl.convert_layout(gl.load(x + k * TILE + places(LAYOUT)), TO)
        for _ in gl.static_range(PAUSES):
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("use"):
            gl.store(y + k * TILE + places(TO), tile * 3)


@hocket.jit
def gathered(x, i, y, n, LAYOUT: gl.constexpr, AXIS: gl.constexpr, GAP: gl.constexpr, PAUSES: gl.constexpr):
    index = gl.load(i + places(LAYOUT))
    for k in range(n):
        with gl.warp_pipeline_stage("gather", phase_gap=GAP):
            tile = gl.gather(gl.load(x + k * TILE + places(LAYOUT)), index, AXIS)
        for _ in gl.static_range(PAUSES):
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("use"):
            gl.store(y + k * TILE + places(LAYOUT), tile * 3)


@hocket.jit
def straight(x, y, LAYOUT: gl.constexpr, TO: gl.constexpr, GAP: gl.constexpr, PAUSES: gl.constexpr):
    """A pipeline without a loop; code after the pipeline uses the scalar."""
    with gl.warp_pipeline_stage("first", phase_gap=GAP):
        tile = gl.load(x + places(LAYOUT))
        m = gl.max(tile, 1)
    for _ in gl.static_range(PAUSES):
        with gl.warp_pipeline_stage("pause"):
            pass
    with gl.warp_pipeline_stage("last"):
        other = gl.convert_layout(tile - m[:, None], TO)
        total = gl.sum(tile) * 2
    gl.store(y + places(TO), other + total)


@hocket.jit
def joined(x, y, n, LAYOUT: gl.constexpr, TO: gl.constexpr, GAP: gl.constexpr, PAUSES: gl.constexpr):
    """Pipelines that follow each other directly, three times."""
    for j in range(3):
        for k in range(n):
            with gl.warp_pipeline_stage("convert", phase_gap=GAP):
                tile = gl.convert_layout(gl.load(x + k * TILE + places(LAYOUT)), TO)
            for _ in gl.static_range(PAUSES):
                with gl.warp_pipeline_stage("pause"):
                    pass
            with gl.warp_pipeline_stage("use"):
                gl.store(y + k * TILE + places(TO), tile + j)
        with gl.warp_pipeline_stage("drain", phase_gap=GAP):
            tile = gl.load(x + places(LAYOUT))
            other = gl.convert_layout(tile, TO)
            total = gl.sum(tile)
        for _ in gl.static_range(PAUSES):
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("last"):
            gl.store(y + n * TILE + places(TO), other + total + j)


@hocket.jit
def last(
    x,
    y,
    n,
    LAYOUT: gl.constexpr,
    AXIS: gl.constexpr,
    GAP: gl.constexpr = None,
    PAUSES: gl.constexpr = 0,
    EXCLUSIVE: gl.constexpr = False,
):
    """Only code after the loop uses the maxima, of the last tile."""
    m = gl.full([32 if AXIS == 1 else 64], 7, gl.int32, gl.SliceLayout(AXIS, LAYOUT))
    for k in range(n):
        with gl.warp_pipeline_stage("load", phase_gap=GAP, exclusive=EXCLUSIVE):
            tile = gl.load(x + k * TILE + places(LAYOUT))
        for _ in gl.static_range(PAUSES):
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("reduce"):
            m = gl.max(tile, AXIS)
    gl.store(y + gl.arange(0, 32 if AXIS == 1 else 64, layout=gl.SliceLayout(AXIS, LAYOUT)), m)


@hocket.jit
def idle():
    pass


@hocket.jit
def work(x, y, n, LAYOUT: gl.constexpr):
    m = gl.full([64], 3, gl.int32, gl.SliceLayout(0, LAYOUT))
    for k in range(n):
        with gl.warp_pipeline_stage("load"):
            tile = gl.load(x + k * TILE + places(LAYOUT))
            rows = gl.max(tile, 1)
            last = tile - m[None, :]
            m = gl.max(tile, 0)
        with gl.warp_pipeline_stage("use"):
            gl.store(y + k * TILE + places(LAYOUT), last - rows[:, None])


@hocket.jit
def in_worker(x, y, n, LAYOUT: gl.constexpr):
    """A pipeline in a worker of 8 warps: maxima of rows, and of the columns of the iteration before."""
    gl.warp_specialize([(idle, ()), (work, (x, y, n, LAYOUT))], [8], [64])


def inputs(n, seed):
    generator = np.random.default_rng(seed)
    return (
        generator.integers(-1000, 1000, (n, ROWS, COLUMNS)).astype(np.int32),
        generator.integers(0, ROWS, (ROWS, COLUMNS)).astype(np.int32),
    )


def run_maximum(target, n, layout, axis, **constants):
    x, _ = inputs(n, 0)
    y = np.zeros_like(x)
    maximum[(1,)](x, y, n, LAYOUT=layouts(target)[layout], AXIS=axis, num_warps=8, **constants)
    return y, x - x.max(axis + 1, keepdims=True)


def run_both_sums(target, n, layout, **constants):
    x, _ = inputs(n, 1)
    y = np.zeros_like(x)
    both_sums[(1,)](x, y, n, LAYOUT=layouts(target)[layout], num_warps=8, **constants)
    return y, x + x.sum(2, keepdims=True, dtype=np.int32) + x.sum(1, keepdims=True, dtype=np.int32)


def run_carried(target, n, layout, axis, late, **constants):
    x, _ = inputs(n, 2)
    y, z = np.zeros_like(x), np.zeros([32 if axis == 1 else 64], np.int32)
    carried[(1,)](x, y, z, n, LAYOUT=layouts(target)[layout], AXIS=axis, LATE=late, num_warps=8, **constants)
    m, total, expected = np.full_like(z, 7), np.int32(5), np.zeros_like(x)
    for k in range(n):
        expected[k] = x[k] - np.expand_dims(m, axis) + total
        m, total = x[k].max(axis), x[k].sum(dtype=np.int32)
    return np.concatenate([y.ravel(), z]), np.concatenate([expected.ravel(), m + total])


def run_converted(target, n, layout, to, **constants):
    x, _ = inputs(n, 3)
    y = np.zeros_like(x)
    src, dst = matrix_layouts(target) if layout == "mma" else (layouts(target)[layout], layouts(target)[to])
    converted[(1,)](x, y, n, LAYOUT=src, TO=dst, num_warps=8, **constants)
    return y, x * 3


def run_gathered(target, n, layout, axis, **constants):
    x, index = inputs(n, 4)
    y = np.zeros_like(x)
    gathered[(1,)](x, index, y, n, LAYOUT=layouts(target)[layout], AXIS=axis, num_warps=8, **constants)
    return y, np.take_along_axis(x, np.broadcast_to(index, x.shape), axis + 1) * 3


def run_straight(target, n, layout, to, **constants):
    x = inputs(1, 5)[0][0]
    y = np.zeros_like(x)
    straight[(1,)](x, y, LAYOUT=layouts(target)[layout], TO=layouts(target)[to], num_warps=8, **constants)
    return y, x - x.max(1, keepdims=True) + 2 * x.sum(dtype=np.int32)


def run_joined(target, n, layout, to, **constants):
    x, _ = inputs(max(n, 1), 6)
    y = np.zeros((n + 1, ROWS, COLUMNS), np.int32)
    joined[(1,)](x, y, n, LAYOUT=layouts(target)[layout], TO=layouts(target)[to], num_warps=8, **constants)
    return y, np.concatenate([x[:n] + 2, x[:1] + x[0].sum(dtype=np.int32) + 2])


def run_last(target, n, layout, axis, **constants):
    x, _ = inputs(n, 8)
    y = np.zeros([32 if axis == 1 else 64], np.int32)
    last[(1,)](x, y, n, LAYOUT=layouts(target)[layout], AXIS=axis, num_warps=8, **constants)
    return y, x[-1].max(axis) if n else np.full_like(y, 7)


def run_in_worker(n, layout):
    x, _ = inputs(n, 7)
    y, expected, m = np.zeros_like(x), np.zeros_like(x), np.full([COLUMNS], 3, np.int32)
    in_worker[(1,)](x, y, n, LAYOUT=layouts("sm_90a")[layout], num_warps=4)
    for k in range(n):
        expected[k] = x[k] - m - x[k].max(1, keepdims=True)
        m = x[k].max(0)
    return y, expected


def name_of(case):
    return "-".join(str(part) for part in (case[0].__name__[4:], *case[1:-2])) + f"-gap{case[-2]}-pauses{case[-1]}"


#: Tuples of the function that runs a kernel, its layouts and axis, the lag, and the number of pauses.
CASES = [
    (run_maximum, "shared rows", 1, 1, 0),
    (run_maximum, "shared rows", 1, 1, 1),
    (run_maximum, "shared rows", 1, 2, 1),
    (run_maximum, "shared rows", 0, 1, 1),
    (run_maximum, "shared rows", 0, 2, 2),
    (run_maximum, "shared columns", 0, 1, 0),
    (run_maximum, "shared columns", 1, 1, 1),
    (run_both_sums, "shared rows", 1, 1),
    (run_both_sums, "shared columns", 1, 1),
    (run_both_sums, "shared columns", 2, 2),
    (run_carried, "shared rows", 1, True, 1, 0),
    (run_carried, "shared rows", 0, False, 1, 0),
    (run_carried, "shared columns", 0, True, 1, 0),
    (run_carried, "shared columns", 1, False, 1, 0),
    (run_carried, "shared columns", 1, False, 2, 1),
    (run_converted, "shared rows", "own rows", 1, 0),
    (run_converted, "shared rows", "columns", 1, 1),
    (run_converted, "shared rows", "columns", 2, 2),
    (run_converted, "mma", "mma", 1, 1),
    (run_converted, "mma", "mma", 2, 2),
    (run_gathered, "shared rows", 1, 1, 0),
    (run_gathered, "shared rows", 1, 2, 1),
    (run_gathered, "shared rows", 0, 1, 1),
    (run_gathered, "shared columns", 0, 1, 0),
    (run_straight, "shared rows", "columns", 1, 1),
    (run_straight, "shared rows", "columns", 1, 0),
    (run_joined, "shared rows", "columns", 1, 1),
    (run_joined, "shared rows", "own rows", 2, 2),
    (run_last, "shared columns", 1, 1, 0),
    (run_last, "shared columns", 0, 1, 1),
]


def run(case, target, n=5):
    """Returns the results of a case, and the expected ones."""
    function, *options, gap, pauses = case
    return function(target, n, *options, GAP=gap, PAUSES=pauses)


def is_right(case, target, n=5, seed=0):
    with emulator.target(target, seed=seed):
        found, expected = run(case, target, n)
    return (found == expected).all()
