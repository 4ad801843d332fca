"""Kernels for NVIDIA GPUs, for tests of code generation."""

import hocket
from hocket import language as gl
from hocket.language.nvidia import ampere
from hocket.language.nvidia.ampere import async_copy, mbarrier

COPY = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]))


@hocket.jit
def offsets(LAYOUT: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, LAYOUT))
    return rows[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, LAYOUT))[None, :]


@hocket.jit
def matmul(a, b, out, steps):
    """Computes a 64 x 64 tile of a GEMM, with both operands in shared memory."""
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16)
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    a_tile = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    b_tile = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    acc = gl.zeros([64, 64], gl.float32, acc_layout)
    for step in range(0, steps):
        async_copy.async_load(a_tile, a + step * 4096 + offsets(COPY))
        async_copy.async_load(b_tile, b + step * 4096 + offsets(COPY))
        async_copy.commit_group()
        async_copy.wait_group(0)
        left = a_tile.load(gl.DotOperandLayout(0, acc_layout, 2))
        right = b_tile.load(gl.DotOperandLayout(1, acc_layout, 2))
        acc = ampere.mma_v2(left, right, acc)
    result = gl.allocate_shared_memory(gl.float16, [64, 64], shared, acc.to(gl.float16))
    gl.store(out + offsets(COPY), result.load(COPY))


@hocket.jit
def arrivals(x, out):
    """Lets copies and the block itself arrive at an mbarrier."""
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16))
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    async_copy.async_load(tile, x + offsets(COPY))
    async_copy.mbarrier_arrive(bar)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0)
    gl.store(out + offsets(COPY), tile.load(COPY))
    mbarrier.invalidate(bar)


@hocket.jit
def cluster_sums(x, out):
    """Reduces the columns of a tile whose rows are split over two blocks of a cluster."""
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], [[1, 0]])
    place = gl.program_id(0) * 4096 + offsets(layout)
    total = gl.sum(gl.load(x + place).to(gl.float32), 0)
    gl.store(out + gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, layout)), total.to(gl.float16))
