"""Copies that are in flight where a warp pipeline begins: a family of small programs, and their launches."""

import itertools
from dataclasses import dataclass

import numpy as np

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language import amd

FILL = gl.constexpr(gl.BlockedLayout([1, 1], [2, 32], [8, 1], [1, 0]))
READ = gl.constexpr(gl.BlockedLayout([1, 1], [32, 2], [1, 8], [0, 1]))
SHARED = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
TILE = gl.constexpr(32 * 32)


@hocket.jit
def offsets(layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    return rows[:, None] * 32 + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]


@hocket.jit
def fill(ring, x, tile, tiles, cfg: gl.constexpr):
    place = offsets(FILL)
    inside = place < (tiles - tile) * TILE
    amd.cdna4.async_copy.buffer_load_to_shared(ring.index(tile % cfg.slots), x + tile * TILE, place, mask=inside)
    amd.cdna4.async_copy.commit_group()


@hocket.jit
def add_tile(acc, ring, tile, cfg: gl.constexpr):
    return acc * 0.5 + ring.index(tile % cfg.slots).load(READ)


@hocket.jit
def in_a_loop(x, y, tiles, cfg: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float32, [cfg.slots, 32, 32], SHARED)
    acc = gl.full([32, 32], 0, gl.float32, READ)
    for k in gl.static_range(cfg.ahead):
        fill(ring, x, k, tiles, cfg)
    amd.cdna4.async_copy.wait_group(cfg.front)
    for k in gl.range(cfg.trips if cfg.trips > 0 else tiles, loop_unroll_factor=cfg.factor):
        if cfg.gap == 0:
            amd.cdna4.async_copy.wait_group(cfg.leave)
        with amd.warp_pipeline_stage("first", phase_gap=cfg.lag):
            if cfg.read == 0:
                acc = add_tile(acc, ring, k, cfg)
            fill(ring, x, k + cfg.ahead, tiles, cfg)
        if cfg.gap == 1:
            amd.cdna4.async_copy.wait_group(cfg.leave)
        with amd.warp_pipeline_stage("second"):
            if cfg.read == 1:
                acc = add_tile(acc, ring, k, cfg)
        if cfg.gap == 2:
            amd.cdna4.async_copy.wait_group(cfg.leave)
        with amd.warp_pipeline_stage("third"):
            if cfg.read == 2:
                acc = add_tile(acc, ring, k, cfg)
        if cfg.gap == 3:
            amd.cdna4.async_copy.wait_group(cfg.leave)
    amd.cdna4.async_copy.wait_group(0)
    gl.store(y + offsets(READ), acc)


@dataclass(frozen=True)
class Shape:
    """Constants that the kernels read as `cfg`."""

    slots: int
    #: Copies before the loop.
    ahead: int
    #: Number of these that the wait before the loop leaves in flight.
    front: int
    #: The wait of the pipeline: before which stage (3: at the bottom of the loop), and how many groups it leaves.
    gap: int
    leave: int
    lag: int
    #: The stage that reads.
    read: int
    #: Unroll factor of the loop.
    factor: int = 1
    #: Number of iterations, if it is known.
    trips: int = 0


LOOPS = [
    (in_a_loop, Shape(slots, ahead, front, *rest))
    for slots, ahead, front, *rest in itertools.product((3, 4), (1, 2), (1, 2), range(4), range(3), (1, 2), range(3))
    if front <= ahead
]
TILES = 3


def launch(kernel, shape, seed=0, completion="late", tiles=TILES, **options):
    x = np.random.default_rng(seed).standard_normal((max(tiles, 1), 32, 32), dtype=np.float32)
    y = np.full((32, 32), -1, dtype=np.float32)
    with emulator.target("gfx950"), emulator.schedule(seed=seed, completion=completion):
        kernel[(1,)](x, y, tiles, cfg=shape, num_warps=8, **options)
    expected = np.zeros_like(y)
    for tile in x[:tiles]:
        expected = expected * np.float32(0.5) + tile
    return np.array_equal(y, expected)
