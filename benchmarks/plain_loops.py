"""Loops for CDNA that copy tiles through registers, prefetched with `num_stages`.

    loop                  copied                            between load and store          computed
    gemm f16 ...          tiles of A and of B               nothing                         MFMA
    gemm f8               tiles of A and of B               nothing                         MFMA
    converted             float32 tiles                     conversion to float16           MFMA
    dequantized           int8 tiles of B                   conversion and a scale          MFMA
    activated             tiles of A and of B               nothing                         SiLU of A, MFMA
    attention             keys and values                   nothing                         softmax, two MFMAs
    fused multiply-adds   float32 tiles                     nothing                         FMA
    sums of exponentials  rows                              nothing                         exp2, reductions
    distances             tiles of points                   nothing                         squares of differences

sched_barrier.py compiles these loops.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import hocket
from hocket import language as gl
from hocket.language.amd import cdna3


@dataclasses.dataclass(frozen=True)
class GemmTile:
    """Parameters of a GEMM: tile of C, k-tile, warps along M and N, element type of the operands, and their
    preparation."""

    m: int
    n: int
    k: int
    warps: tuple[int, int]
    element: Any = gl.float16
    version: int = 3
    prepare: str = ""

    @property
    def acc(self):
        k = 16 if self.element.primitive_bitwidth == 8 else 8
        return gl.amd.AMDMFMALayout(self.version, [32, 32, k], True, list(self.warps))

    @property
    def per_lane(self):
        """Number of elements of an operand's row that a lane loads at once, 16 bytes."""
        return 128 // self.element.primitive_bitwidth

    @property
    def loads(self):
        lanes = self.k // self.per_lane
        warps = self.warps[0] * self.warps[1]
        return gl.BlockedLayout([1, self.per_lane], [64 // lanes, lanes], [warps, 1], [1, 0])

    def shared(self, rows):
        return gl.PaddedSharedLayout.with_identity_for([[self.k, self.per_lane]], [rows, self.k], [1, 0])


@hocket.jit
def offsets(ROWS: gl.constexpr, COLUMNS: gl.constexpr, STRIDE, LAYOUT: gl.constexpr):
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, LAYOUT))[:, None]
    return rows * STRIDE + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, LAYOUT))[None, :]


@hocket.jit
def gemm(a, b, scales, c, K: gl.constexpr, tile: gl.constexpr, STAGES: gl.constexpr):
    """Computes a tile of A B^T. K is a multiple of the k-tile."""
    a_tile = gl.allocate_shared_memory(tile.element, [tile.m, tile.k], tile.shared(tile.m))
    b_tile = gl.allocate_shared_memory(tile.element, [tile.n, tile.k], tile.shared(tile.n))
    a_places = offsets(tile.m, tile.k, K, tile.loads)
    b_places = offsets(tile.n, tile.k, K, tile.loads)
    scale = gl.load(scales + gl.arange(0, tile.n, layout=gl.SliceLayout(1, tile.loads)))[:, None]
    acc = gl.zeros([tile.m, tile.n], gl.float32, tile.acc)
    for k in gl.range(0, K, tile.k, num_stages=STAGES):
        x = cdna3.buffer_load(a, a_places + k)
        y = cdna3.buffer_load(b, b_places + k)
        if tile.prepare == "dequantize":
            y = y.to(gl.float32) * scale
        a_tile.store(x.to(tile.element))
        b_tile.store(y.to(tile.element))
        left = a_tile.load(gl.DotOperandLayout(0, tile.acc, tile.per_lane))
        right = b_tile.permute([1, 0]).load(gl.DotOperandLayout(1, tile.acc, tile.per_lane))
        if tile.prepare == "activate":
            wide = left.to(gl.float32)
            left = (wide / (1.0 + gl.exp2(wide * -1.442695))).to(tile.element)
        acc = cdna3.mfma(left, right, acc)
    cdna3.buffer_store(acc, c, offsets(tile.m, tile.n, tile.n, tile.acc))


