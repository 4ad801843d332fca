"""A warp-specialized GEMM with slow or fast loads, for `hocket profile`:

    hocket profile profiled_gemm.py::blocking_loads --explain
    hocket profile profiled_gemm.py::async_copies --explain

A producer warpgroup copies tiles of A and B to a ring buffer of four stages, a consumer warpgroup executes the MMAs.
The scopes name the parts of both loops; a name that begins with "wait" marks waiting time. With blocking loads, the
producer is the bottleneck. With cp.async, whose copies arrive at an mbarrier on completion, the MMAs are the
bottleneck.

    ring              full, arrivals                           empty, arrivals
    blocking loads    1 (the producer warps together)          1 (the consumer warps together)
    cp.async          128, each lane as its copies complete    1 (the consumer warps together)

    producer    load 0 | load 1 | load 2 | load 3 | wait for stage 0 | load 4 | ...
    consumer           | MMA 0, release 0 | MMA 1, release 1 | ...                  | store C
"""

import numpy as np

from hocket import jit, profiler
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy, mma_v2

BUFFERS = 4


@jit
def tile_of(x, row, column, stride, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    """Returns pointers to a tile of x; each lane has eight consecutive elements of a row."""
    lanes: gl.constexpr = COLUMNS // 8
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [32 // lanes, lanes], [gl.num_warps(), 1], [1, 0])
    i = row + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    j = column + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    return x + i[:, None] * stride + j[None, :]


@jit
def produce(a, b, N, K, ring, ASYNC: gl.constexpr):
    row, column = gl.program_id(0) * 64, gl.program_id(1) * 64
    for step in range(K // 32):
        with profiler.scope("wait for a free stage"):
            slot = ring.acquire(step)
        with profiler.scope("load tiles"):
            a_tile = tile_of(a, row, step * 32, K, 64, 32)
            b_tile = tile_of(b, step * 32, column, N, 32, 64)
            if ASYNC:
                async_copy.async_load(slot.buffers[0], a_tile)
                async_copy.async_load(slot.buffers[1], b_tile)
            else:
                slot.buffers[0].store(gl.load(a_tile))
                slot.buffers[1].store(gl.load(b_tile))
            ring.commit(step)


@jit
def consume(K, ring):
    layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [gl.num_warps(), 1], [16, 8])
    acc = gl.zeros([64, 64], gl.float32, layout)
    for step in range(K // 32):
        with profiler.scope("wait for tiles"):
            slot = ring.wait(step)
        with profiler.scope("MMA"):
            left = slot.buffers[0].load(gl.DotOperandLayout(0, layout, 2))
            right = slot.buffers[1].load(gl.DotOperandLayout(1, layout, 2))
            ring.release(step)
            acc = mma_v2(left, right, acc)
    return acc


@jit
def gemm(a, b, c, N, K, BUFFERS: gl.constexpr, ASYNC: gl.constexpr):
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    a_tiles = gl.allocate_shared_memory(gl.float16, [BUFFERS, 64, 32], swizzled)
    b_tiles = gl.allocate_shared_memory(gl.float16, [BUFFERS, 32, 64], swizzled)
    fill: gl.constexpr = "cp.async" if ASYNC else "stores"
    ring = gl.RingBuffer((a_tiles, b_tiles), fill=fill, producers=4 if ASYNC else 1)
    acc = gl.warp_specialize([(consume, (K, ring.consumer())), (produce, (a, b, N, K, ring.producer(), ASYNC))], [4])
    ring.invalidate()
    i = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, acc.type.layout))
    j = gl.program_id(1) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, acc.type.layout))
    gl.store(c + i[:, None] * N + j[None, :], acc)


def run(is_async, size=64, depth=768):
    random = np.random.default_rng(0)
    a, b = (random.integers(-2, 3, shape).astype(np.float16) for shape in ((size, depth), (depth, size)))
    c = np.zeros((size, size), np.float32)
    gemm[(size // 64, size // 64)](a, b, c, size, depth, BUFFERS=BUFFERS, ASYNC=is_async)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def blocking_loads():
    """Copies tiles through registers: the producer waits for each load before it stores the tile to shared memory."""
    run(is_async=False)


def async_copies():
    """Copies tiles to shared memory by cp.async, without a wait in the producer."""
    run(is_async=True)


if __name__ == "__main__":
    for function in (blocking_loads, async_copies):
        with profiler.session(function.__name__) as session:
            function()
        print(session.explain(), end="\n\n")
