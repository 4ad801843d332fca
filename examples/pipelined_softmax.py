"""Softmax and RMS norm as warp pipelines with reductions between stages.

Inside a stage, warps cannot wait for each other. Here, reductions over several warps are in one stage and the first use
of their results is in a later one, so that the barriers between the stages are enough.

`softmax_kernel` reads tiles of 16 rows from a ring buffer in shared memory. Each row belongs to four warps of one
group, which exchange values between neighboring stages:

    stage     does                                                  exchange of the group
    load      reads the tile, finds the row maxima                  stores partial maxima
    exp       exp(tile - maximum), sums; fetches a later tile       loads them, stores partial sums
    write     stores the later tile in the ring buffer and the      loads them
              quotients in global memory

`rms_norm_kernel` has one row for all eight warps, so values pass between the two groups, which need two stages. The sum
of squares of a row is therefore used in the next iteration:

    stage     does                                                  exchange of the block
    scale     stores the row before, scaled; sums the squares of    loads the sum of the row before,
              this row                                              stores partial sums
    fetch     loads the next row

    python pipelined_softmax.py

runs both on the emulated GPUs gfx942, gfx950 and sm_90a, and prints the largest error.
"""

import numpy as np

import hocket
from hocket import emulator
from hocket import language as gl

#: Rows of a tile.
ROWS = 16
#: Lanes of a warp, for each target.
LANES = {"gfx942": 64, "gfx950": 64, "sm_90a": 32}


@hocket.jit
def softmax_kernel(x, y, tiles, ROWS: gl.constexpr, COLUMNS: gl.constexpr, SLOTS: gl.constexpr, LAYOUT: gl.constexpr):
    """Softmax of each row of `x`. A block processes ROWS * tiles rows."""
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, ROWS, COLUMNS], shared)
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, LAYOUT))[:, None]
    places = rows * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, LAYOUT))[None, :]
    tile_size: gl.constexpr = ROWS * COLUMNS
    x += gl.program_id(0) * tiles * tile_size
    y += gl.program_id(0) * tiles * tile_size
    for k in gl.static_range(2):
        ring.index(k).store(gl.load(x + k * tile_size + places, mask=places < (tiles - k) * tile_size, other=0))
    for k in range(tiles):
        with gl.warp_pipeline_stage("load", priority=1):
            tile = ring.index(k % SLOTS).load(LAYOUT)
            largest = gl.max(tile, 1)
        with gl.warp_pipeline_stage("exp", priority=0):
            fetched = gl.load(x + (k + 2) * tile_size + places, mask=places < (tiles - 2 - k) * tile_size, other=0)
            tile = gl.exp(tile - largest[:, None])
            total = gl.sum(tile, 1)
        with gl.warp_pipeline_stage("write", priority=1):
            ring.index((k + 2) % SLOTS).store(fetched)
            gl.store(y + k * tile_size + places, tile / total[:, None])


@hocket.jit
def rms_norm_kernel(x, y, rows, eps, COLUMNS: gl.constexpr, LAYOUT: gl.constexpr):
    """Divides each row of `x` by the root of its mean square. One block."""
    columns = gl.arange(0, COLUMNS, layout=LAYOUT)
    total = 0.0
    before = gl.full([COLUMNS], 0, gl.float32, LAYOUT)
    row = gl.load(x + columns, mask=columns < rows * COLUMNS, other=0)
    for k in range(rows):
        with gl.warp_pipeline_stage("scale"):
            scaled = before * gl.rsqrt(total / COLUMNS + eps)
            gl.store(y + (k - 1) * COLUMNS + columns, scaled, mask=columns < k * COLUMNS)
            total = gl.sum(row * row)
            before = row
        with gl.warp_pipeline_stage("fetch"):
            row = gl.load(x + (k + 1) * COLUMNS + columns, mask=columns < (rows - 1 - k) * COLUMNS, other=0)
    scaled = before * gl.rsqrt(total / COLUMNS + eps)
    gl.store(y + (rows - 1) * COLUMNS + columns, scaled, mask=columns < rows * COLUMNS)


def softmax(x, target):
    lanes = LANES[target]
    layout = gl.BlockedLayout([1, 1], [lanes // 16, 16], [2, 4], [1, 0])
    y = np.zeros_like(x)
    rows, columns = x.shape
    softmax_kernel[(1,)](x, y, rows // ROWS, ROWS=ROWS, COLUMNS=columns, SLOTS=3, LAYOUT=layout, num_warps=8)
    return y


def rms_norm(x, target, eps=1e-6):
    layout = gl.BlockedLayout([4], [LANES[target]], [8], [0])
    y = np.zeros_like(x)
    rms_norm_kernel[(1,)](x, y, x.shape[0], eps, COLUMNS=x.shape[1], LAYOUT=layout, num_warps=8)
    return y


def expected_softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def expected_rms_norm(x, eps=1e-6):
    return x / np.sqrt((x * x).mean(1, keepdims=True) + eps)


def main():
    x = np.random.default_rng(0).standard_normal((128, 256), dtype=np.float32)
    for target in LANES:
        with emulator.target(target):
            errors = [
                np.abs(softmax(x, target) - expected_softmax(x)).max(),
                np.abs(rms_norm(x, target) - expected_rms_norm(x)).max(),
            ]
        print(f"{target}: largest error of softmax {errors[0]:.1e}, of rms_norm {errors[1]:.1e}")


if __name__ == "__main__":
    main()