@hocket.jit
def attention(q, keys, values, out, N: gl.constexpr, tile: gl.constexpr, STAGES: gl.constexpr):
    """Computes attention of tile.m queries to N keys with head size tile.k. An iteration processes tile.n keys."""
    score: gl.constexpr = tile.acc
    weight: gl.constexpr = gl.DotOperandLayout(0, score, tile.per_lane)
    queries = cdna3.buffer_load(q, offsets(tile.m, tile.k, tile.k, gl.DotOperandLayout(0, score, tile.per_lane)))
    k_tile = gl.allocate_shared_memory(tile.element, [tile.n, tile.k], tile.shared(tile.n))
    v_tile = gl.allocate_shared_memory(tile.element, [tile.n, tile.k], tile.shared(tile.n))
    places = offsets(tile.n, tile.k, tile.k, tile.loads)
    top = gl.full([tile.m], -1e30, gl.float32, gl.SliceLayout(1, score))
    total = gl.zeros([tile.m], gl.float32, gl.SliceLayout(1, score))
    acc = gl.zeros([tile.m, tile.k], gl.float32, score)
    for first in gl.range(0, N, tile.n, num_stages=STAGES):
        k_tile.store(cdna3.buffer_load(keys, places + first * tile.k))
        v_tile.store(cdna3.buffer_load(values, places + first * tile.k))
        right = k_tile.permute([1, 0]).load(gl.DotOperandLayout(1, score, tile.per_lane))
        scores = cdna3.mfma(queries, right, gl.zeros([tile.m, tile.n], gl.float32, score))
        new = gl.maximum(top, gl.max(scores, axis=1))
        p = gl.exp2(scores - new[:, None])
        fade = gl.exp2(top - new)
        total = total * fade + gl.sum(p, axis=1)
        right = v_tile.load(gl.DotOperandLayout(1, score, tile.per_lane))
        acc = cdna3.mfma(gl.convert_layout(p.to(tile.element), weight), right, acc * fade[:, None])
        top = new
    cdna3.buffer_store(acc / total[:, None], out, offsets(tile.m, tile.k, tile.k, score))


