"""Kernels with wgmma in the stages of warp pipelines, for the test of their PTX."""

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import warpgroup_mma


@hocket.jit
def product(a, b, c, steps):
    """A 128 x 64 tile: lanes store the next tile two stages before wgmma reads it."""
    loads: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [8, 1], [1, 0])
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 64, 16])
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, loads))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, loads))[None, :]
    right_rows = gl.arange(0, 64, layout=gl.SliceLayout(1, loads))[:, None]
    left = gl.allocate_shared_memory(gl.float16, [2, 128, 64], layout)
    right = gl.allocate_shared_memory(gl.float16, [64, 64], layout)
    right.store(gl.load(b + right_rows * 64 + columns))
    left.index(0).store(gl.load(a + rows * 64 + columns))
    acc = gl.zeros([128, 64], gl.float32, acc_layout)
    for k in range(steps):
        with gl.warp_pipeline_stage("fetch"):
            following = gl.load(a + (k + 1) * 8192 + rows * 64 + columns)
        with gl.warp_pipeline_stage("multiply"):
            acc = warpgroup_mma(left.index(k % 2), right, acc)
        with gl.warp_pipeline_stage("store"):
            left.index((k + 1) % 2).store(following)
    out_rows = gl.arange(0, 128, layout=gl.SliceLayout(1, acc_layout))[:, None]
    out_columns = gl.arange(0, 64, layout=gl.SliceLayout(0, acc_layout))[None, :]
    gl.store(c + out_rows * 64 + out_columns, acc)


@hocket.jit
def turns(a, c, steps):
    """Uses the same tile in each step; the groups of warps alternate at the wgmma stage (ping-pong)."""
    loads: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [8, 1], [1, 0])
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 64, 16])
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, loads))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, loads))[None, :]
    tile = gl.allocate_shared_memory(gl.float16, [128, 64], gl.NVMMASharedLayout(128, 16, 2))
    tile.store(gl.load(a + rows * 64 + columns))
    acc = gl.zeros([128, 64], gl.float32, acc_layout)
    for _ in range(steps):
        with gl.warp_pipeline_stage("multiply", exclusive=True):
            acc = warpgroup_mma(tile, tile.slice(0, 64), acc)
        with gl.warp_pipeline_stage("weigh"):
            acc = gl.exp2(acc)
    out_rows = gl.arange(0, 128, layout=gl.SliceLayout(1, acc_layout))[:, None]
    out_columns = gl.arange(0, 64, layout=gl.SliceLayout(0, acc_layout))[None, :]
    gl.store(c + out_rows * 64 + out_columns, acc)
