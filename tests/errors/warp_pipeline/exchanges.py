"""Results of exchanges between warps, in stages of warp pipelines, that are used too early."""

from cases import mistake

import hocket.language as gl

# Warps 0 to 3 have rows of their own.
ROWS = gl.constexpr(gl.BlockedLayout([1, 1], [4, 16], [2, 4], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([1, 1], [16, 4], [1, 8], [0, 1]))
ACROSS = gl.constexpr(gl.BlockedLayout([1, 1], [4, 8], [2, 4], [1, 0]))
DOWN = gl.constexpr(gl.BlockedLayout([1, 1], [8, 4], [1, 8], [0, 1]))


@mistake("*f32, i32", target="gfx942", num_warps=8, lowered=True)
def maximum_in_the_same_stage(x, n):
    tile = gl.full([32, 64], 1, gl.float32, ROWS)
    for _ in range(n):
        with gl.warp_pipeline_stage("softmax"):
            m = gl.max(tile, 1)
            tile = gl.exp(tile - m[:, None])
        with gl.warp_pipeline_stage("rest"):
            tile += 1.0


@mistake("*f32, i32", target="gfx950", num_warps=8, lowered=True)
def maximum_over_both_groups(x, n):
    tile = gl.full([32, 64], 1, gl.float32, ROWS)
    for _ in range(n):
        with gl.warp_pipeline_stage("maximum"):
            m = gl.max(tile, 0)
        with gl.warp_pipeline_stage("use"):
            tile = gl.exp(tile - m[None, :])


@mistake("*f32, i32", target="sm_90a", num_warps=8, lowered=True)
def conversion_with_a_lag_of_two(x, n):
    tile = gl.full([32, 64], 1, gl.float32, ACROSS)
    sums = gl.full([32, 64], 0, gl.float32, DOWN)
    for _ in range(n):
        with gl.warp_pipeline_stage("convert", phase_gap=2):
            other = gl.convert_layout(tile, DOWN)
        with gl.warp_pipeline_stage("use"):
            sums += other
        with gl.warp_pipeline_stage("rest"):
            tile += 1.0
        with gl.warp_pipeline_stage("more"):
            tile *= 2.0
    gl.store(x + gl.arange(0, 64, layout=gl.SliceLayout(0, DOWN)), gl.sum(sums, 0))


@mistake("*f32, i32", target="gfx950", num_warps=8, lowered=True)
def conversion_for_the_next_iteration(x, n):
    tile = gl.full([32, 64], 1, gl.float32, ROWS)
    sums = gl.full([32, 64], 0, gl.float32, COLUMNS)
    other = sums
    for _ in range(n):
        with gl.warp_pipeline_stage("use"):
            sums += other
        with gl.warp_pipeline_stage("convert"):
            other = gl.convert_layout(tile, COLUMNS)
            tile += 1.0
    gl.store(x + gl.arange(0, 64, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(sums, 0))


@mistake("*f32, *i32", target="gfx942", num_warps=8, lowered=True)
def gather_in_a_straight_line(x, i):
    with gl.warp_pipeline_stage("gather"):
        rows = gl.arange(0, 32, layout=gl.SliceLayout(1, COLUMNS))[:, None]
        index = gl.load(i + rows + gl.arange(0, 64, layout=gl.SliceLayout(0, COLUMNS))[None, :])
        tile = gl.gather(gl.full([32, 64], 1, gl.float32, ROWS), index, 1)
    with gl.warp_pipeline_stage("use"):
        tile *= 2.0
    gl.store(x + gl.arange(0, 64, layout=gl.SliceLayout(0, COLUMNS)), gl.sum(tile, 0))


@mistake("*f32, i32", target="gfx950", num_warps=8, lowered=True)
def maximum_in_a_branch(x, n):
    tile = gl.full([32, 64], 1, gl.float32, ROWS)
    for k in range(n):
        with gl.warp_pipeline_stage("maximum"):
            if k > 2:
                tile += gl.max(tile, 1)[:, None]
        with gl.warp_pipeline_stage("rest"):
            tile *= 2.0
    gl.store(x + gl.arange(0, 64, layout=gl.SliceLayout(0, ROWS)), gl.sum(tile, 0))


@mistake("*f32, i32", target="gfx950", num_warps=8, lowered=True)
def scan_over_warps(x, n):
    tile = gl.full([32, 64], 1, gl.float32, ROWS)
    sums = tile
    for _ in range(n):
        with gl.warp_pipeline_stage("scan"):
            sums = gl.cumsum(tile, 1)
        with gl.warp_pipeline_stage("use"):
            tile += sums
    gl.store(x + gl.arange(0, 64, layout=gl.SliceLayout(0, ROWS)), gl.sum(tile, 0))