@hocket.jit
def fused_multiply_adds(a, b, c, K: gl.constexpr, SIZE: gl.constexpr, STAGES: gl.constexpr):
    """Computes a tile of A B^T with fused multiply-adds instead of matrix instructions."""
    acc_layout: gl.constexpr = gl.BlockedLayout([4, 4], [8, 8], [gl.num_warps() // 2, 2], [1, 0])
    loads: gl.constexpr = gl.BlockedLayout([1, 4], [16, 4], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    places = offsets(SIZE, 16, K, loads)
    a_tile = gl.allocate_shared_memory(gl.float32, [SIZE, 16], shared)
    b_tile = gl.allocate_shared_memory(gl.float32, [SIZE, 16], shared)
    acc = gl.zeros([SIZE, SIZE], gl.float32, acc_layout)
    for k in gl.range(0, K, 16, num_stages=STAGES):
        a_tile.store(gl.load(a + places + k))
        b_tile.store(gl.load(b + places + k))
        left = a_tile.load(gl.DotOperandLayout(0, acc_layout, 0))
        right = b_tile.permute([1, 0]).load(gl.DotOperandLayout(1, acc_layout, 0))
        acc = gl.dot_fma(left, right, acc)
    gl.store(c + offsets(SIZE, SIZE, SIZE, acc_layout), acc)


@hocket.jit
def sums_of_exponentials(x, out, K: gl.constexpr, STAGES: gl.constexpr):
    """Computes the sum of exp2 over each row. The layout for reading tiles from shared memory differs from the layout
    of the global loads."""
    loads: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [gl.num_warps(), 1], [1, 0])
    rows: gl.constexpr = gl.BlockedLayout([1, 32], [32, 2], [gl.num_warps(), 1], [1, 0])
    tile = gl.allocate_shared_memory(gl.float32, [128, 64], gl.SwizzledSharedLayout(4, 1, 16, [1, 0]))
    places = offsets(128, 64, K, loads)
    total = gl.zeros([128], gl.float32, gl.SliceLayout(1, rows))
    for k in gl.range(0, K, 64, num_stages=STAGES):
        tile.store(gl.load(x + places + k))
        total += gl.sum(gl.exp2(tile.load(rows)), axis=1)
    gl.store(out + gl.arange(0, 128, layout=gl.SliceLayout(1, rows)), total)


@hocket.jit
def distances(a, b, c, K: gl.constexpr, STAGES: gl.constexpr):
    """Computes the squared distances between 64 points and 64 other points, with K coordinates each."""
    pairs: gl.constexpr = gl.BlockedLayout([4, 4, 1], [8, 8, 1], [2, 2, 1], [2, 1, 0])
    loads: gl.constexpr = gl.BlockedLayout([1, 4], [16, 4], [gl.num_warps(), 1], [1, 0])
    places = offsets(64, 16, K, loads)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    a_tile = gl.allocate_shared_memory(gl.float32, [64, 16], shared)
    b_tile = gl.allocate_shared_memory(gl.float32, [64, 16], shared)
    acc = gl.zeros([64, 64], gl.float32, gl.SliceLayout(2, pairs))
    for k in gl.range(0, K, 16, num_stages=STAGES):
        a_tile.store(gl.load(a + places + k))
        b_tile.store(gl.load(b + places + k))
        x = a_tile.load(gl.SliceLayout(1, pairs))
        y = b_tile.load(gl.SliceLayout(0, pairs))
        apart = x[:, None, :] - y[None, :, :]
        acc += gl.sum(apart * apart, axis=2)
    gl.store(c + offsets(64, 64, 64, gl.SliceLayout(2, pairs)), acc)


def _gemm(target: str, inputs: tuple[Any, Any] | None = None, **tile: Any) -> Callable[[int], Any]:
    tile = GemmTile(**tile, version=3 if target == "gfx942" else 4)
    a, b = inputs or (tile.element, tile.element)
    warps = tile.warps[0] * tile.warps[1]
    return lambda stages: gemm.warmup(a, b, gl.float32, gl.float32, 4096, tile=tile, STAGES=stages, num_warps=warps,
                                      target=target)  # fmt: skip


def _attention(target: str) -> Callable[[int], Any]:
    tile = GemmTile(128, 64, 64, (4, 1), version=3 if target == "gfx942" else 4)
    arrays = [gl.float16] * 3
    return lambda stages: attention.warmup(*arrays, gl.float32, 4096, tile=tile, STAGES=stages, target=target)


def loops(target: str) -> dict[str, Callable[[int], Any]]:
    """Returns a function for each loop by name, which compiles the loop for a number of stages."""
    f8 = gl.float8e4b8 if target == "gfx942" else gl.float8e4nv

    def small(kernel, *arguments, **rest):
        return lambda stages: kernel.warmup(*arguments, 4096, STAGES=stages, target=target, **rest)

    f32 = gl.float32
    return {
        "gemm f16 128x128x32": _gemm(target, m=128, n=128, k=32, warps=(2, 2)),
        "gemm f16 256x128x32": _gemm(target, m=256, n=128, k=32, warps=(2, 2)),
        "gemm f8 128x128x64": _gemm(target, m=128, n=128, k=64, warps=(2, 2), element=f8),
        "converted": _gemm(target, (f32, f32), m=128, n=128, k=32, warps=(2, 2)),
        "dequantized": _gemm(target, (gl.float16, gl.int8), m=128, n=128, k=32, warps=(2, 2), prepare="dequantize"),
        "activated": _gemm(target, m=128, n=128, k=32, warps=(2, 2), prepare="activate"),
        "attention": _attention(target),
        "fused multiply-adds": small(fused_multiply_adds, f32, f32, f32, SIZE=64),
        "sums of exponentials": small(sums_of_exponentials, f32, f32),
        "distances": small(distances, f32, f32, f32),
    }
